/* mutex.h: the explorer's mutex and condition. The interface is that of the core's own header. */
#ifndef SQ__PLATFORM_MUTEX_H
#define SQ__PLATFORM_MUTEX_H

#include <stdbool.h>
#include <stdint.h>

#define SQ__NEVER UINT64_MAX

typedef struct { uint32_t owner, id; } sq__mutex_t; /* owner: 0, or 1 + the thread; id: 0, or 1 + the number of its view */
typedef struct { uint32_t unused; } sq__condition_t;
#define SQ__MUTEX_INIT { 0, 0 }

int sq__mutex_init(sq__mutex_t *mutex);
void sq__mutex_lock(sq__mutex_t *mutex);
void sq__mutex_unlock(sq__mutex_t *mutex);
typedef struct sq__patience { unsigned tries; } sq__patience_t;
bool sq__mutex_lock_patiently(sq__mutex_t *mutex, sq__patience_t *patience);
void sq__mutex_destroy(sq__mutex_t *mutex);
int sq__condition_init(sq__condition_t *condition);
bool sq__condition_wait(sq__condition_t *condition, sq__mutex_t *mutex, uint64_t deadline);
void sq__condition_signal(sq__condition_t *condition);

#endif

/* mutex.h: a mutex and a condition as those of glibc 2.36: of the same size, with the same accesses of memory (mutex.c). */
#ifndef SQ__PLATFORM_MUTEX_H
#define SQ__PLATFORM_MUTEX_H

#include <stdbool.h>
#include <stdint.h>

#define SQ__NEVER UINT64_MAX

typedef struct {
    _Atomic uint32_t word; /* 0 free, 1 locked, 2 locked and waited for */
    uint32_t count;
    uint32_t owner, users;
    uint32_t spins_at_all; /* PTHREAD_MUTEX_ADAPTIVE_NP */
    int16_t spins, unused;
    void *list[2];
} sq__mutex_t;

typedef struct {
    _Atomic uint32_t sequence, waiters;
    uint64_t unused[5];
} sq__condition_t;

#define SQ__MUTEX_INIT { 0 }

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

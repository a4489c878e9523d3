/* mutex.h: a mutex, and a condition with at most one waiter. Every result of the system is checked. */
#ifndef SQ__PLATFORM_MUTEX_H
#define SQ__PLATFORM_MUTEX_H

#include "platform/system.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define SQ__NEVER UINT64_MAX

typedef pthread_mutex_t sq__mutex_t;
typedef pthread_cond_t sq__condition_t;
#define SQ__MUTEX_INIT PTHREAD_MUTEX_INITIALIZER

/* Returns 0 or ENOMEM. A mutex made with SQ__MUTEX_INIT needs no init. */
int sq__mutex_init(sq__mutex_t *mutex);
void sq__mutex_lock(sq__mutex_t *mutex);
void sq__mutex_unlock(sq__mutex_t *mutex);
/* As sq__mutex_lock, but waits for at most this long. False: the caller does not have the lock. */
bool sq__mutex_lock_within(sq__mutex_t *mutex, uint64_t nanoseconds);
void sq__mutex_destroy(sq__mutex_t *mutex);

/* Deadlines use the monotonic clock. At most one thread may wait on a condition: with several, glibc can lose a wake-up
 * (sourceware 25847). Returns 0 or ENOMEM. */
int sq__condition_init(sq__condition_t *condition);
/* Returns false when the deadline (nanoseconds of sq__clock_now; SQ__NEVER: none) has passed. May wake without a signal. */
bool sq__condition_wait(sq__condition_t *condition, sq__mutex_t *mutex, uint64_t deadline);
void sq__condition_signal(sq__condition_t *condition);

#endif

/* mutex.h: a mutex, and a condition with at most one waiter. Every result of the system is checked. */
#pragma once

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
/* For a thread that must not wait forever: how often it still tries to lock, all its mutexes together. Each is tried a few times even if
 * none are left. It sleeps between two tries, for 5 ms at most. Tries count, not time: on a busy machine a thread that has a mutex may
 * not run for long, but it can run while this one sleeps. */
typedef struct sq__patience {
    unsigned tries; /* that are left */
} sq__patience_t;
/* As sq__mutex_lock, but the patience may end. False: whenever the caller tried, another thread had the mutex. */
bool sq__mutex_lock_patiently(sq__mutex_t *mutex, sq__patience_t *patience);
void sq__mutex_destroy(sq__mutex_t *mutex);

/* Deadlines use the monotonic clock. At most one thread may wait on a condition: with several, glibc can lose a wake-up
 * (sourceware 25847). Returns 0 or ENOMEM. */
int sq__condition_init(sq__condition_t *condition);
/* Returns false when the deadline (nanoseconds of sq__clock_now; SQ__NEVER: none) has passed. May wake without a signal. */
bool sq__condition_wait(sq__condition_t *condition, sq__mutex_t *mutex, uint64_t deadline);
void sq__condition_signal(sq__condition_t *condition);

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* PTHREAD_MUTEX_ADAPTIVE_NP, CLOCK_MONOTONIC */
#endif
#include "platform/mutex.h"

#include "platform/fatal.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

/* These calls fail only on a mutex or condition that is not one: a freed or overwritten object. */
static void must(int error, const char *call) {
    if (__builtin_expect(error != 0, 0)) {
        sq__fatal("%s failed (%s): a queue was used after it was freed, or memory was overwritten.", call, strerror(error));
    }
}

/* Locks of this library are held for a few instructions: with glibc, a thread that finds it taken spins for a while before it sleeps. */
int sq__mutex_init(sq__mutex_t *mutex) {
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0) {
        return ENOMEM;
    }
#ifdef __GLIBC__
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    int error = pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return error ? ENOMEM : 0;
}

void sq__mutex_lock(sq__mutex_t *mutex) { must(pthread_mutex_lock(mutex), "pthread_mutex_lock"); }
void sq__mutex_unlock(sq__mutex_t *mutex) { must(pthread_mutex_unlock(mutex), "pthread_mutex_unlock"); }

bool sq__mutex_lock_patiently(sq__mutex_t *mutex, sq__patience_t *patience) {
    enum { LEAST_TRIES = 8 };
    static const long first_pause = 50000, longest_pause = 5000000; /* nanoseconds */
    unsigned tries = patience->tries > LEAST_TRIES ? patience->tries : LEAST_TRIES;
    int error;
    for (long pause = first_pause; (error = pthread_mutex_trylock(mutex)) == EBUSY && tries > 0; tries -= 1) {
        nanosleep(&(struct timespec){ .tv_nsec = pause }, NULL);
        pause = 2 * pause < longest_pause ? 2 * pause : longest_pause;
        patience->tries -= patience->tries > 0;
    }
    if (error != EBUSY) {
        must(error, "pthread_mutex_trylock");
    }
    return error == 0;
}

void sq__mutex_destroy(sq__mutex_t *mutex) { must(pthread_mutex_destroy(mutex), "pthread_mutex_destroy"); }

int sq__condition_init(sq__condition_t *condition) {
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return ENOMEM;
    }
    int error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (error == 0) {
        error = pthread_cond_init(condition, &attributes);
    }
    pthread_condattr_destroy(&attributes);
    return error ? ENOMEM : 0;
}

/* A time_t of 64 bits can hold every uint64_t of nanoseconds. One of 32 bits cannot: then the latest time that it can hold is used. */
static struct timespec timespec_of(uint64_t nanoseconds) {
    uint64_t seconds = nanoseconds / 1000000000u;
    if (sizeof(time_t) < sizeof(uint64_t) && seconds > INT_MAX) {
        return (struct timespec){ .tv_sec = INT_MAX };
    }
    return (struct timespec){ .tv_sec = (time_t)seconds, .tv_nsec = (long)(nanoseconds % 1000000000u) };
}

bool sq__condition_wait(sq__condition_t *condition, sq__mutex_t *mutex, uint64_t deadline) {
    int cancel_state;
    int error;
    /* A thread that was cancelled here would leave a slot in a queue and a locked mutex behind. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (deadline == SQ__NEVER) {
        error = pthread_cond_wait(condition, mutex);
    } else {
        struct timespec until = timespec_of(deadline);
        error = pthread_cond_timedwait(condition, mutex, &until);
    }
    pthread_setcancelstate(cancel_state, NULL);
    must(error == ETIMEDOUT ? 0 : error, "pthread_cond_timedwait");
    return error == 0;
}

void sq__condition_signal(sq__condition_t *condition) { must(pthread_cond_signal(condition), "pthread_cond_signal"); }

#include "platform/mutex.h"

#include "platform/clock.h"
#include "platform/fatal.h"
#include "platform/quiet.h"

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
#if SQ__LINUX && defined(__GLIBC__)
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
    sq__quiet_t quiet = sq__quiet_begin(); /* the caller may have other mutexes */
    for (long pause = first_pause; (error = pthread_mutex_trylock(mutex)) == EBUSY && tries > 0; tries -= 1) {
        nanosleep(&(struct timespec){ .tv_nsec = pause }, NULL);
        pause = 2 * pause < longest_pause ? 2 * pause : longest_pause;
        patience->tries -= patience->tries > 0;
    }
    sq__quiet_end(quiet);
    if (error != EBUSY) {
        must(error, "pthread_mutex_trylock");
    }
    return error == 0;
}

void sq__mutex_destroy(sq__mutex_t *mutex) { must(pthread_mutex_destroy(mutex), "pthread_mutex_destroy"); }

/* A time_t of 64 bits can hold every uint64_t of nanoseconds. One of 32 bits cannot: then the latest time that it can hold is used. */
static struct timespec timespec_of(uint64_t nanoseconds) {
    uint64_t seconds = nanoseconds / 1000000000u;
    if (sizeof(time_t) < sizeof(uint64_t) && seconds > INT_MAX) {
        return (struct timespec){ .tv_sec = INT_MAX };
    }
    return (struct timespec){ .tv_sec = (time_t)seconds, .tv_nsec = (long)(nanoseconds % 1000000000u) };
}

/* Waits until the monotonic clock shows the deadline. Linux and FreeBSD have conditions that use it. macOS can wait for a length of time. The last
 * way is that of a system that has neither: there a wall clock that is set back makes the wait longer. The tests use it on Linux. */
#if SQ__LINUX || defined(__FreeBSD__)
static int set_clock(pthread_condattr_t *attributes) { return pthread_condattr_setclock(attributes, CLOCK_MONOTONIC); }

static int wait_until(sq__condition_t *condition, sq__mutex_t *mutex, uint64_t deadline) {
    struct timespec until = timespec_of(deadline);
    return pthread_cond_timedwait(condition, mutex, &until);
}
#else
static int set_clock(pthread_condattr_t *attributes) { return (void)attributes, 0; }

static int wait_until(sq__condition_t *condition, sq__mutex_t *mutex, uint64_t deadline) {
    static const uint64_t longest = UINT64_C(3600) * 1000000000; /* then the caller waits again */
    uint64_t now = sq__clock_now(), rest = deadline > now ? deadline - now : 0;
    rest = rest < longest ? rest : longest;
#if defined(__APPLE__)
    struct timespec until = timespec_of(rest);
    int error = pthread_cond_timedwait_relative_np(condition, mutex, &until);
#else
    uint64_t since_boot, of_day;
    sq__clock_others(&since_boot, &of_day);
    struct timespec until = timespec_of(of_day + rest);
    int error = pthread_cond_timedwait(condition, mutex, &until);
#endif
    return error == ETIMEDOUT && sq__clock_now() < deadline ? 0 : error; /* too early: as if it was woken without a signal */
}
#endif

int sq__condition_init(sq__condition_t *condition) {
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return ENOMEM;
    }
    int error = set_clock(&attributes);
    if (error == 0) {
        error = pthread_cond_init(condition, &attributes);
    }
    pthread_condattr_destroy(&attributes);
    return error ? ENOMEM : 0;
}

bool sq__condition_wait(sq__condition_t *condition, sq__mutex_t *mutex, uint64_t deadline) {
    int cancel_state;
    int error;
    /* A thread that was cancelled here would leave a slot in a queue and a locked mutex behind. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (deadline == SQ__NEVER) {
        error = pthread_cond_wait(condition, mutex);
    } else {
        error = wait_until(condition, mutex, deadline);
    }
    pthread_setcancelstate(cancel_state, NULL);
    must(error == ETIMEDOUT ? 0 : error, "pthread_cond_timedwait");
    return error == 0;
}

void sq__condition_signal(sq__condition_t *condition) { must(pthread_cond_signal(condition), "pthread_cond_signal"); }

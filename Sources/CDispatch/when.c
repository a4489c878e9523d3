/* when.c: libdispatch's times.
 *
 * A time of the monotonic clock is its nanoseconds, and so the core's. One of the wall clock is its nanoseconds, negated; bit 62 distinguishes it
 * from a time of a third clock, which counts while the system sleeps, and which no function here makes. */
#define _POSIX_C_SOURCE 200809L
#include "when.h"
#include <errno.h>
#include <time.h>

#define WALL_BIT (1ull << 62)
#define LATEST (WALL_BIT - 1)

static uint64_t now_on(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
}

/* Of the two clocks here. */
static bool is_wall(dispatch_time_t when) {
    return (int64_t)when < 0 && (when & WALL_BIT) != 0;
}

/* Nanoseconds on the clock of `when`. FOREVER: never. */
static uint64_t value_of(dispatch_time_t when) {
    if (is_wall(when)) {
        return when == DISPATCH_WALLTIME_NOW ? now_on(CLOCK_REALTIME) : -when;
    }
    uint64_t value = when & ~(1ull << 63);
    return value > LATEST ? DISPATCH_TIME_FOREVER : value == 0 ? now_on(CLOCK_MONOTONIC) : value;
}

dispatch_time_t dispatch_time(dispatch_time_t when, int64_t delta) {
    if (when == DISPATCH_TIME_FOREVER) {
        return when;
    }
    uint64_t value = value_of(when);
    if (value == DISPATCH_TIME_FOREVER) {
        return value;
    }
    value += (uint64_t)delta;
    if (delta >= 0 && (int64_t)value <= 0) {
        return DISPATCH_TIME_FOREVER;
    }
    if (delta < 0 && (int64_t)value < 1) {
        value = is_wall(when) ? 2 : 1; /* 1 of the wall clock would be FOREVER */
    }
    return value >= LATEST ? DISPATCH_TIME_FOREVER : is_wall(when) ? -value : value;
}

dispatch_time_t dispatch_walltime(const struct timespec *when, int64_t delta) {
    int64_t value = when == NULL ? (int64_t)now_on(CLOCK_REALTIME) : (int64_t)((uint64_t)when->tv_sec * NSEC_PER_SEC + (uint64_t)when->tv_nsec);
    value = (int64_t)((uint64_t)value + (uint64_t)delta);
    if (value <= 1) {
        return delta >= 0 ? DISPATCH_TIME_FOREVER : DISPATCH_WALLTIME_NOW;
    }
    return (uint64_t)-value;
}

uint64_t sq__dispatch_delay(dispatch_time_t when) {
    if (when == DISPATCH_TIME_FOREVER) {
        return UINT64_MAX;
    }
    uint64_t value = value_of(when);
    uint64_t now = when == DISPATCH_TIME_NOW ? value : now_on(is_wall(when) ? CLOCK_REALTIME : CLOCK_MONOTONIC);
    return value == DISPATCH_TIME_FOREVER ? UINT64_MAX : value > now ? value - now : 0;
}

sq_time_t sq__dispatch_start(dispatch_time_t when) {
    if (when == DISPATCH_TIME_FOREVER) {
        return SQ_FOREVER;
    }
    if (when == DISPATCH_TIME_NOW || !is_wall(when)) {
        return when == DISPATCH_TIME_NOW ? sq_deadline(0) : value_of(when);
    }
    uint64_t value = value_of(when), wall = now_on(CLOCK_REALTIME), now = sq_deadline(0);
    return value > wall ? sq_deadline(value - wall) : now > wall - value ? now - (wall - value) : 1;
}

sq_time_t sq__dispatch_deadline(dispatch_time_t when) {
    if (when == DISPATCH_TIME_FOREVER) {
        return SQ_FOREVER;
    }
    if (when == DISPATCH_TIME_NOW) {
        return SQ_NOW;
    }
    if (!is_wall(when)) {
        return value_of(when);
    }
    uint64_t delay = sq__dispatch_delay(when);
    return delay == 0 ? SQ_NOW : sq_deadline(delay);
}

intptr_t sq__dispatch_timed_out(void) {
    errno = ETIMEDOUT;
    return -1;
}

void sq__dispatch_pass(sq_time_t deadline) {
    sq_semaphore_t *none = sq_semaphore_create(NULL, 0);
    int error = none == NULL ? ENOMEM : sq_semaphore_wait(none, deadline);
    (void)error; /* without memory it passes at once */
    sq_semaphore_release(none);
}

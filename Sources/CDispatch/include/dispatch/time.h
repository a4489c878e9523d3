/* time.h: points in time, on the monotonic or the wall clock. Include <dispatch/dispatch.h>. */
#ifndef SQ_DISPATCH_TIME_H
#define SQ_DISPATCH_TIME_H

#include <dispatch/base.h>

SQ_DISPATCH_BEGIN

struct timespec;

#undef NSEC_PER_SEC
#undef NSEC_PER_MSEC
#undef USEC_PER_SEC
#undef NSEC_PER_USEC
/** Nanoseconds in a second. */
#define NSEC_PER_SEC 1000000000ull
/** Nanoseconds in a millisecond. */
#define NSEC_PER_MSEC 1000000ull
/** Microseconds in a second. */
#define USEC_PER_SEC 1000000ull
/** Nanoseconds in a microsecond. */
#define NSEC_PER_USEC 1000ull

/** A point in time. Those of the monotonic clock are nanoseconds on CLOCK_MONOTONIC; the others are opaque. */
typedef uint64_t dispatch_time_t;

/** Now, as a time of dispatch_time and of waits. */
#define DISPATCH_TIME_NOW (0ull)
/** Never. */
#define DISPATCH_TIME_FOREVER (~0ull)

/** Now on the wall clock, for dispatch_time. */
#define DISPATCH_WALLTIME_NOW (~1ull)

/**
 * Returns `when` plus `delta` nanoseconds, on the clock of `when`.
 *
 * @param when DISPATCH_TIME_NOW, DISPATCH_WALLTIME_NOW, or a result of this function or of dispatch_walltime.
 * @return The time; DISPATCH_TIME_FOREVER on overflow.
 */
dispatch_time_t dispatch_time(dispatch_time_t when, int64_t delta) SQ_DISPATCH_SYMBOL(dispatch_time) DISPATCH_WARN_RESULT;

/**
 * Returns a time of the wall clock plus `delta` nanoseconds.
 *
 * A wait converts it when it begins: setting the clock during the wait does not change its end.
 *
 * @param when NULL: now.
 */
dispatch_time_t dispatch_walltime(const struct timespec *when, int64_t delta) SQ_DISPATCH_SYMBOL(dispatch_walltime) DISPATCH_WARN_RESULT;

SQ_DISPATCH_END
#endif

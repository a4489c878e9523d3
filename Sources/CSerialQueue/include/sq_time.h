/* sq_time.h: points in time. */
#ifndef SQ_TIME_H
#define SQ_TIME_H

#include "sq_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A point in time: nanoseconds on CLOCK_MONOTONIC.
 *
 * Setting the wall clock has no effect on this clock. On Linux the clock stands still while the machine is suspended. Deadlines are points in time.
 */
typedef uint64_t sq_time_t;

/**
 * The deadline of a call that must not wait.
 *
 * A call that would have to wait returns EAGAIN, and has done nothing.
 */
#define SQ_NOW ((sq_time_t)0)

/** The deadline of a call that waits without a limit. */
#define SQ_FOREVER UINT64_MAX

/**
 * Returns the point in time this many nanoseconds from now. Any thread may call.
 *
 * @return The time; SQ_FOREVER on overflow.
 */
sq_time_t sq_deadline(uint64_t nanoseconds_from_now);

#ifdef __cplusplus
}
#endif
#endif

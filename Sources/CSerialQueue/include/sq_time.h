/* sq_time.h: points in time. */
#ifndef SQ_TIME_H
#define SQ_TIME_H

#include "sq_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A point in time: nanoseconds on CLOCK_MONOTONIC, which no change of the wall clock moves. */
typedef uint64_t sq_time_t;

/* Do not wait. */
#define SQ_NOW ((sq_time_t)0)

/* Wait without limit. */
#define SQ_FOREVER UINT64_MAX

/* The time that many nanoseconds from now; SQ_FOREVER where that is too far to be told. Any thread. */
sq_time_t sq_deadline(uint64_t nanoseconds_from_now);

#ifdef __cplusplus
}
#endif
#endif

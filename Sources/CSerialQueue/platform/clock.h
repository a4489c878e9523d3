/* clock.h: the monotonic clock. */
#ifndef SQ__PLATFORM_CLOCK_H
#define SQ__PLATFORM_CLOCK_H

#include <stdint.h>

/* Nanoseconds on CLOCK_MONOTONIC. */
uint64_t sq__clock_now(void);

#endif

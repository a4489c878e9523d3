/* clock.h: the monotonic clock. */
#ifndef SQ__PLATFORM_CLOCK_H
#define SQ__PLATFORM_CLOCK_H

#include "platform/system.h"

#include <stdint.h>

/* Nanoseconds on CLOCK_MONOTONIC. */
uint64_t sq__clock_now(void);

/* Nanoseconds of processor time that all threads of this process have used. */
uint64_t sq__clock_process_time(void);

#endif

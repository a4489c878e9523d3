/* clock.h: the clocks. */
#pragma once

#include "platform/system.h"

#include <stdint.h>

/* The time so many nanoseconds later; on overflow UINT64_MAX, which never comes. */
static inline uint64_t sq__time_after(uint64_t time, uint64_t nanoseconds) {
    return nanoseconds < UINT64_MAX - time ? time + nanoseconds : UINT64_MAX;
}

/* Nanoseconds on CLOCK_MONOTONIC. */
uint64_t sq__clock_now(void);

/* The processor time that all threads of this process have used, in nanoseconds. */
uint64_t sq__clock_process_time(void);

/* Two other clocks, read one after the other: the time since the machine was started, and the time of day, in nanoseconds. */
void sq__clock_others(uint64_t *since_boot, uint64_t *of_day);

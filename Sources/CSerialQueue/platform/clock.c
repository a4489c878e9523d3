#include "platform/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t sq__clock_now(void) { return read_clock(CLOCK_MONOTONIC); }

uint64_t sq__clock_process_time(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

void sq__clock_others(uint64_t *since_boot, uint64_t *of_day) {
#if SQ__LINUX
    *since_boot = read_clock(CLOCK_BOOTTIME);
#else
    *since_boot = read_clock(CLOCK_MONOTONIC);
#endif
    *of_day = read_clock(CLOCK_REALTIME);
}

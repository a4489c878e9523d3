#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* clock_gettime */
#endif
#include "platform/clock.h"

#include <time.h>

uint64_t sq__clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

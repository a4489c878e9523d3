/* repeat.h: random loads of waits, which run once, or for as long as DEADLOCK_SECONDS says (make check-deadlock). */
#ifndef REPEAT_H
#define REPEAT_H

#include "harness.h"

#include <stdlib.h>
#include <time.h>

/* `run` makes `each` steps in each of its threads, and returns how many calls waited. */
static inline void repeat_load(const char *name, size_t (*run)(size_t each), size_t each) {
    const char *chosen = getenv("DEADLOCK_SECONDS");
    time_t seconds = chosen ? (time_t)strtoul(chosen, NULL, 10) : 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_t end = now.tv_sec + seconds;
    size_t operations = 0;
    do {
        watchdog_watch(name);
        operations += run(each);
        let_threads_end(1);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < end);
    note("%zu waiting calls", operations);
}

#endif

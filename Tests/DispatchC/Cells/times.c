/* times.c: times, by what is known of their values. */
#include "cells.h"
#include <time.h>

static const char *about(dispatch_time_t time, dispatch_time_t now) {
    int64_t delta = (int64_t)(time - now);
    return time == DISPATCH_TIME_FOREVER ? "forever" : delta < 0 ? "before" : delta < 1000000000ll ? "now" : "later";
}

CELL("time/monotonic", monotonic) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    dispatch_time_t now = (dispatch_time_t)time.tv_sec * 1000000000ull + (dispatch_time_t)time.tv_nsec;
    note("%s", about(dispatch_time(DISPATCH_TIME_NOW, 0), now));
    note("%s", about(dispatch_time(DISPATCH_TIME_NOW, 5000000000ll), now));
    note("%s", about(dispatch_time(DISPATCH_TIME_NOW, -5000000000ll), now));
}

CELL("time/exact", exact) {
    int64_t deltas[] = { 0, 1, 5, -1, -5, -1000, 1000, INT64_MAX, INT64_MIN, INT64_MAX / 2, INT64_MAX / 2 - 2000, INT64_MAX / 4, -(INT64_MAX / 2) };
    dispatch_time_t starts[] = { 1, 2, 1000, 1ull << 40, (1ull << 62) - 2, 1ull << 62, ~0ull };
    for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s += 1) {
        for (size_t d = 0; d < sizeof deltas / sizeof deltas[0]; d += 2) {
            note("%llx", (unsigned long long)dispatch_time(starts[s], deltas[d]));
        }
    }
}

CELL("time/exact-rest", exact_rest) {
    int64_t deltas[] = { 1, -1, -1000, INT64_MAX, INT64_MAX / 2, INT64_MAX / 4 };
    dispatch_time_t starts[] = { 1, 2, 1000, 1ull << 40, (1ull << 62) - 2, 1ull << 62, ~0ull };
    for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s += 1) {
        for (size_t d = 0; d < sizeof deltas / sizeof deltas[0]; d += 1) {
            note("%llx", (unsigned long long)dispatch_time(starts[s], deltas[d]));
        }
    }
}

CELL("time/overflow-from-now", overflow_from_now) {
    note("%llx", (unsigned long long)dispatch_time(DISPATCH_TIME_NOW, INT64_MAX));
    note("%llx", (unsigned long long)dispatch_time(DISPATCH_TIME_NOW, INT64_MIN));
    note("%llx", (unsigned long long)dispatch_time(DISPATCH_TIME_NOW, INT64_MAX / 2));
    note("%llx", (unsigned long long)dispatch_time(DISPATCH_WALLTIME_NOW, INT64_MAX));
    note("%llx", (unsigned long long)dispatch_time(DISPATCH_WALLTIME_NOW, INT64_MIN));
}

CELL("time/wall", wall) {
    struct timespec when = { 1000000000, 5 };
    note("%llx", (unsigned long long)dispatch_walltime(&when, 0));
    note("%llx", (unsigned long long)dispatch_walltime(&when, 7));
    note("%llx", (unsigned long long)dispatch_walltime(&when, -1000000000000000000ll));
    note("%llx", (unsigned long long)dispatch_walltime(&when, INT64_MIN));
    note("%llx", (unsigned long long)dispatch_walltime(&when, INT64_MAX));
    dispatch_time_t time = dispatch_walltime(&when, 0);
    note("%llx", (unsigned long long)dispatch_time(time, 9));
    note("%llx", (unsigned long long)dispatch_time(time, -9));
    note("%llx", (unsigned long long)dispatch_time(time, INT64_MIN));
    note("%llx", (unsigned long long)dispatch_time(time, INT64_MAX));
    note("%llx", (unsigned long long)dispatch_time(time, -1000000000000000005ll));
    struct timespec zero = { 0, 0 };
    note("%llx", (unsigned long long)dispatch_walltime(&zero, 0));
    note("%llx", (unsigned long long)dispatch_walltime(&zero, 1));
    note("%llx", (unsigned long long)dispatch_walltime(&zero, 2));
    note("%llx", (unsigned long long)dispatch_walltime(&zero, -2));
}

CELL("time/waits", waits) {
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
    struct timespec past = { 1000, 0 };
    note("%ld", (long)dispatch_semaphore_wait(semaphore, dispatch_walltime(&past, 0)));
    note("%ld", (long)dispatch_semaphore_wait(semaphore, 1));
    note("%ld", (long)dispatch_semaphore_wait(semaphore, dispatch_time(DISPATCH_TIME_NOW, -5)));
    dispatch_time_t before = dispatch_time(DISPATCH_TIME_NOW, 0);
    note("%ld", (long)dispatch_semaphore_wait(semaphore, dispatch_time(DISPATCH_WALLTIME_NOW, 20000000)));
    note("%d", dispatch_time(DISPATCH_TIME_NOW, 0) - before >= 19000000);
    dispatch_release(semaphore);
}

CELL("time/after-forever", after_forever) {
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    dispatch_after_f(DISPATCH_TIME_FOREVER, queue, "never", note_word);
    drain(queue);
    usleep(2000);
    drain(queue);
    dispatch_release(queue);
}

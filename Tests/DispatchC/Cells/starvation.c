/* starvation.c: whether a queue gets a thread while others keep theirs. */
#include "cells.h"
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static long computing;         /* how many tasks */
static atomic_long begun;      /* of them */
static atomic_bool other_ran;
static atomic_bool was_starved;
static dispatch_queue_t other;
static dispatch_group_t all;
static time_t limit;           /* ends a hang */

static time_t seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void run_other(void *unused) {
    (void)unused;
    atomic_store(&other_ran, 1);
}

/* The last one that begins submits the other queue's task. All of them compute until it has run. */
static void compute(void *unused) {
    (void)unused;
    if (atomic_fetch_add(&begun, 1) + 1 == computing) {
        dispatch_group_async_f(all, other, NULL, run_other);
    }
    while (!atomic_load(&other_ran)) {
        if (seconds() > limit) {
            atomic_store(&was_starved, 1);
            return;
        }
    }
}

/* Alone, because the pool of ours has more threads for a while after a cell that blocked. To see it pass: give `other` another class. */
CELL_ALONE("queue/serial-while-others-compute", serial_while_others_compute) {
    computing = sysconf(_SC_NPROCESSORS_ONLN);
    limit = seconds() + 10;
    all = dispatch_group_create();
    other = dispatch_queue_create("other", NULL);
    for (long i = 0; i < computing; i += 1) {
        dispatch_queue_t queue = dispatch_queue_create("compute", NULL);
        dispatch_group_async_f(all, queue, NULL, compute);
        dispatch_release(queue);
    }
    must_all(all);
    note(atomic_load(&was_starved) ? "starved" : "ran");
    dispatch_release(other);
    dispatch_release(all);
}

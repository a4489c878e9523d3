/* stall_watcher.h: a watcher that copies each stall that it gets. Everything is static: a program has what it uses. */
#ifndef STALL_WATCHER_H
#define STALL_WATCHER_H

#include "caller.h"

enum { SHORT = 2000000 };
#define HOURS (3600ull * 1000000000u)

/* Each stall is copied; if a hold caused it, the hold is released. */
typedef struct stall_watcher {
    latch_t calls, discarded;
    sq_stall_t last[8];
    char labels[8][128], waits_for[8][256];
    bool running_only; /* ignores tasks that wait to be begun: on a busy machine they may wait for long */
} stall_watcher_t;

#define STALL_WATCHER_INIT { .calls = LATCH_INIT, .discarded = LATCH_INIT }
#define STALL_WATCHER_OF_RUNNING_INIT { .calls = LATCH_INIT, .discarded = LATCH_INIT, .running_only = true }

static inline void copy_stall(void *context, const sq_stall_t *stall) {
    stall_watcher_t *ward = context;
    if (ward->running_only && stall->kind != SQ_STALL_RUNNING) {
        return;
    }
    size_t i = ward->calls.value % 8; /* a plain read: only one thread calls watchers */
    ward->last[i] = *stall;
    snprintf(ward->labels[i], sizeof ward->labels[i], "%s", stall->label);
    snprintf(ward->waits_for[i], sizeof ward->waits_for[i], "%s", stall->waits_for);
    latch_bump(&ward->calls);
}

static inline void count_discard(void *context) { latch_bump(&((stall_watcher_t *)context)->discarded); }

static inline sq_watcher_t watcher_of(stall_watcher_t *ward) { return (sq_watcher_t){ copy_stall, ward, count_discard }; }

static inline void watch(sq_queue_t *queue, stall_watcher_t *ward, uint64_t threshold) {
    const sq_watcher_t watcher = watcher_of(ward);
    CHECK_EQUAL(sq_queue_watch(queue, threshold, &watcher), 0);
}

/* Returns when the library has watched all queues for `threshold` after the call: it makes another queue stall, watches it with the same
 * threshold, and waits for the report. */
static inline void wait_for_looks(uint64_t threshold) {
    sq_queue_t *stalled = make_queue_of("stalled on purpose", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    CHECK_EQUAL(sq_suspend(stalled), 0);
    CHECK_EQUAL(sq_async(stalled, do_nothing, NULL), 0);
    watch(stalled, &ward, threshold);
    latch_wait(&ward.calls, 1);
    CHECK_EQUAL(sq_resume(stalled), 0);
    drain(stalled);
    sq_queue_release(stalled);
    latch_wait(&ward.discarded, 1);
}

/* A task that runs until it may leave. */
typedef struct runner {
    atomic_int thread_id;
    latch_t entered, leave;
} runner_t;

static inline void run_long(void *context) {
    runner_t *runner = context;
    runner->thread_id = gettid();
    latch_bump(&runner->entered);
    latch_wait(&runner->leave, 1);
}

#endif

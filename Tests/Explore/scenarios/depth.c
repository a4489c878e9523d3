/* depth.c: the depth that a queue reports while tasks come and go. */
#include "scenario.h"

#include "memory/blocks.h"

enum { TASKS = 8 };

static void nothing(void *unused) { (void)unused; }

static int left, looks;

/* Each task submits the next one while it runs, and the last one stays: the queue is never free, its ring keeps advancing, and
 * at most one task waits. */
static void next_of_chain(void *unused) {
    (void)unused;
    if (left > 0) {
        left -= 1;
        sq_async(stage_queues[0], next_of_chain, NULL);
    } else {
        ex_gate_pass(0);
    }
}

static void look_at_chain(void *unused) {
    (void)unused;
    for (int i = 0; i < looks; i += 1) {
        size_t depth = sq_queue_depth(stage_queues[0]);
        if (depth > 1) {
            ex_fail("depth: %zu, where at most one task waits", depth);
        }
        ex_point();
    }
    ex_gate_open(0);
}

static void chain_main(void *unused) {
    (void)unused;
    stage_begin(&(expectation_t){ 0 }, 1);
    int looker = ex_start(look_at_chain, NULL, false);
    sq_sync(stage_queues[0], next_of_chain, NULL); /* the hand-off slot, which is counted apart, stays out of it */
    ex_join(looker);
    sq_queue_release(stage_queues[0]);
}

static void count_at_rest(void) {
    sq_queue_t *queue = stage_queues[0];
    for (int round = 0; round < 2; round += 1) {
        sq_suspend(queue);
        for (size_t depth = 0; depth <= TASKS; depth += 1) {
            if (sq_queue_depth(queue) != depth) {
                ex_fail("depth: %zu at rest, not %zu", sq_queue_depth(queue), depth);
            }
            sq_async(queue, nothing, NULL);
        }
        sq_resume(queue);
        sq_sync(queue, nothing, NULL);
    }
    sq_queue_release(queue);
}

static void open_next(void *unused) {
    (void)unused;
    ex_gate_open(1);
}

static void submit_first(void *unused) { sq_async(stage_queues[0], open_next, unused); }

static void submit_second(void *unused) {
    ex_gate_pass(1);
    sq_async(stage_queues[0], nothing, unused);
}

static void look_once(void *unused) {
    (void)unused;
    size_t depth = sq_queue_depth(stage_queues[0]);
    if (depth > 1) {
        ex_fail("depth: %zu, where at most one task waits", depth);
    }
}

static void look_for_two(void *unused) {
    ex_gate_pass(1);
    look_once(unused);
}

/* The second task is submitted once the first one runs: it may come while the runner gives the queue back, which then keeps its ring. */
static void given_back_main(void *unused) {
    stage_begin(&(expectation_t){ 0 }, 1);
    int submitter = ex_start(submit_second, NULL, false), looker = ex_start(look_for_two, NULL, false);
    sq_sync(stage_queues[0], submit_first, unused);
    ex_join(submitter);
    ex_join(looker);
    sq_queue_release(stage_queues[0]);
}

/* In each round a task waits in the hand-off slot, if the queue is free, and then another one in the ring: never two of them. */
static void end_round(void *unused) {
    (void)unused;
    ex_gate_open(left);
}

static void submit_end(void *unused) { sq_async(stage_queues[0], end_round, unused); }

static void look_often(void *unused) {
    for (int i = 0; i < looks; i += 1) {
        look_once(unused);
        ex_point();
    }
}

static void handoff_main(void *unused) {
    stage_begin(&(expectation_t){ 0 }, 1);
    int looker = ex_start(look_often, NULL, false);
    for (; left > 0; left -= 1) {
        sq_async(stage_queues[0], submit_end, unused);
        ex_gate_pass(left);
    }
    sq_async(stage_queues[0], nothing, unused);
    ex_join(looker);
    sq_queue_release(stage_queues[0]);
}

static void kept_main(void *unused) {
    stage_begin(&(expectation_t){ 0 }, 1);
    int submitter = ex_start(submit_second, NULL, false);
    sq_sync(stage_queues[0], submit_first, unused);
    ex_join(submitter);
    sq_sync(stage_queues[0], nothing, NULL);
    count_at_rest();
}

static void rest_main(void *unused) {
    (void)unused;
    stage_begin(&(expectation_t){ 0 }, 1);
    count_at_rest();
}

static void submit_two(void *unused) {
    sq_async(stage_queues[0], nothing, unused);
    sq_async(stage_queues[0], nothing, unused);
}

/* On a pool a free queue gives its ring away; where a task comes in that moment, it keeps it. */
static void rest_on_pool_main(void *unused) {
    stage_begin(&(expectation_t){ .pool = { POOL_FIXED, 1 } }, 1);
    int other = ex_start(submit_two, NULL, false);
    submit_two(unused);
    ex_join(other);
    sq_sync(stage_queues[0], nothing, NULL);
    count_at_rest();
    stage_release_pool();
}

static void must_not_run(void *unused) {
    (void)unused;
    ex_fail("depth: a task of a suspended queue runs");
}

static void sync_until(void *unused) {
    (void)unused;
    if (sq_sync_until(stage_queues[0], stage_soon(), must_not_run, NULL) == 0) {
        ex_fail("depth: a sync on a suspended queue returned 0");
    }
}

/* A thread may have withdrawn without having counted itself: nothing waits in a queue that has ended all the same. */
static void ended_main(void *unused) {
    (void)unused;
    stage_begin(&(expectation_t){ 0 }, 1);
    sq_suspend(stage_queues[0]);
    int waiter = ex_start(sync_until, NULL, false);
    sq_shutdown(stage_queues[0], SQ_SHUTDOWN_DISCARD, SQ_FOREVER);
    if (sq_queue_depth(stage_queues[0]) != 0) {
        ex_fail("depth: %zu after the end", sq_queue_depth(stage_queues[0]));
    }
    ex_join(waiter);
    sq_queue_release(stage_queues[0]);
}

static void run(void (*body)(void *)) {
    ex_start(body, NULL, false);
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    stage_end();
}

static void run_long(void (*body)(void *), int length, int of_looks) {
    left = length;
    looks = of_looks;
    run(body);
}

static void chain(void) { run_long(chain_main, TASKS, 3); }
static void next_segment(void) { run_long(chain_main, SQ__SEGMENT_SLOTS + 1, 1); }
static void handoff(void) { run_long(handoff_main, 1, 1); }
static void handoffs(void) { run_long(handoff_main, 3, 4); }
static void given_back(void) { run(given_back_main); }
static void kept(void) { run(kept_main); }
static void rest(void) { run(rest_main); }
static void rest_on_pool(void) { run(rest_on_pool_main); }
static void ended(void) { run(ended_main); }

const scenario_t depth_scenarios[] = {
    { "depth_chain", "the depth is never too high by a segment while the ring advances", .body = chain },
    { "depth_next_segment", "the same, so short that all schedules can be run", .body = next_segment },
    { "depth_given_back", "the same while the runner gives the queue back, or finds that it must keep it", .body = given_back },
    { "depth_handoff", "the same while tasks wait in the hand-off slot and in the ring by turns", .body = handoff },
    { "depth_handoffs", "the same, in more rounds", .body = handoffs },
    { "depth_kept", "the depth is exact again after a queue could not be given back", .body = kept },
    { "depth_rest", "the depth is exact while nothing moves", .body = rest },
    { "depth_rest_pool", "the same on a pool, whose free queues have no ring", .body = rest_on_pool },
    { "depth_ended", "a queue that has ended has no depth, although a thread that withdrew has not counted itself", .body = ended },
    { 0 },
};

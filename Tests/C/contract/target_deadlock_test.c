/* target_deadlock_test.c: waits for a queue that would hold up its own target. */
#include "caller.h"
#include "latch.h"
#include "target.h"

#include "sq_barrier.h"
#include "sq_current.h"
#include "sq_shutdown.h"

typedef struct nested {
    sq_queue_t *queue;
    int error, until;
    const char *report;
} nested_t;

/* Not in the thread's name, which may be the target's. */
static void check_report(const sq_queue_t *queue) {
    CHECK(strstr(sq_deadlock_report(), "queue \"child\"") != NULL);
    CHECK(sq_current_queue() == queue || strstr(sq_deadlock_report(), "queue \"target\"") != NULL);
}

static void sync_inside(void *context) {
    nested_t *nested = context;
    nested->error = sq_sync(nested->queue, do_nothing, NULL);
    check_report(nested->queue);
    nested->until = sq_run_and_wait(nested->queue, SQ_FOREVER, do_nothing, NULL);
    check_report(nested->queue);
}

TEST(a_wait_for_a_queue_in_a_task_of_its_target_is_refused) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target), *sibling = make("sibling", target);
    nested_t nested = { .queue = child };
    sq_queue_t *const from[] = { target, sibling, child };
    for (int i = 0; i < 3; i += 1) {
        nested.error = nested.until = 0;
        CHECK_EQUAL(sq_async_and_wait(from[i], SQ_FOREVER, sync_inside, &nested), 0);
        CHECK(nested.error == EDEADLK && nested.until == EDEADLK);
        CHECK_EQUAL(sq_async(from[i], sync_inside, &nested), 0);
        drain(from[i]);
    }
    sq_queue_release(target);
    sq_queue_release(child);
    sq_queue_release(sibling);
}

typedef struct cycle {
    sq_queue_t *child, *other;
    latch_t in_target, in_other;
    int errors[2];
    atomic_int thread_id; /* of the task that waits */
} cycle_t;

static void from_target(void *context) {
    cycle_t *cycle = context;
    latch_bump(&cycle->in_target);
    latch_wait(&cycle->in_other, 1);
    cycle->errors[0] = sq_sync(cycle->other, do_nothing, NULL);
}

static void from_other(void *context) {
    cycle_t *cycle = context;
    latch_bump(&cycle->in_other);
    latch_wait(&cycle->in_target, 1);
    cycle->errors[1] = sq_sync(cycle->child, do_nothing, NULL);
}

/* The child is busy: the cycle goes through its tasks, which wait for the target. */
TEST(a_cycle_through_a_target_is_found) {
    sq_queue_t *target = make("target", NULL);
    cycle_t cycle = { .child = make("child", target), .other = make("other", NULL), .in_target = LATCH_INIT, .in_other = LATCH_INIT };
    CHECK_EQUAL(sq_async(target, from_target, &cycle), 0);
    CHECK_EQUAL(sq_async(cycle.child, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async(cycle.other, from_other, &cycle), 0);
    drain(target);
    drain(cycle.other);
    CHECK_EQUAL(cycle.errors[0] + cycle.errors[1], EDEADLK);
    sq_queue_release(target);
    sq_queue_release(cycle.child);
    sq_queue_release(cycle.other);
}

/* Concurrent targets */

typedef struct inside {
    sq_queue_t *target, *queue;
    latch_t entered;
    int refused;
    int errors[2];
    atomic_int thread_id; /* of the task that waits */
} inside_t;

static void sync_behind_own_task(void *context) {
    inside_t *inside = context;
    CHECK_EQUAL(sq_async(inside->queue, do_nothing, NULL), 0);
    inside->errors[0] = sq_sync(inside->queue, do_nothing, NULL);
    inside->errors[1] = sq_run_and_wait(inside->queue, SQ_FOREVER, do_nothing, NULL);
}

TEST(a_sync_in_a_barrier_of_the_target_is_refused) {
    inside_t inside = { .target = make_wide(4) };
    inside.queue = make("child", inside.target);
    CHECK_EQUAL(sq_sync_barrier(inside.target, sync_behind_own_task, &inside), 0);
    CHECK(inside.errors[0] == EDEADLK && inside.errors[1] == EDEADLK);
    CHECK_EQUAL(sq_async_barrier(inside.target, sync_behind_own_task, &inside), 0);
    CHECK_EQUAL(sq_sync_barrier(inside.target, do_nothing, NULL), 0);
    CHECK(inside.errors[0] == EDEADLK && inside.errors[1] == EDEADLK);
    sq_queue_release(inside.target);
    sq_queue_release(inside.queue);
}

static void sync_at_full_width(void *context) {
    inside_t *inside = context;
    latch_bump(&inside->entered);
    latch_wait(&inside->entered, 2);
    CHECK_EQUAL(sq_async(inside->queue, do_nothing, NULL), 0);
    latch_bump(&inside->entered);
    latch_wait(&inside->entered, 4);
    int error = sq_sync(inside->queue, do_nothing, NULL);
    CHECK(error == 0 || error == EDEADLK); /* 0: the other one has made room */
    __atomic_fetch_add(&inside->refused, error != 0, __ATOMIC_RELAXED);
}

TEST(a_task_does_not_wait_for_a_queue_that_it_may_keep_out_by_the_width) {
    inside_t inside = { .target = make_wide(2), .entered = LATCH_INIT };
    inside.queue = make("child", inside.target);
    CHECK_EQUAL(sq_async(inside.target, sync_at_full_width, &inside), 0);
    CHECK_EQUAL(sq_async(inside.target, sync_at_full_width, &inside), 0);
    CHECK_EQUAL(sq_sync_barrier(inside.target, do_nothing, NULL), 0);
    CHECK(inside.refused > 0);
    CHECK_EQUAL(sq_sync(inside.queue, do_nothing, NULL), 0);
    sq_queue_release(inside.target);
    sq_queue_release(inside.queue);
}

static void sync_onto_free(void *context) {
    inside_t *inside = context;
    size_t count = 0;
    inside->errors[0] = sq_sync(inside->queue, add_one, &count);
    CHECK_EQUAL(count, 1);
}

TEST(a_reader_of_the_target_takes_a_free_queue) {
    for (size_t width = 2; width != 0; width = width == 2 ? SQ_WIDTH_POOL : 0) {
        inside_t inside = { .target = make_wide(width) };
        inside.queue = make("child", inside.target);
        CHECK_EQUAL(sq_async(inside.target, sync_onto_free, &inside), 0);
        CHECK_EQUAL(sq_sync_barrier(inside.target, do_nothing, NULL), 0);
        CHECK_EQUAL(inside.errors[0], 0);
        CHECK_EQUAL(sq_sync(inside.target, sync_onto_free, &inside), 0);
        CHECK_EQUAL(inside.errors[0], 0);
        sq_queue_release(inside.target);
        sq_queue_release(inside.queue);
    }
}

static void sync_onto_busy(void *context) {
    inside_t *inside = context;
    inside->thread_id = gettid();
    latch_bump(&inside->entered);
    inside->errors[0] = sq_sync(inside->queue, do_nothing, NULL);
    latch_bump(&inside->entered);
}

/* No false alarm: the task of the queue runs next to this one. */
TEST(a_reader_of_a_wide_target_waits_for_a_busy_queue) {
    inside_t inside = { .target = make_wide(SQ_WIDTH_POOL), .entered = LATCH_INIT };
    inside.queue = make("child", inside.target);
    hold_t hold = HOLD_INIT;
    hold_async(&hold, inside.queue);
    CHECK_EQUAL(sq_async(inside.target, sync_onto_busy, &inside), 0);
    latch_wait(&inside.entered, 1);
    wait_for_depth(inside.queue, 1);
    wait_until_asleep(&inside.thread_id);
    hold_end(&hold);
    latch_wait(&inside.entered, 2); /* until it has its turn, a barrier of the target counts as in front of it (wait/edge.c) */
    CHECK_EQUAL(sq_sync_barrier(inside.target, do_nothing, NULL), 0);
    CHECK_EQUAL(inside.errors[0], 0);
    sq_queue_release(inside.target);
    sq_queue_release(inside.queue);
}

static void sync_behind_barrier(void *context) {
    inside_t *inside = context;
    CHECK_EQUAL(sq_async_barrier(inside->target, do_nothing, NULL), 0);
    sync_behind_own_task(inside);
    latch_bump(&inside->entered);
}

TEST(a_reader_does_not_wait_for_a_queue_behind_a_barrier_that_waits_for_the_reader) {
    inside_t inside = { .target = make_wide(SQ_WIDTH_POOL), .entered = LATCH_INIT };
    inside.queue = make("child", inside.target);
    CHECK_EQUAL(sq_async(inside.target, sync_behind_barrier, &inside), 0);
    latch_wait(&inside.entered, 1);
    CHECK(inside.errors[0] == EDEADLK && inside.errors[1] == EDEADLK);
    CHECK_EQUAL(sq_sync(inside.queue, do_nothing, NULL), 0);
    sq_queue_release(inside.target);
    sq_queue_release(inside.queue);
}

static void sync_in_closed(void *context) {
    inside_t *inside = context;
    CHECK_EQUAL(sq_shutdown(inside->target, SQ_SHUTDOWN_DRAIN, SQ_NOW), EDEADLK);
    sync_behind_own_task(inside);
}

/* What the queue submits now runs after the end of the target, which waits for this task. */
TEST(a_reader_of_a_target_that_was_shut_down_does_not_wait_for_its_end) {
    inside_t inside = { .target = make_wide(SQ_WIDTH_POOL) };
    inside.queue = make("child", inside.target);
    CHECK_EQUAL(sq_async(inside.target, sync_in_closed, &inside), 0);
    CHECK_EQUAL(sq_shutdown(inside.target, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK(inside.errors[0] == EDEADLK && inside.errors[1] == EDEADLK);
    sq_queue_release(inside.target);
    sq_queue_release(inside.queue);
}

/* After its end the queues of a concurrent target run one at a time. */
TEST(after_the_end_of_a_concurrent_target_a_sync_between_its_queues_is_refused) {
    inside_t inside = { .target = make_wide(4) };
    sq_queue_t *sibling = make("sibling", inside.target);
    inside.queue = make("child", inside.target);
    CHECK_EQUAL(sq_shutdown(inside.target, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_async(sibling, sync_behind_own_task, &inside), 0);
    drain(sibling);
    CHECK(inside.errors[0] == EDEADLK && inside.errors[1] == EDEADLK);
    sq_queue_release(inside.target);
    sq_queue_release(inside.queue);
    sq_queue_release(sibling);
}

/* The child is on the middle, which is on a concurrent queue: the cycle goes through the middle. */
TEST(a_cycle_through_a_queue_between_a_queue_and_its_concurrent_target_is_found) {
    sq_queue_t *target = make_wide(SQ_WIDTH_POOL), *middle = make("middle", target);
    cycle_t cycle = { .child = make("child", middle), .other = make("other", NULL), .in_target = LATCH_INIT, .in_other = LATCH_INIT };
    CHECK_EQUAL(sq_async(middle, from_target, &cycle), 0);
    CHECK_EQUAL(sq_async(cycle.child, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async(cycle.other, from_other, &cycle), 0);
    drain(middle);
    drain(cycle.other);
    CHECK_EQUAL(cycle.errors[0] + cycle.errors[1], EDEADLK);
    sq_queue_release(target);
    sq_queue_release(middle);
    sq_queue_release(cycle.child);
    sq_queue_release(cycle.other);
}

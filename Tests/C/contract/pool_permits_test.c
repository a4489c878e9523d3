/* pool_permits_test.c: what waits on a thread of a pool lends its permit, so that what it waits for can run there. */
#include "caller.h"
#include "sq_pool.h"
#include "pools.h"

typedef struct nest {
    sq_queue_t *queues[8];
    size_t count, deepest;
    way_t way;
} nest_t;

static void go_in(void *context) {
    nest_t *nest = context;
    size_t depth = ++nest->deepest;
    if (depth < nest->count) {
        int error = wait_by(nest->way, nest->queues[depth], SQ_FOREVER, go_in, nest);
        CHECK_EQUAL(error, 0);
    }
}

TEST(tasks_on_a_pool_of_one_thread_can_wait_for_tasks_on_it) {
    sq_pool_t *pool = make_pool(1);
    nest_t nest = { .count = 8, .way = BY_CALL };
    for (size_t i = 0; i < 8; i += 1) {
        nest.queues[i] = queue_on(pool, "nested", 0);
    }
    CHECK_EQUAL(sq_async(nest.queues[0], go_in, &nest), 0);
    drain(nest.queues[0]);
    CHECK_EQUAL(nest.deepest, 8);
    /* regression: members that came for the lent permits stayed. Three threads may be left: one member, the one for alarms (it checks the
     * pool's growth), and this one. */
    let_threads_end(3);
    CHECK_AT_MOST(threads_alive(), 3);
    for (size_t i = 0; i < 8; i += 1) {
        sq_queue_release(nest.queues[i]);
    }
    sq_pool_release(pool);
}

typedef struct farewell {
    sq_queue_t *other;
    latch_t said;
} farewell_t;

static void never_called(void *context, const sq_stall_t *stall) {
    (void)context;
    (void)stall;
}

static void say_farewell(void *context) {
    farewell_t *farewell = context;
    CHECK_EQUAL(sq_run_and_wait(farewell->other, FAR, do_nothing, NULL), 0);
    latch_bump(&farewell->said);
}

/* The discard function is called on the pool's thread, outside of any task. */
TEST(the_discard_of_a_watcher_on_a_pool_of_one_thread_can_wait_for_a_task_on_it) {
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *queue = queue_on(pool, "watched", 0);
    farewell_t farewell = { queue_on(pool, "other", 0), LATCH_INIT };
    const sq_watcher_t watcher = { never_called, &farewell, say_farewell };
    hold_t hold;
    CHECK_EQUAL(sq_queue_watch(queue, SQ_FOREVER, &watcher), 0);
    hold_async(&hold, queue);
    sq_queue_release(queue);
    hold_end(&hold);
    latch_wait(&farewell.said, 1);
    sq_queue_release(farewell.other);
    sq_pool_release(pool);
}

/* The queue is next, but no thread can run it yet. */
TEST(a_call_on_a_free_queue_of_a_pool_that_is_busy_ends_at_its_deadline) {
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *busy = queue_on(pool, "busy", 0), *idle = queue_on(pool, "idle", 0);
    hold_t hold;
    hold_async(&hold, busy);
    CHECK_EQUAL(sq_run_and_wait(idle, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    hold_end(&hold);
    CHECK_EQUAL(sq_run_and_wait(idle, SQ_FOREVER, do_nothing, NULL), 0);
    sq_queue_release(busy);
    sq_queue_release(idle);
    sq_pool_release(pool);
}

static void close_the_circle(void *context) {
    nest_t *nest = context;
    CHECK_EQUAL(sq_sync(nest->queues[0], must_not_run, NULL), EDEADLK);
    nest->deepest += 1;
}

static void begin_the_circle(void *context) {
    nest_t *nest = context;
    CHECK_EQUAL(sq_run_and_wait(nest->queues[1], SQ_FOREVER, close_the_circle, nest), 0);
}

TEST(a_cycle_of_tasks_on_a_pool_is_reported) {
    sq_pool_t *pool = make_pool(1);
    nest_t nest = { .queues = { queue_on(pool, "left", 0), queue_on(pool, "right", 0) } };
    CHECK_EQUAL(sq_async(nest.queues[0], begin_the_circle, &nest), 0);
    drain(nest.queues[0]);
    CHECK_EQUAL(nest.deepest, 1);
    sq_queue_release(nest.queues[0]);
    sq_queue_release(nest.queues[1]);
    sq_pool_release(pool);
}

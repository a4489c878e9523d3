/* advice_test.c: what a report of a deadlock advises fits the wait that was refused; a dump and a stall say that no thread runs a loop. */
#include "caller.h"
#include "dump.h"
#include "loop.h"
#include "stall_watcher.h"

#include "sq_deferred.h"
#include "sq_group.h"
#include "sq_shutdown.h"
#include "sq_timer.h"

static bool advises(const char *words) {
    bool holds = strstr(sq_deadlock_report(), words) != NULL;
    if (!holds) {
        note("%s", sq_deadlock_report());
    }
    return holds;
}

static void sync_onto_own(void *queue) {
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), EDEADLK);
    CHECK(advises("Use async, or sq_sync_or_run"));
}

/* Its queue is full by then. */
static void wait_for_room(void *queue) {
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &(sq_task_t){ .run = do_nothing }), EDEADLK);
    CHECK(advises("sq_async, which returns EAGAIN"));
}

static void shut_own_down(void *queue) {
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), EDEADLK);
    CHECK(advises("let another thread wait"));
    CHECK(strstr(sq_deadlock_report(), "syncOrRun") == NULL);
}

static sq_timer_t *timer;
static latch_t fired = LATCH_INIT;

static void cancel_own(void *unused) {
    (void)unused;
    CHECK_EQUAL(sq_timer_cancel_and_wait(timer, SQ_FOREVER), EDEADLK);
    CHECK(advises("Use sq_timer_cancel,"));
    latch_bump(&fired);
}

TEST(the_advice_fits_the_wait_for_the_own_queue) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.capacity = 1;
    sq_queue_t *queue = sq_queue_create("own", &options);
    REQUIRE(queue != NULL);
    CHECK_EQUAL(sq_sync(queue, sync_onto_own, queue), 0);
    timer = sq_timer_create(queue, &(sq_task_t){ .run = cancel_own });
    CHECK_EQUAL(sq_timer_start(timer, 1, 0, 0), 0);
    latch_wait(&fired, 1);
    sq_timer_release(timer);
    CHECK_EQUAL(sq_sync(queue, wait_for_room, queue), 0);
    CHECK_EQUAL(sq_sync(queue, shut_own_down, queue), 0);
    sq_queue_release(queue);
}

typedef struct ring {
    sq_queue_t *queue;
    sq_group_t *group;
} ring_t;

static void wait_for_member_behind(void *context) {
    ring_t *ring = context;
    CHECK_EQUAL(sq_group_async(ring->group, ring->queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_group_wait(ring->group, SQ_FOREVER), EDEADLK);
    CHECK(advises("let a notification (of a group or item) do what comes after it"));
    CHECK(strstr(sq_deadlock_report(), "same order") == NULL);
}

TEST(the_advice_for_a_cycle_of_groups_is_not_an_order_of_queues) {
    ring_t ring = { make_queue_of("ring", 0), sq_group_create("members") };
    CHECK_EQUAL(sq_sync(ring.queue, wait_for_member_behind, &ring), 0);
    CHECK_EQUAL(sq_group_wait(ring.group, SQ_FOREVER), 0);
    sq_group_release(ring.group);
    drain(ring.queue);
    sq_queue_release(ring.queue);
}

static void *run_once(void *pool) {
    size_t ran = sq_pool_run_some(pool, 1, SQ_NOW);
    CHECK(ran <= 1);
    return NULL;
}

static void check_unowned(sq_queue_t *queue) {
    stall_watcher_t ward = STALL_WATCHER_INIT;
    const char *text = dump_now();
    CHECK_LINE(text, "queue \"settings\" 0x", ": 1 waiting", "no thread runs its loop");
    CHECK_LINE(text, "pool \"loop\": a loop that no thread runs", NULL, NULL);
    watch(queue, &ward, 1000000);
    latch_wait(&ward.calls, 1);
    CHECK_EQUAL(ward.last[0].kind, SQ_STALL_WAITING);
    CHECK(ward.last[0].unowned);
    CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
    latch_wait(&ward.discarded, 1);
}

TEST(a_loop_that_no_thread_runs_is_named_as_the_cause) {
    sq_pool_t *pool = sq_pool_create_loop("loop");
    sq_queue_t *queue = queue_on(pool, "settings", 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    check_unowned(queue);
    join(spawn(run_once, pool)); /* becomes the owner, and ends */
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    check_unowned(queue);
    CHECK_EQUAL(sq_pool_run_some(pool, 1, SQ_NOW), 1);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    const char *text = dump_now();
    CHECK(!has_line(text, "no thread runs", NULL, NULL));
    CHECK_LINE(text, "pool \"loop\": a loop, 1 queues ready", NULL, NULL);
    run_until(pool, 1);
    drain(queue);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* concurrent_timer_test.c: waits for a timer of a concurrent queue. They need its handler, which runs as a reader, and nothing else. */
#include "alarm/alarm_manual.h"
#include "concurrent.h"

#include "pool/pool.h"
#include "sq_timer.h"

typedef struct firing {
    sq_queue_t *queue, *serial;
    sq_timer_t *timer;
    stay_t handler; /* the handler runs, and stays */
    atomic_int thread_id;
    int from_waiter, from_handler;
    char report[1024];
} firing_t;

static void begin(firing_t *firing, sq_function_t handler) {
    *firing = (firing_t){ .queue = make_concurrent(2, SQ_WIDTH_POOL), .serial = sq_queue_create("serial", NULL), .handler = STAY_INIT,
                          .from_waiter = -1, .from_handler = -1 };
    firing->timer = sq_timer_create(firing->queue, &(sq_task_t){ handler, firing, NULL });
    REQUIRE(firing->timer != NULL);
    CHECK_EQUAL(sq_timer_start(firing->timer, 0, 0, 0), 0);
    latch_wait(&firing->handler.entered, 1);
}

static void end(firing_t *firing) {
    CHECK_EQUAL(sq_sync_barrier(firing->queue, do_nothing, NULL), 0);
    sq_timer_release(firing->timer);
    sq_queue_release(firing->queue);
    sq_queue_release(firing->serial);
}

static void stay_in_handler(void *context) { stay(&((firing_t *)context)->handler); }

static void keep_report(firing_t *firing, int error) {
    if (error) {
        snprintf(firing->report, sizeof firing->report, "%s", sq_deadlock_report());
    }
}

static void cancel_and_wait(void *context) {
    firing_t *firing = context;
    firing->thread_id = gettid();
    firing->from_waiter = sq_timer_cancel_and_wait(firing->timer, SQ_FOREVER);
    keep_report(firing, firing->from_waiter);
}

/* Behind the waiter comes a barrier: an async one, or one of a thread, which is a wait of its own in the search. To see it fail: leave out
 * SQ__AIM_TASK in sq_timer_cancel_and_wait (timer/timer.c), or the look at SQ__AIM_TURN in gate_for (wait/edge.c). */
TEST(a_reader_may_wait_for_a_handler_while_a_barrier_waits_for_both) {
    for (int by_thread = 0; by_thread < 2; by_thread += 1) {
        firing_t firing;
        begin(&firing, stay_in_handler);
        stay_t reader = STAY_INIT;
        CHECK_EQUAL(sq_async(firing.queue, stay, &reader), 0); /* until the barrier waits */
        latch_wait(&reader.entered, 1);
        visitor_t waiter = { 0 }, barrier = { 0 };
        visitor_start(&waiter, firing.queue, false, cancel_and_wait, &firing);
        wait_until_asleep(&firing.thread_id);
        if (by_thread) {
            visitor_start(&barrier, firing.queue, true, do_nothing, NULL);
            wait_until_asleep(&barrier.thread_id);
        } else {
            CHECK_EQUAL(sq_async_barrier(firing.queue, do_nothing, NULL), 0);
        }
        latch_bump(&reader.leave);
        latch_bump(&firing.handler.leave);
        CHECK_EQUAL(visitor_end(&waiter), 0);
        CHECK_EQUAL(firing.from_waiter, 0);
        if (by_thread) {
            CHECK_EQUAL(visitor_end(&barrier), 0);
        }
        end(&firing);
    }
}

static void go_to_serial(void *context) {
    firing_t *firing = context;
    stay_in_handler(firing);
    firing->from_handler = sq_sync_until(firing->serial, SQ_FOREVER, do_nothing, NULL);
    keep_report(firing, firing->from_handler);
}

static void let_go_and_wait(void *context) {
    latch_bump(&((firing_t *)context)->handler.leave);
    cancel_and_wait(context);
}

/* To see it fail (by a hang): in needs_reader leave out `wait->task == frame`. */
TEST(a_cycle_through_a_handler_on_a_concurrent_queue_is_named) {
    for (int i = 0; i < 20; i += 1) {
        firing_t firing;
        begin(&firing, go_to_serial);
        CHECK_EQUAL(sq_sync(firing.serial, let_go_and_wait, &firing), 0);
        CHECK_EQUAL(sq_sync_barrier(firing.queue, do_nothing, NULL), 0);
        CHECK_EQUAL(firing.from_waiter + firing.from_handler, EDEADLK); /* one of the two */
        CHECK(strstr(firing.report, "waits for queue \"serial\"") != NULL);
        CHECK(strstr(firing.report, "waits for a timer of queue \"concurrent\"") != NULL);
        end(&firing);
    }
}

/* A task that starts its own timer anew, for at once. */
typedef struct own_start {
    sq_pool_t *pool;
    sq_queue_t *queue;
    sq_timer_t *timer;
    int firings;
} own_start_t;

static void start_anew(void *context) {
    own_start_t *own = context;
    own->firings += 1;
    if (own->firings == 1) {
        CHECK_EQUAL(sq_timer_start(own->timer, 0, 0, 0), 0);
        CHECK(sq__alarms_advance(sq__pool_clock(own->pool), 0)); /* it falls due while this firing runs */
        CHECK_EQUAL(sq_queue_depth(own->queue), 0);
    }
}

/* Two firings never run at once. To see it fail: in is_left_out (timer_fire.c), do not ask whether the queue is concurrent. */
TEST(a_start_in_the_own_task_on_a_concurrent_queue_fires_after_that_task) {
    own_start_t own = { .pool = sq_pool_create_manual("manual") };
    REQUIRE(own.pool != NULL);
    own.queue = make_concurrent_on(own.pool, SQ_WIDTH_POOL);
    own.timer = sq_timer_create(own.queue, &(sq_task_t){ start_anew, &own, NULL });
    REQUIRE(own.timer != NULL);
    CHECK_EQUAL(sq_timer_start(own.timer, 0, 0, 0), 0);
    size_t ran = sq_pool_run(own.pool);
    CHECK_EQUAL(ran + sq_pool_run(own.pool), 2);
    CHECK_EQUAL(own.firings, 2);
    sq_timer_release(own.timer);
    sq_queue_release(own.queue);
    sq_pool_run(own.pool);
    sq_pool_release(own.pool);
}

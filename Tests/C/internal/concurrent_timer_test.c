/* concurrent_timer_test.c: waits for a timer of a concurrent queue. They need its handler, which runs as a reader, and nothing else. */
#include "concurrent.h"

#include "alarm/alarm.h"
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

/* Behind the waiter comes a barrier: an async one, or one of a thread, which is a wait of its own in the search. */
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

/* Two firings never run at once. */
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

/* Firings that were cancelled are in the queue ahead of one that runs, and two threads run them. */
enum { CANCELLED = 6 };

typedef struct late {
    sq_pool_t *pool;
    sq_queue_t *queue;
    sq_timer_t *timer;
    stay_t firing;
    latch_t returned; /* by each thread that has nothing more to run */
    atomic_int discarded;
} late_t;

static void stay_late(void *context) { stay(&((late_t *)context)->firing); }
static void note_discard(void *context) { ((late_t *)context)->discarded += 1; }

static void *run_pool(void *argument) {
    late_t *late = argument;
    sq_pool_run(late->pool);
    latch_bump(&late->returned);
    return NULL;
}

/* Calls `check` while the firing runs, and the cancelled ones have been skipped. */
static void check_beside_a_firing(void (*check)(late_t *late)) {
    late_t late = { .pool = sq_pool_create_manual("manual"), .firing = STAY_INIT, .returned = LATCH_INIT };
    REQUIRE(late.pool != NULL);
    late.queue = make_concurrent_on(late.pool, SQ_WIDTH_POOL);
    late.timer = sq_timer_create(late.queue, &(sq_task_t){ stay_late, &late, note_discard });
    REQUIRE(late.timer != NULL);
    CHECK_EQUAL(sq_suspend(late.queue), 0);
    for (int i = 0; i <= CANCELLED; i += 1) {
        CHECK_EQUAL(sq_timer_start(late.timer, 0, 0, 0), 0); /* cancels the one before */
        CHECK(sq__alarms_advance(sq__pool_clock(late.pool), 0));
    }
    CHECK_EQUAL(sq_resume(late.queue), 0);
    pthread_t runners[] = { spawn(run_pool, &late), spawn(run_pool, &late) };
    while (latch_value(&late.firing.entered) == 0) {
        (void)sq_timer_intervals(late.timer); /* takes the queue's lock, for which the skipped ones then wait */
    }
    latch_wait(&late.returned, 1);
    check(&late);
    latch_bump(&late.firing.leave);
    join(runners[0]);
    join(runners[1]);
    sq_pool_run(late.pool);
    CHECK_EQUAL(late.discarded, 1);
    sq_queue_release(late.queue);
    sq_pool_run(late.pool);
    sq_pool_release(late.pool);
}

static void check_wait(late_t *late) {
    CHECK_EQUAL(sq_timer_cancel_and_wait(late->timer, sq_deadline(1)), ETIMEDOUT);
    sq_timer_release(late->timer);
}

TEST(a_skipped_firing_does_not_end_a_running_one) {
    size_t rounds = scaled(4000);
    for (size_t i = 0; i < rounds; i += 1) {
        check_beside_a_firing(check_wait);
    }
}

static void check_release(late_t *late) {
    sq_timer_release(late->timer);
    sq_pool_run(late->pool); /* nothing to run: the firing ends the timer */
    CHECK_EQUAL(late->discarded, 0);
}

TEST(a_timer_is_discarded_after_a_firing_that_ran_beside_skipped_ones) {
    size_t rounds = scaled(4000);
    for (size_t i = 0; i < rounds; i += 1) {
        check_beside_a_firing(check_release);
    }
}

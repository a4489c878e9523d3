/* timer_wait_test.c: cancelling a timer and waiting for the firing that runs. On the system's clock; order is caused by gates. */
#include "timed.h"

#include "state/state.h"
#include "thread/self.h"
#include "timer/timer_fire.h"

/* Cancel and wait */

typedef struct canceller {
    sq_timer_t *timer;
    sq_time_t deadline;
    int error;
    atomic_int thread_id;
} canceller_t;

static void *cancel_and_wait(void *argument) {
    canceller_t *canceller = argument;
    canceller->thread_id = gettid();
    canceller->error = sq_timer_cancel_and_wait(canceller->timer, canceller->deadline);
    return NULL;
}

/* A waiting thread's entry lies on its stack: nothing may lead there once it has returned. */
static bool has_waiters(sq_timer_t *timer) {
    sq__lock(timer->queue);
    bool has = timer->waiters != NULL;
    sq__unlock(timer->queue);
    return has;
}

TEST(threads_that_cancel_and_wait_wait_for_the_running_firing) {
    sq_queue_t *queue = make_queue_of("awaited", 0);
    guest_t guest = GUEST_INIT;
    start_guest(&guest, queue, stay, MS);
    latch_wait(&guest.entered, 1);
    CHECK_EQUAL(sq_timer_cancel(guest.timer), 0); /* does not wait */
    CHECK_EQUAL(sq_timer_cancel_and_wait(guest.timer, SQ_NOW), ETIMEDOUT);
    canceller_t cancellers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i += 1) {
        cancellers[i] = (canceller_t){ guest.timer, i == 1 ? sq_deadline(5 * MS) : i == 2 ? FAR : SQ_FOREVER, -1, 0 };
        threads[i] = spawn(cancel_and_wait, &cancellers[i]);
    }
    join(threads[1]);
    CHECK_EQUAL(cancellers[1].error, ETIMEDOUT);
    for (int i = 0; i < 4; i += i == 0 ? 2 : 1) {
        wait_until_asleep(&cancellers[i].thread_id);
        CHECK_EQUAL(cancellers[i].error, -1);
    }
    latch_bump(&guest.leave);
    for (int i = 0; i < 4; i += i == 0 ? 2 : 1) {
        join(threads[i]);
        CHECK_EQUAL(cancellers[i].error, 0);
    }
    CHECK(!has_waiters(guest.timer));
    CHECK_EQUAL(guest.firings, 1);
    CHECK_EQUAL(sq_timer_cancel_and_wait(guest.timer, SQ_NOW), 0);
    sq_timer_release(guest.timer);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(guest.discarded, 1);
    sq_queue_release(queue);
}

static void wait_for_oneself(void *context) {
    guest_t *guest = context;
    guest->firings += 1;
    guest->error = sq_timer_cancel_and_wait(guest->timer, SQ_FOREVER);
    CHECK(!has_waiters(guest->timer));
    CHECK(strstr(sq_deadlock_report(), "cancel_and_wait on a timer of queue \"itself\" from its own task") != NULL);
    latch_bump(&guest->entered);
}

TEST(a_firing_that_waits_for_itself_is_refused_and_cancelled) {
    sq_queue_t *queue = make_queue_of("itself", 0);
    guest_t guest = GUEST_INIT;
    start_guest(&guest, queue, wait_for_oneself, MS);
    latch_wait(&guest.entered, 1);
    CHECK_EQUAL(guest.error, EDEADLK);
    sq_timer_release(guest.timer);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(guest.firings, 1);
    CHECK_EQUAL(guest.discarded, 1);
    sq_queue_release(queue);
}

/* There a wait has a token and a reference of its own, as it may run tasks. */
static void *run_pool(void *pool) {
    CHECK_EQUAL(sq_pool_run(pool), 1);
    return NULL;
}

TEST(a_wait_for_a_firing_on_a_manual_pool_gives_back_its_token_once) {
    bench_t b = bench();
    guest_t guest = GUEST_INIT;
    start_guest(&guest, b.queue, stay, 0);
    pthread_t runner = spawn(run_pool, b.pool);
    latch_wait(&guest.entered, 1);
    canceller_t canceller = { guest.timer, SQ_FOREVER, -1, 0 };
    pthread_t waiter = spawn(cancel_and_wait, &canceller);
    wait_until_asleep(&canceller.thread_id);
    latch_bump(&guest.leave);
    join(runner);
    join(waiter);
    CHECK_EQUAL(canceller.error, 0);
    sq__token_t *one = sq__token_acquire(), *another = sq__token_acquire();
    REQUIRE(one != NULL && another != NULL);
    CHECK(one != another);
    sq__token_recycle(one);
    sq__token_recycle(another);
    sq_timer_release(guest.timer);
    clear(&b);
}

/* A task of the same queue that is not the firing: as it runs, no firing does, so there is nothing to wait for. */
static void cancel_from_task(void *context) {
    guest_t *guest = context;
    guest->error = sq_timer_cancel_and_wait(guest->timer, SQ_FOREVER);
}

TEST(another_task_of_the_queue_has_nothing_to_wait_for) {
    sq_queue_t *queue = make_queue_of("same", 0);
    guest_t guest = GUEST_INIT;
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_async(queue, cancel_from_task, &guest), 0);
    start_guest(&guest, queue, stay, 0);
    wait_for_depth(queue, 2);
    guest.error = -1;
    hold_end(&hold);
    drain(queue);
    CHECK_EQUAL(guest.error, 0);
    CHECK_EQUAL(guest.firings, 0);
    sq_timer_release(guest.timer);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(queue);
}

/* The firing of A syncs to B, whose task waits for the firing. */
static void sync_to_other(void *context) {
    guest_t *guest = context;
    latch_bump(&guest->entered);
    latch_wait(&guest->leave, 1);
    guest->error = sq_sync(guest->other, do_nothing, NULL);
}

static void cancel_in_b(void *context) {
    canceller_t *canceller = context;
    cancel_and_wait(canceller);
}

TEST(a_cycle_through_a_firing_is_reported_to_one_of_the_two) {
    sq_queue_t *a = make_queue_of("A", 0), *b = make_queue_of("B", 0);
    guest_t guest = GUEST_INIT;
    guest.other = b;
    start_guest(&guest, a, sync_to_other, 0);
    latch_wait(&guest.entered, 1);
    canceller_t canceller = { guest.timer, SQ_FOREVER, -1, 0 };
    caller_t caller;
    caller_start(&caller, BY_SYNC, b, SQ_FOREVER, cancel_in_b, &canceller);
    wait_until_asleep(&canceller.thread_id);
    latch_bump(&guest.leave);
    CHECK_EQUAL(caller_end(&caller), 0);
    CHECK_EQUAL(sq_timer_cancel_and_wait(guest.timer, SQ_FOREVER), 0);
    CHECK(guest.error == EDEADLK && canceller.error == 0);
    sq_timer_release(guest.timer);
    CHECK_EQUAL(sq_shutdown(a, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(a);
    sq_queue_release(b);
}

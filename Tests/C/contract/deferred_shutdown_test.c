/* deferred_shutdown_test.c: deferred tasks that wait for room in a queue that is shut down, and what their `decided` may do. */
#include "deferred.h"

TEST(a_shutdown_refuses_deferred_tasks_that_wait) {
    const sq_shutdown_mode_t modes[] = { SQ_SHUTDOWN_DRAIN, SQ_SHUTDOWN_DISCARD };
    for (size_t m = 0; m < 2; m += 1) {
        sq_queue_t *queue = make_queue_of("closing", 2);
        size_t ran = 0;
        hold_t hold;
        item_t first, waiting, late;
        item_init(&first, queue, NULL, 1);
        item_init(&waiting, queue, NULL, 2);
        item_init(&late, queue, NULL, 3);
        fill(queue, &hold, 1, &ran);
        CHECK_EQUAL(sq_async_deferred(queue, &first.task), 0);
        CHECK_EQUAL(sq_async_deferred(queue, &waiting.task), EINPROGRESS);
        CHECK_EQUAL(sq_shutdown(queue, modes[m], 1), ETIMEDOUT);
        check_item(&waiting, 1, ESHUTDOWN, 0, 0);
        CHECK_EQUAL(sq_async_deferred(queue, &late.task), ESHUTDOWN);
        CHECK_EQUAL(sq_async_job(queue, item_call, &late, &late.number), ESHUTDOWN);
        hold_end(&hold);
        CHECK_EQUAL(sq_shutdown(queue, modes[m], SQ_FOREVER), 0);
        check_item(&first, 0, 0, m == 0, m == 1);
        check_item(&late, 0, 0, 0, 0);
        CHECK_EQUAL(stats_now(queue).rejected, 3);
        sq_queue_release(queue);
    }
}

static void discard_the_rest(sq_deferred_t *task, int error) {
    item_t *item = (item_t *)task;
    item_decided(task, error);
    CHECK_EQUAL(sq_shutdown(item->queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
}

/* The first shutdown takes the parked baton, and passes it before it calls any `decided`. */
TEST(a_refusal_by_a_shutdown_can_wait_for_the_end_of_the_queue) {
    sq_queue_t *queue = make_queue_of("parked", 1);
    item_t item;
    item_init(&item, queue, NULL, 1);
    item.task.decided = discard_the_rest;
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), 0);
    CHECK_EQUAL(sq_async_deferred(queue, &item.task), EINPROGRESS);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    check_item(&item, 1, ESHUTDOWN, 0, 0);
    sq_queue_release(queue);
}

/* A thread that waits for room behind the task is refused before the task's `decided` is called. */
static caller_t behind;

static void wait_for_the_thread_behind(sq_deferred_t *task, int error) {
    item_decided(task, error);
    CHECK_EQUAL(caller_end(&behind), ESHUTDOWN);
}

TEST(a_refusal_by_a_shutdown_can_wait_for_a_thread_that_is_refused_as_well) {
    sq_queue_t *queue = make_queue_of("parked", 1);
    size_t ran = 0;
    item_t item;
    item_init(&item, queue, NULL, 1);
    item.task.decided = wait_for_the_thread_behind;
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async_deferred(queue, &item.task), EINPROGRESS);
    caller_start(&behind, BY_ROOM, queue, SQ_FOREVER, must_not_run, NULL);
    wait_until_asleep(&behind.thread_id);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    check_item(&item, 1, ESHUTDOWN, 0, 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
}

static sq_queue_t *others;
static latch_t has_waited = LATCH_INIT;
static atomic_int closing_thread;

static void wait_for_others(sq_deferred_t *task, int error) {
    item_decided(task, error);
    CHECK_EQUAL(sq_sync_until(others, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    latch_bump(&has_waited);
}

static void *release_at_last(void *hold) {
    latch_wait(&has_waited, 1);
    wait_until_asleep(&closing_thread);
    hold_end(hold);
    return NULL;
}

/* A thread has one token for all its waits. */
TEST(a_refusal_by_a_shutdown_can_wait_for_something_else_and_the_shutdown_waits_on) {
    sq_queue_t *queue = make_queue_of("closing", 1);
    size_t ran = 0;
    item_t item;
    others = make_queue_of("suspended", 0);
    CHECK_EQUAL(sq_suspend(others), 0);
    hold_t hold;
    fill(queue, &hold, 1, &ran);
    item_init(&item, queue, NULL, 1);
    item.task.decided = wait_for_others;
    CHECK_EQUAL(sq_async_deferred(queue, &item.task), EINPROGRESS);
    closing_thread = gettid();
    pthread_t helper = spawn(release_at_last, &hold);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 1);
    check_item(&item, 1, ESHUTDOWN, 0, 0);
    join(helper);
    CHECK_EQUAL(sq_resume(others), 0);
    sq_queue_release(others);
    sq_queue_release(queue);
}

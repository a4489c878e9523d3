/* revive_test.c: a task takes a reference to its queue when the last one has been released, or is just being released: the
 * running task keeps the queue alive, and from then on the reference does. */
#include "caller.h"
#include "inject.h"

typedef struct revival {
    sq_queue_t *queue;
    latch_t entered, release, retained;
    atomic_size_t ran, discarded;
} revival_t;

static void take_reference(void *context) {
    revival_t *revival = context;
    latch_bump(&revival->entered);
    latch_wait(&revival->release, 1);
    CHECK(sq_queue_retain(revival->queue) == revival->queue);
    latch_bump(&revival->retained);
}

static void count_ran(void *context) { ((revival_t *)context)->ran += 1; }
static void count_discarded(void *context) { ((revival_t *)context)->discarded += 1; }

typedef enum when { BEFORE, AT_THE_SAME_TIME } when_t;

/* The last reference is released before, or while, a task takes a new one. Afterwards the queue works, and ends normally. */
static void revive(when_t when, bool suspended, bool by_runner, size_t backlog) {
    revival_t revival = { .queue = make_queue_of("revived", 0), .entered = LATCH_INIT, .release = LATCH_INIT,
                          .retained = LATCH_INIT };
    caller_t holder;
    if (by_runner) {
        CHECK_EQUAL(sq_async(revival.queue, take_reference, &revival), 0);
    } else {
        caller_start(&holder, BY_SYNC, revival.queue, SQ_FOREVER, take_reference, &revival);
    }
    latch_wait(&revival.entered, 1);
    for (size_t i = 0; i < backlog; i += 1) {
        CHECK_EQUAL(sq_async_task(revival.queue, &(sq_task_t){ count_ran, &revival, count_discarded }), 0);
    }
    if (suspended) {
        CHECK_EQUAL(sq_suspend(revival.queue), 0);
    }
    if (when == AT_THE_SAME_TIME) {
        latch_bump(&revival.release);
    }
    sq_queue_release(revival.queue);
    if (when == BEFORE) {
        latch_bump(&revival.release);
    }
    latch_wait(&revival.retained, 1);
    if (!by_runner) {
        CHECK_EQUAL(caller_end(&holder), 0);
    }
    /* The reference is the test's now. A suspension may have ended with the last reference, or continue with the new one. */
    int resumed = sq_resume(revival.queue);
    CHECK(resumed == 0 || resumed == EINVAL);
    CHECK(suspended || resumed == EINVAL);
    size_t ran = 0;
    CHECK_EQUAL(sq_run_and_wait(revival.queue, FAR, add_one, &ran), 0);
    CHECK_EQUAL(sq_sync(revival.queue, add_one, &ran), 0);
    CHECK_EQUAL(ran, 2);
    CHECK_EQUAL(revival.ran + revival.discarded, backlog);
    CHECK(suspended || revival.discarded == 0);
    CHECK_EQUAL(sq_shutdown(revival.queue, SQ_SHUTDOWN_DRAIN, FAR), 0);
    sq_queue_release(revival.queue);
}

static void check_revival(bool suspended) {
    for (size_t i = 0; i < scaled(2000); i += 1) {
        revive(i & 1 ? BEFORE : AT_THE_SAME_TIME, suspended, i & 2, i & 4 ? 3 : 0);
        if (i % 16 == 15) {
            let_threads_end(16);
        }
    }
}

TEST(a_task_can_take_a_reference_when_the_last_one_is_released) { check_revival(false); }
TEST(a_task_can_take_a_reference_when_the_last_one_of_a_suspended_queue_is_released) { check_revival(true); }

/* The task takes a reference and releases it again, three times: the last release ends the queue. */
static void retain_and_release(void *context) {
    revival_t *revival = context;
    latch_bump(&revival->entered);
    latch_wait(&revival->release, 1);
    for (int i = 0; i < 3; i += 1) {
        sq_queue_release(sq_queue_retain(revival->queue));
    }
    latch_bump(&revival->retained);
}

TEST(a_task_can_take_and_release_the_only_reference_again_and_again) {
    for (size_t i = 0; i < scaled(2000); i += 1) {
        revival_t revival = { .queue = make_queue_of("revived", 0), .entered = LATCH_INIT, .release = LATCH_INIT,
                              .retained = LATCH_INIT };
        CHECK_EQUAL(sq_async(revival.queue, retain_and_release, &revival), 0);
        latch_wait(&revival.entered, 1);
        for (size_t k = 0; k < i % 3; k += 1) {
            CHECK_EQUAL(sq_async_task(revival.queue, &(sq_task_t){ count_ran, &revival, count_discarded }), 0);
        }
        if (i & 1) {
            latch_bump(&revival.release);
        }
        sq_queue_release(revival.queue);
        if (!(i & 1)) {
            latch_bump(&revival.release);
        }
        latch_wait(&revival.retained, 1);
        let_threads_end(1);
        CHECK_EQUAL(revival.ran, i % 3);
        CHECK_EQUAL(revival.discarded, 0);
    }
}

/* What a shutdown has to discard stays discarded, even if a task takes a reference. */
TEST(a_task_that_takes_a_reference_changes_nothing_of_a_discard) {
    revival_t revival = { .queue = make_queue_of("discarded", 0), .entered = LATCH_INIT, .release = LATCH_INIT, .retained = LATCH_INIT };
    CHECK_EQUAL(sq_async(revival.queue, take_reference, &revival), 0);
    latch_wait(&revival.entered, 1);
    for (size_t i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_async_task(revival.queue, &(sq_task_t){ count_ran, &revival, count_discarded }), 0);
    }
    CHECK_EQUAL(sq_shutdown(revival.queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    sq_queue_release(revival.queue);
    latch_bump(&revival.release);
    latch_wait(&revival.retained, 1);
    CHECK_EQUAL(sq_shutdown(revival.queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(revival.ran, 0);
    CHECK_EQUAL(revival.discarded, 3);
    sq_queue_release(revival.queue);
}

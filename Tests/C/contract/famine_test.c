/* famine_test.c: calls that wait, without memory or threads (sweep.h). famine_end_test.c has the calls that end a queue, failure_test.c
 * those that submit. */
#include "famine.h"

/* One wait behind another thread, during the famine; the function runs once or not at all. */
static void wait_behind(trial_t *trial, sq_queue_t *queue, way_t way, bool by_runner, sq_time_t deadline, int expected) {
    size_t ran = 0;
    intruder_t intruder;
    intrude(&intruder, queue, by_runner);
    if (expected == 0) {
        go_with(&intruder);
    }
    famine(trial);
    int error = wait_by(way, queue, deadline, add_one, &ran);
    if (!relief(trial, error)) {
        CHECK_EQUAL(error, expected);
    }
    go_with(&intruder);
    leave(&intruder);
    drain(queue);
    CHECK_EQUAL(ran, error == 0);
    CHECK_EQUAL(sq_sync_until(queue, FAR, add_one, &ran), 0);
    CHECK_EQUAL(ran, 1 + (error == 0));
    CHECK_EQUAL(stats_now(queue).depth, 0);
}

static void scene_wait(trial_t *trial, way_t way, bool by_runner, bool times_out) {
    trial_t plenty = { FAIL_ALLOCATION, UINT32_MAX, false, 0 };
    for (int i = 0; i < 2; i += 1) {
        sq_queue_t *queue = make_queue_of("scene", 0);
        wait_behind(i ? &plenty : trial, queue, way, by_runner, times_out ? sq_deadline(1000000) : SQ_FOREVER,
                    times_out ? ETIMEDOUT : 0);
        sq_queue_release(queue);
    }
}

static void sync_until_behind_a_sync(trial_t *trial) { scene_wait(trial, BY_SYNC_UNTIL, false, false); }
static void sync_until_behind_an_async(trial_t *trial) { scene_wait(trial, BY_SYNC_UNTIL, true, false); }
static void sync_until_that_times_out(trial_t *trial) { scene_wait(trial, BY_SYNC_UNTIL, false, true); }
static void call_behind_a_sync(trial_t *trial) { scene_wait(trial, BY_CALL, false, false); }
static void call_behind_an_async(trial_t *trial) { scene_wait(trial, BY_CALL, true, false); }
static void call_that_times_out(trial_t *trial) { scene_wait(trial, BY_CALL, true, true); }

static void first_call(trial_t *trial) {
    sq_queue_t *queue = make_queue_of("scene", 0);
    size_t ran = 0;
    famine(trial);
    int error = sq_run_and_wait(queue, SQ_FOREVER, add_one, &ran);
    CHECK(relief(trial, error) || error == 0);
    CHECK_EQUAL(ran, error == 0);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, add_one, &ran), 0);
    CHECK_EQUAL(ran, 1 + (error == 0));
    sq_queue_release(queue);
}

static void create_with_a_capacity(trial_t *trial) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.capacity = 7;
    famine(trial);
    errno = 0;
    sq_queue_t *queue = sq_queue_create("scene", &options);
    CHECK(relief(trial, queue == NULL ? errno : 0) == (queue == NULL));
    sq_queue_release(queue);
    queue = make_queue_of("scene", 7);
    drain(queue);
    sq_queue_release(queue);
}

/* Fills a limited queue, with whatever is refused on the way, and then waits for room. */
static void wait_for_room(trial_t *trial) {
    sq_queue_t *queue = make_queue_of("scene", 2);
    size_t ran = 0, accepted = 0;
    intruder_t intruder;
    const sq_task_t task = { add_one, &ran, NULL };
    intrude(&intruder, queue, true);
    famine(trial);
    for (int i = 0; i < 2; i += 1) {
        int error = sq_async_until(queue, SQ_FOREVER, &task);
        CHECK(error == 0 || error == ENOMEM);
        accepted += error == 0;
    }
    trial->failures += fail_nothing();
    while (accepted < 2) {
        accepted += sq_async_task(queue, &task) == 0;
    }
    CHECK_EQUAL(sq_async_task(queue, &task), EAGAIN); /* no room was lost, none was made up */
    go_with(&intruder);
    leave(&intruder);
    drain(queue);
    CHECK_EQUAL(ran, 2);
    sq_queue_release(queue);
}

static void wait_for_room_behind_others(trial_t *trial) {
    sq_queue_t *queue = make_queue_of("scene", 2);
    size_t ran = 0;
    intruder_t intruder;
    const sq_task_t task = { add_one, &ran, NULL };
    intrude(&intruder, queue, true);
    CHECK_EQUAL(sq_async_task(queue, &task), 0);
    CHECK_EQUAL(sq_async_task(queue, &task), 0);
    go_with(&intruder);
    famine(trial);
    int error = sq_async_until(queue, SQ_FOREVER, &task);
    CHECK(relief(trial, error) || error == 0);
    leave(&intruder);
    drain(queue);
    CHECK_EQUAL(ran, 2 + (error == 0));
    CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &task), 0);
    drain(queue);
    CHECK_EQUAL(ran, 3 + (error == 0));
    sq_queue_release(queue);
}

/* A cycle of two threads: the error is returned even without memory for the report. */
typedef struct cross {
    trial_t *trial;
    sq_queue_t *a, *b;
    caller_t other;
    atomic_int holder;
    latch_t holding;
    int error;
    bool refused;
} cross_t;

static void wait_for_a(void *context) {
    cross_t *cross = context;
    cross->holder = gettid();
    latch_bump(&cross->holding);
    CHECK_EQUAL(sq_sync(cross->a, do_nothing, NULL), 0);
}

static void wait_for_b(void *context) {
    cross_t *cross = context;
    caller_start(&cross->other, BY_SYNC, cross->b, SQ_FOREVER, wait_for_a, cross);
    latch_wait(&cross->holding, 1);
    wait_until_asleep(&cross->holder);
    famine(cross->trial);
    cross->error = sq_sync_until(cross->b, FAR, must_not_run, NULL);
    cross->refused = relief(cross->trial, cross->error);
    CHECK(sq_deadlock_report() != NULL);
    if (cross->refused) {
        CHECK_EQUAL(sq_sync_until(cross->b, FAR, must_not_run, NULL), EDEADLK);
        CHECK(strstr(sq_deadlock_report(), "\"b\"") != NULL);
    } else {
        CHECK_EQUAL(cross->error, EDEADLK);
    }
}

static void close_a_circle(trial_t *trial) {
    for (int i = 0; i < 2; i += 1) {
        trial_t plenty = { FAIL_ALLOCATION, UINT32_MAX, false, 0 };
        cross_t cross = { .trial = i ? &plenty : trial, .a = make_queue_of("a", 0), .b = make_queue_of("b", 0),
                          .holding = LATCH_INIT };
        CHECK_EQUAL(sq_sync(cross.a, wait_for_b, &cross), 0);
        CHECK_EQUAL(caller_end(&cross.other), 0);
        sq_queue_release(cross.a);
        sq_queue_release(cross.b);
    }
}

SCENES(SCENE(sync_until_behind_a_sync), SCENE(sync_until_behind_an_async), SCENE(sync_until_that_times_out), SCENE(first_call),
       SCENE(call_behind_a_sync), SCENE(call_behind_an_async), SCENE(call_that_times_out), SCENE(create_with_a_capacity),
       SCENE(wait_for_room), SCENE(wait_for_room_behind_others), SCENE(close_a_circle))

/* A sweep in which nothing failed is noticed, but only in sum: on a busy machine a deadline may pass before the call comes to its
 * allocations. */
TEST(each_allocation_of_each_call_that_waits_can_fail) {
    CHECK(sweep_all(SCENE_COUNT, FAIL_ALLOCATION, false) >= 15);
    CHECK(sweep_all(SCENE_COUNT, FAIL_ALLOCATION, true) >= 15);
}

TEST(each_thread_creation_of_each_call_that_waits_can_fail) {
    CHECK(sweep_all(SCENE_COUNT, FAIL_THREAD, false) + sweep_all(SCENE_COUNT, FAIL_THREAD, true) >= 2); /* first_call */
}

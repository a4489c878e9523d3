/* famine_test.c: memory and threads that are not to be had, in the calls that wait and the calls that end. failure_test.c has
 * those that submit.
 *
 * DESIGN. As there: the Nth allocation, or thread creation, of a scene fails, once or from then on, for N = 1, 2, ... until a
 * scene is over without having come to its Nth; each N in a process of its own. A scene says where its call begins and
 * ends; only there something fails. The call does its work, or is refused with ENOMEM and has done
 * nothing; then, with nothing failing, it works; no task is lost, and nothing is left over. */
#include "caller.h"
#include "inject.h"

#include <stdlib.h>

typedef struct trial {
    failure_t what;
    uint64_t nth;
    bool forever;
    uint64_t failures;
} trial_t;

/* A scene is over when its call has worked twice: in the famine or after it, and once more. */
typedef void (*scene_t)(trial_t *trial);

/* Around the call in question. relief: whether it was refused, which it may be only for a reason. */
static void famine(const trial_t *trial) { fail_nth(trial->what, trial->nth, trial->forever); }

static bool relief(trial_t *trial, int error) {
    uint64_t failures = fail_nothing();
    trial->failures += failures;
    if (error == ENOMEM) {
        CHECK(failures > 0);
        return true;
    }
    return false;
}

/* Another thread is in the queue, and leaves when the scene's thread sleeps in its wait, or was refused. */
typedef struct intruder {
    hold_t hold;
    atomic_int waiter;
    pthread_t leaver;
} intruder_t;

static void *leave_in_time(void *argument) {
    intruder_t *intruder = argument;
    wait_until_asleep(&intruder->waiter); /* the end of a refused call is a join: asleep as well */
    hold_end(&intruder->hold);
    return NULL;
}

static void intrude(intruder_t *intruder, sq_queue_t *queue, bool by_runner) {
    if (by_runner) {
        hold_async(&intruder->hold, queue);
    } else {
        hold_sync(&intruder->hold, queue);
    }
    intruder->waiter = 0;
    intruder->leaver = spawn(leave_in_time, intruder);
}

static void go_with(intruder_t *intruder) { intruder->waiter = gettid(); }

static void leave(intruder_t *intruder) { join(intruder->leaver); }

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

static void scene_wait(trial_t *trial, way_t way, bool by_runner, bool gives_up) {
    trial_t plenty = { FAIL_ALLOCATION, UINT32_MAX, false, 0 };
    for (int i = 0; i < 2; i += 1) {
        sq_queue_t *queue = make_queue_of("scene", 0);
        wait_behind(i ? &plenty : trial, queue, way, by_runner, gives_up ? sq_deadline(1000000) : SQ_FOREVER,
                    gives_up ? ETIMEDOUT : 0);
        sq_queue_release(queue);
    }
}

static void sync_until_behind_a_sync(trial_t *trial) { scene_wait(trial, BY_SYNC_UNTIL, false, false); }
static void sync_until_behind_an_async(trial_t *trial) { scene_wait(trial, BY_SYNC_UNTIL, true, false); }
static void sync_until_that_gives_up(trial_t *trial) { scene_wait(trial, BY_SYNC_UNTIL, false, true); }
static void call_behind_a_sync(trial_t *trial) { scene_wait(trial, BY_CALL, false, false); }
static void call_behind_an_async(trial_t *trial) { scene_wait(trial, BY_CALL, true, false); }
static void call_that_gives_up(trial_t *trial) { scene_wait(trial, BY_CALL, true, true); }

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

static void shut_down(trial_t *trial, sq_shutdown_mode_t mode, bool suspended) {
    enum { TASKS = 5 };
    sq_queue_t *queue = make_queue_of("scene", 8);
    size_t ran = 0;
    intruder_t intruder;
    intrude(&intruder, queue, true);
    if (suspended) {
        CHECK_EQUAL(sq_suspend(queue), 0);
    }
    for (int i = 0; i < TASKS; i += 1) {
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ add_one, &ran, add_one }), 0);
    }
    go_with(&intruder);
    famine(trial);
    int error = sq_shutdown(queue, mode, SQ_FOREVER);
    bool refused = relief(trial, error);
    if (refused) { /* nothing was done: a submission is accepted */
        CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
        leave(&intruder);
        error = sq_shutdown(queue, mode, SQ_FOREVER);
    } else {
        leave(&intruder);
    }
    CHECK_EQUAL(error, 0);
    sq_queue_stats_t stats = stats_now(queue);
    CHECK_EQUAL(stats.ran + stats.discarded, 1 + TASKS + refused);
    CHECK_EQUAL(stats.depth, 0);
    CHECK_EQUAL(ran, stats.ran - 1 + (stats.discarded > refused ? stats.discarded - refused : 0));
    sq_queue_release(queue);
}

static void drain_and_end(trial_t *trial) { shut_down(trial, SQ_SHUTDOWN_DRAIN, false); }
static void discard_and_end(trial_t *trial) { shut_down(trial, SQ_SHUTDOWN_DISCARD, false); }
static void discard_and_end_while_suspended(trial_t *trial) { shut_down(trial, SQ_SHUTDOWN_DISCARD, true); }

/* Callers of suspend, resume and release cannot handle an error: these calls need no memory. */
static void count_discard(void *context) { atomic_fetch_add((atomic_size_t *)context, 1); }

static void suspend_resume_and_let_go(trial_t *trial) {
    sq_queue_t *queue = make_queue_of("scene", 0);
    size_t ran = 0;
    atomic_size_t discarded = 0; /* the end of a thread that is not joined orders nothing */
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    famine(trial);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_resume(queue), EINVAL);
    hold_end(&hold);
    trial->failures += fail_nothing();
    drain(queue);
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(sq_suspend(queue), 0);
    for (int i = 0; i < 200; i += 1) {
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ must_not_run, &discarded, count_discard }), 0);
    }
    famine(trial);
    sq_queue_release(queue);
    let_threads_end(1);
    trial->failures += fail_nothing();
    CHECK_EQUAL(discarded, 200);
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

#define SCENE(name) { #name, name }
static const struct {
    const char *name;
    scene_t play;
} scenes[] = {
    SCENE(sync_until_behind_a_sync), SCENE(sync_until_behind_an_async), SCENE(sync_until_that_gives_up),
    SCENE(first_call), SCENE(call_behind_a_sync), SCENE(call_behind_an_async), SCENE(call_that_gives_up),
    SCENE(create_with_a_capacity), SCENE(wait_for_room), SCENE(wait_for_room_behind_others),
    SCENE(drain_and_end), SCENE(discard_and_end), SCENE(discard_and_end_while_suspended),
    SCENE(suspend_resume_and_let_go), SCENE(close_a_circle),
};
enum { SCENES = sizeof scenes / sizeof scenes[0], HIT = 0, NOT_HIT = 2 };

typedef struct performance {
    size_t scene;
    trial_t trial;
} performance_t;

static void *perform(void *argument) {
    performance_t *performance = argument;
    scenes[performance->scene].play(&performance->trial);
    return NULL;
}

/* PROGRAM --child SCENE KIND N FOREVER. Once as in a fresh process; once more when the library has kept what it keeps, to see
 * that nothing is left. What the first run lost, LeakSanitizer finds at the end. */
int child_main(int count, char **words) {
    REQUIRE(count == 4);
    performance_t performance = { strtoul(words[0], NULL, 10),
                                  { (failure_t)strtoul(words[1], NULL, 10), strtoull(words[2], NULL, 10),
                                    strtoul(words[3], NULL, 10) != 0, 0 } };
    join(spawn(perform, &performance));
    uint64_t failures = performance.trial.failures;
    let_threads_end(0);
    rest_t mark = rest_now();
    join(spawn(perform, &performance));
    CHECK_AT_REST(mark);
    return failures > 0 ? HIT : NOT_HIT;
}

/* Returns the number of sites that were made to fail. */
static uint64_t sweep(size_t scene, failure_t what, bool forever) {
    for (uint64_t nth = 1;; nth += 1) {
        char words[4][24];
        snprintf(words[0], sizeof words[0], "%zu", scene);
        snprintf(words[1], sizeof words[1], "%d", (int)what);
        snprintf(words[2], sizeof words[2], "%" PRIu64, nth);
        snprintf(words[3], sizeof words[3], "%d", forever);
        int status = run_child((const char *const[]){ words[0], words[1], words[2], words[3], NULL });
        if (!CHECK(status == HIT || status == NOT_HIT)) {
            note("by: --child %s %s %s %s (%s)", words[0], words[1], words[2], words[3], scenes[scene].name);
        }
        if (status != HIT) {
            return nth - 1;
        }
    }
}

TEST(each_allocation_of_each_call_that_waits_or_ends_can_fail) {
    uint64_t once_sites = 0, forever_sites = 0;
    for (size_t i = 0; i < SCENES; i += 1) {
        uint64_t once = sweep(i, FAIL_ALLOCATION, false), forever = sweep(i, FAIL_ALLOCATION, true);
        note("%s: %" PRIu64 " allocations", scenes[i].name, once);
        once_sites += once;
        forever_sites += forever;
    }
    /* Sweeps that come to nothing are noticed; not each by itself: on a busy machine a call with a deadline may give up
     * before it comes to its allocations. */
    CHECK(once_sites >= 20);
    CHECK(forever_sites >= 20);
}

TEST(each_thread_creation_of_each_call_that_waits_or_ends_can_fail) {
    uint64_t sites = 0;
    for (size_t i = 0; i < SCENES; i += 1) {
        sites += sweep(i, FAIL_THREAD, false);
        sites += sweep(i, FAIL_THREAD, true);
    }
    CHECK(sites >= 2); /* first_call */
}

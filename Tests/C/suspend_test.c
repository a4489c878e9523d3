/* suspend_test.c: suspend and resume against everything that starts a task, and queues that are let go of while suspended. */
#include "caller.h"
#include "inject.h"

#include <sched.h>
#include <stdatomic.h>

TEST(a_suspended_queue_starts_nothing_and_goes_on_in_order_when_resumed) {
    enum { TASKS = 300 };
    sq_queue_t *queue = make_queue_of("suspended", 0);
    journal_t journal = { 0 };
    static entry_t entries[TASKS + 2];
    caller_t sync, call;
    CHECK_EQUAL(sq_suspend(queue), 0);
    for (int i = 0; i < TASKS; i += 1) {
        entries[i] = (entry_t){ &journal, i };
        CHECK_EQUAL(sq_async(queue, write_entry, &entries[i]), 0);
    }
    entries[TASKS] = (entry_t){ &journal, TASKS };
    entries[TASKS + 1] = (entry_t){ &journal, TASKS + 1 };
    caller_start(&sync, BY_SYNC, queue, SQ_FOREVER, write_entry, &entries[TASKS]);
    wait_for_depth(queue, TASKS + 1);
    caller_start(&call, BY_CALL, queue, SQ_FOREVER, write_entry, &entries[TASKS + 1]);
    wait_for_depth(queue, TASKS + 2);
    wait_until_asleep(&sync.thread_id);
    wait_until_asleep(&call.thread_id);
    CHECK_EQUAL(stats_now(queue).ran, 0);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    uint64_t late = 0;
    while (CHECK_EQUAL(sq_sync_until(queue, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT)
           && stats_now(queue).withdrawn == 0) {
        late += 1; /* it took no place */
    }
    while (CHECK_EQUAL(sq_run_and_wait(queue, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT)
           && stats_now(queue).withdrawn == 1) {
        late += 1;
    }
    CHECK_EQUAL(stats_now(queue).ran, 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(caller_end(&sync), 0);
    CHECK_EQUAL(caller_end(&call), 0);
    CHECK_EQUAL(journal.count, TASKS + 2);
    for (int i = 0; i < TASKS + 2; i += 1) {
        CHECK_EQUAL(journal.entries[i], i);
    }
    check_outcomes(queue, TASKS + 2, 0, 2, 1 + late);
    sq_queue_release(queue);
}

TEST(suspensions_count_and_one_resume_too_many_changes_nothing) {
    sq_queue_t *queue = make_queue_of("counted", 0);
    size_t ran = 0;
    CHECK_EQUAL(sq_resume(queue), EINVAL);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, add_one, &ran), 0);
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_suspend(queue), 0);
    }
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    for (int i = 0; i < 2; i += 1) {
        CHECK_EQUAL(sq_resume(queue), 0);
        CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
        CHECK_EQUAL(sq_queue_depth(queue), 1);
    }
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    CHECK_EQUAL(ran, 2);
    for (int i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_resume(queue), EINVAL);
    }
    CHECK_EQUAL(sq_suspend(queue), 0); /* the ones too many have not been counted */
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    sq_queue_release(queue);
}

TEST(a_suspended_queue_without_tasks_has_no_thread_and_comes_free_again) {
    sq_queue_t *queue = make_queue_of("empty", 0);
    uint64_t started = threads_started();
    long blocks = live_blocks();
    for (int i = 0; i < 100; i += 1) {
        size_t ran = 0;
        CHECK_EQUAL(sq_suspend(queue), 0);
        CHECK_EQUAL(sq_resume(queue), 0);
        CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, add_one, &ran), 0);
        CHECK_EQUAL(ran, 1);
    }
    CHECK_EQUAL(threads_started(), started);
    CHECK_EQUAL(live_blocks(), blocks);
    sq_queue_release(queue);
}

/* To see it fail: in sq__baton_next, do not look at the control word. */
static void check_suspended_meanwhile(void (*hold_by)(hold_t *, sq_queue_t *)) {
    sq_queue_t *queue = make_queue_of("meanwhile", 0);
    size_t ran = 0;
    hold_t hold;
    hold_by(&hold, queue);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    caller_t caller;
    caller_start(&caller, BY_SYNC, queue, SQ_FOREVER, add_one, &ran);
    wait_for_depth(queue, 2);
    CHECK_EQUAL(sq_suspend(queue), 0);
    hold_end(&hold); /* the one that runs goes on to its end */
    CHECK_EQUAL(sq_sync_until(queue, sq_deadline(5000000), must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(stats_now(queue).ran, 1);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(caller_end(&caller), 0);
    CHECK_EQUAL(ran, 2);
    sq_queue_release(queue);
}

TEST(an_async_task_that_runs_ends_and_the_next_does_not_start) { check_suspended_meanwhile(hold_async); }
TEST(a_sync_task_that_runs_ends_and_the_next_does_not_start) { check_suspended_meanwhile(hold_sync); }

static void suspend_own(void *context) { CHECK_EQUAL(sq_suspend(context), 0); }
static void resume_own(void *context) { CHECK_EQUAL(sq_resume(context), 0); }

static void suspend_and_resume_own(void *context) {
    suspend_own(context);
    resume_own(context);
    CHECK_EQUAL(sq_resume(context), EINVAL);
}

TEST(a_task_can_suspend_its_own_queue_and_is_the_last_to_run) {
    sq_queue_t *queue = make_queue_of("own", 0);
    size_t ran = 0;
    for (size_t i = 0; i < scaled(1000); i += 1) {
        ran = 0;
        if (i % 2) {
            CHECK_EQUAL(sq_sync(queue, suspend_own, queue), 0);
        } else {
            CHECK_EQUAL(sq_async(queue, suspend_own, queue), 0);
        }
        CHECK_EQUAL(sq_async(queue, add_one, &ran), 0); /* behind it, so never before the resume */
        CHECK_EQUAL(sq_sync_until(queue, sq_deadline(20000), must_not_run, NULL), ETIMEDOUT);
        while (sq_resume(queue) != 0) { /* the task may not have run yet */
            sched_yield();
        }
        drain(queue);
        CHECK_EQUAL(ran, 1);
    }
    sq_queue_release(queue);
}

TEST(a_task_can_resume_its_own_queue) {
    sq_queue_t *queue = make_queue_of("own", 0);
    for (size_t i = 0; i < scaled(1000); i += 1) {
        size_t ran = 0;
        hold_t hold;
        hold_async(&hold, queue);
        CHECK_EQUAL(sq_suspend(queue), 0);
        CHECK_EQUAL(sq_resume(queue), 0);
        CHECK_EQUAL(sq_async(queue, suspend_and_resume_own, queue), 0);
        CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
        hold_end(&hold);
        CHECK_EQUAL(sq_sync(queue, suspend_and_resume_own, queue), 0);
        CHECK_EQUAL(ran, 1);
    }
    sq_queue_release(queue);
}

/* A running task has the queue resumed that somebody else suspended meanwhile. */
typedef struct pausing {
    sq_queue_t *queue;
    latch_t entered, suspended;
} pausing_t;

static void resume_when_suspended(void *context) {
    pausing_t *pausing = context;
    latch_bump(&pausing->entered);
    latch_wait(&pausing->suspended, 1);
    CHECK_EQUAL(sq_resume(pausing->queue), 0);
}

TEST(a_running_task_can_resume_what_another_thread_suspended) {
    for (size_t i = 0; i < scaled(500); i += 1) {
        pausing_t pausing = { make_queue_of("resumed inside", 0), LATCH_INIT, LATCH_INIT };
        size_t ran = 0;
        CHECK_EQUAL(sq_async(pausing.queue, resume_when_suspended, &pausing), 0);
        CHECK_EQUAL(sq_async(pausing.queue, add_one, &ran), 0);
        latch_wait(&pausing.entered, 1);
        CHECK_EQUAL(sq_suspend(pausing.queue), 0);
        latch_bump(&pausing.suspended);
        drain(pausing.queue);
        CHECK_EQUAL(ran, 1);
        sq_queue_release(pausing.queue);
        if (i % 16 == 15) {
            let_threads_end(16);
        }
    }
}

/* Letting go while suspended: nobody could resume it. */
static void count_discard(void *context) { atomic_fetch_add((atomic_size_t *)context, 1); }

static void check_abandoned(bool with_a_task_running, int suspensions) {
    enum { TASKS = 200 };
    sq_queue_t *queue = make_queue_of("abandoned", 0);
    atomic_size_t discarded = 0;
    hold_t hold;
    if (with_a_task_running) {
        hold_async(&hold, queue);
    }
    for (int i = 0; i < suspensions; i += 1) {
        CHECK_EQUAL(sq_suspend(queue), 0);
    }
    for (int i = 0; i < TASKS; i += 1) {
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ must_not_run, &discarded, count_discard }), 0);
    }
    sq_queue_release(queue);
    if (with_a_task_running) {
        CHECK_EQUAL(discarded, 0);
        hold_end(&hold);
    }
    let_threads_end(1);
    CHECK_EQUAL(discarded, TASKS);
}

TEST(the_last_release_of_a_suspended_queue_discards_what_waits) {
    check_abandoned(false, 1);
    check_abandoned(false, 3);
}

TEST(the_last_release_of_a_suspended_queue_while_a_task_runs_discards_what_waits) {
    check_abandoned(true, 1);
    check_abandoned(true, 3);
}

TEST(the_last_release_of_a_suspended_queue_without_tasks_frees_it) {
    for (int i = 0; i < 1000; i += 1) {
        sq_queue_t *queue = make_queue_of("abandoned", i % 2 ? 5 : 0);
        CHECK_EQUAL(sq_suspend(queue), 0);
        sq_queue_release(queue);
    }
}

static void release_own(void *context) { sq_queue_release(context); }

static void suspend_and_release_own(void *context) {
    suspend_own(context);
    sq_queue_release(context);
}

TEST(a_task_can_suspend_its_own_queue_and_let_go_of_it) {
    for (int i = 0; i < 300; i += 1) {
        atomic_size_t discarded = 0;
        sq_queue_t *queue = make_queue_of("own", 0);
        hold_t hold;
        hold_async(&hold, queue);
        CHECK_EQUAL(sq_async(queue, i % 2 ? suspend_and_release_own : release_own, queue), 0);
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ count_discard, &discarded, count_discard }), 0);
        hold_end(&hold);
        let_threads_end(1);
        CHECK_EQUAL(discarded, 1);
    }
}

/* Suspend against drain: after a suspend has returned at most the one task starts whose turn had come. */
typedef struct road {
    sq_queue_t *queue;
    atomic_bool over;
    atomic_size_t started, accepted;
} road_t;

static void count_start(void *context) { ((road_t *)context)->started += 1; }

static void *drive(void *argument) {
    road_t *road = argument;
    for (size_t i = 0; !road->over; i += 1) {
        int error = i % 3 == 0   ? sq_sync(road->queue, count_start, road)
                    : i % 3 == 1 ? sq_sync_until(road->queue, sq_deadline(10000), count_start, road)
                                 : sq_async_until(road->queue, SQ_FOREVER, &(sq_task_t){ count_start, road, NULL });
        CHECK(error == 0 || error == ETIMEDOUT);
        road->accepted += error == 0;
    }
    return NULL;
}

/* To see it fail: in sq__suspend_park, return false without the swap; or in sq_resume, do not clear PARKED (a hang). */
TEST(suspend_and_resume_race_with_all_submissions_and_lose_nothing) {
    enum { THREADS = 3 };
    road_t road = { .queue = make_queue_of("road", 16) };
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(drive, &road);
    }
    size_t late = 0;
    for (size_t i = 0; i < scaled(5000); i += 1) {
        int suspensions = 1 + (int)(i % 2);
        for (int k = 0; k < suspensions; k += 1) {
            CHECK_EQUAL(sq_suspend(road.queue), 0);
        }
        size_t started = road.started;
        for (int k = 0; k < 3; k += 1) {
            sched_yield();
        }
        size_t since = road.started - started;
        CHECK_AT_MOST(since, 1);
        late += since;
        for (int k = 0; k < suspensions; k += 1) {
            CHECK_EQUAL(sq_resume(road.queue), 0);
        }
        CHECK_EQUAL(sq_sync(road.queue, do_nothing, NULL), 0);
    }
    road.over = true;
    for (size_t i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    drain(road.queue);
    CHECK_EQUAL(road.started, road.accepted);
    CHECK_EQUAL(stats_now(road.queue).depth, 0);
    note("%zu tasks, %zu of them on their way when a suspend returned", (size_t)road.accepted, late);
    sq_queue_release(road.queue);
}

/* Two that suspend and resume at the same time, and a third that submits. */
static void *toggle(void *argument) {
    road_t *road = argument;
    for (size_t i = 0; i < scaled(20000); i += 1) {
        CHECK_EQUAL(sq_suspend(road->queue), 0);
        CHECK_EQUAL(sq_resume(road->queue), 0);
    }
    return NULL;
}

TEST(suspensions_of_several_threads_balance) {
    road_t road = { .queue = make_queue_of("balance", 16) };
    pthread_t driver = spawn(drive, &road), first = spawn(toggle, &road), second = spawn(toggle, &road);
    join(first);
    join(second);
    road.over = true;
    join(driver);
    CHECK_EQUAL(sq_resume(road.queue), EINVAL);
    drain(road.queue);
    CHECK_EQUAL(road.started, road.accepted);
    sq_queue_release(road.queue);
}

/* Tasks that stand between the last release of a suspended queue and its resumption by nobody: submitters and releasers
 * race, each accepted task is run or discarded once. */
typedef struct crossing {
    sq_queue_t *queue;
    latch_t go;
    atomic_size_t accepted, ran, discarded;
} crossing_t;

static void count_ran(void *context) { ((crossing_t *)context)->ran += 1; }
static void count_discarded(void *context) { ((crossing_t *)context)->discarded += 1; }

static void *submit_and_let_go(void *argument) {
    crossing_t *crossing = argument;
    latch_wait(&crossing->go, 1);
    for (int i = 0; i < 20; i += 1) {
        crossing->accepted += sq_async_task(crossing->queue, &(sq_task_t){ count_ran, crossing, count_discarded }) == 0;
    }
    sq_queue_release(crossing->queue);
    return NULL;
}

static void *suspend_and_let_go(void *argument) {
    crossing_t *crossing = argument;
    latch_wait(&crossing->go, 1);
    CHECK_EQUAL(sq_suspend(crossing->queue), 0);
    sq_queue_release(crossing->queue);
    return NULL;
}

TEST(the_last_release_races_with_submissions_and_a_suspension_and_each_task_has_one_outcome) {
    size_t all_ran = 0, all_discarded = 0;
    for (size_t round = 0; round < scaled(1000); round += 1) {
        crossing_t crossing = { .queue = make_queue_of("crossing", 0), .go = LATCH_INIT };
        pthread_t threads[3];
        sq_queue_retain(crossing.queue);
        sq_queue_retain(crossing.queue);
        threads[0] = spawn(submit_and_let_go, &crossing);
        threads[1] = spawn(suspend_and_let_go, &crossing);
        threads[2] = spawn(submit_and_let_go, &crossing);
        latch_bump(&crossing.go);
        for (int i = 0; i < 3; i += 1) {
            join(threads[i]);
        }
        let_threads_end(1);
        CHECK_EQUAL(crossing.accepted, 40);
        CHECK_EQUAL(crossing.ran + crossing.discarded, 40);
        all_ran += crossing.ran;
        all_discarded += crossing.discarded;
    }
    note("%zu ran, %zu were discarded", all_ran, all_discarded);
}

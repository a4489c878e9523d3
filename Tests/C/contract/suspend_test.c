/* suspend_test.c: suspend and resume against everything that starts a task. */
#include "suspend.h"

TEST(a_suspended_queue_starts_nothing_and_continues_in_order_when_resumed) {
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
    CHECK_EQUAL(sq_suspend(queue), 0); /* the first suspension makes the record that a dump finds the queue by */
    CHECK_EQUAL(sq_resume(queue), 0);
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
    hold_end(&hold); /* the running task continues to its end */
    CHECK_EQUAL(sq_sync_until(queue, sq_deadline(5000000), must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(stats_now(queue).ran, 1);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(caller_end(&caller), 0);
    CHECK_EQUAL(ran, 2);
    sq_queue_release(queue);
}

TEST(an_async_task_that_runs_ends_and_the_next_does_not_start) { check_suspended_meanwhile(hold_async); }
TEST(a_sync_task_that_runs_ends_and_the_next_does_not_start) { check_suspended_meanwhile(hold_sync); }

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

/* A running task resumes the queue, which another thread has suspended meanwhile. */
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

/* Suspend against drain: after a suspend has returned, at most one more task starts: the one whose turn had already come. */
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

/* call_test.c: run_and_wait: the queue's thread runs the function and the caller waits. The caller can withdraw only before the
 * function starts. */
#include "caller.h"
#include "inject.h"
#include "pools.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static void note_thread(void *context) { *(pthread_t *)context = pthread_self(); }

TEST(a_call_runs_on_the_thread_of_the_async_tasks_and_its_writes_are_visible) {
    sq_queue_t *queue = make_queue_of("thread", 0);
    uint64_t started = threads_started();
    pthread_t of_call, of_async;
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, note_thread, &of_call), 0); /* starts the thread */
    CHECK_EQUAL(sq_async(queue, note_thread, &of_async), 0);
    drain(queue);
    CHECK(pthread_equal(of_call, of_async));
    CHECK(!pthread_equal(of_call, pthread_self()));
    CHECK_EQUAL(threads_started() - started, 1);
    check_outcomes(queue, 3, 0, 0, 0);
    sq_queue_release(queue);
}

static void look_current(void *context) { CHECK(sq_current_queue() == context && sq_is_current(context)); }

TEST(in_a_call_its_queue_is_current) {
    sq_queue_t *queue = make_queue_of("current", 0);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, look_current, queue), 0);
    CHECK(sq_current_queue() == NULL);
    sq_queue_release(queue);
}

/* Submitted behind a task that blocks: async, call, sync, async, call. */
static void check_order(void (*hold_by)(hold_t *, sq_queue_t *)) {
    enum { STEPS = 250 }; /* more than a segment */
    sq_queue_t *queue = make_queue_of("order", 0);
    journal_t journal = { 0 };
    static entry_t entries[STEPS];
    static caller_t callers[STEPS];
    hold_t hold;
    hold_by(&hold, queue);
    for (int i = 0; i < STEPS; i += 1) {
        entries[i] = (entry_t){ &journal, i };
        if (i % 25 < 2) {
            caller_start(&callers[i], i % 25 ? BY_SYNC : BY_CALL, queue, SQ_FOREVER, write_entry, &entries[i]);
            wait_for_depth(queue, (size_t)i + 1);
        } else {
            CHECK_EQUAL(sq_async(queue, write_entry, &entries[i]), 0);
        }
    }
    hold_end(&hold);
    for (int i = 0; i < STEPS; i += 1) {
        CHECK(i % 25 >= 2 || caller_end(&callers[i]) == 0);
    }
    drain(queue);
    CHECK_EQUAL(journal.count, STEPS);
    for (int i = 0; i < STEPS; i += 1) {
        CHECK_EQUAL(journal.entries[i], i);
    }
    sq_queue_release(queue);
}

TEST(calls_syncs_and_asyncs_share_one_order_behind_an_async_task) { check_order(hold_async); }
TEST(calls_syncs_and_asyncs_share_one_order_behind_a_sync_task) { check_order(hold_sync); }

TEST(a_call_whose_deadline_passes_before_its_turn_never_runs) {
    sq_queue_t *queue = make_queue_of("too late", 0);
    hold_t hold;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_run_and_wait(queue, 1, must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(sq_run_and_wait(queue, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    hold_end(&hold);
    drain(queue);
    check_outcomes(queue, 2, 0, 3, 0);
    sq_queue_release(queue);
}

/* The turn of a call on a free queue has come, though its thread has yet to wake up. */
TEST(a_call_on_a_free_queue_has_its_turn_whatever_the_deadline) {
    sq_queue_t *queue = make_queue_of("free", 0);
    size_t ran = 0;
    for (size_t i = 0; i < 200; i += 1) {
        while (sq_sync_until(queue, SQ_NOW, do_nothing, NULL) != 0) { /* the queue's thread lingers a while */
            sched_yield();
        }
        CHECK_EQUAL(sq_run_and_wait(queue, SQ_NOW, add_one, &ran), 0);
    }
    CHECK_EQUAL(ran, 200);
    sq_queue_release(queue);
}

typedef struct late_call {
    sq_queue_t *queue;
    latch_t leave;
    atomic_int thread_id;
    size_t ran;
    int error;
} late_call_t;

static void *call_at_once(void *argument) {
    late_call_t *call = argument;
    call->thread_id = gettid();
    call->error = sq_run_and_wait(call->queue, SQ_NOW, add_one, &call->ran);
    latch_wait(&call->leave, 1); /* asleep in any case, so that the test can wait for that */
    return NULL;
}

TEST(a_call_on_a_free_queue_of_a_busy_pool_waits_until_its_deadline_and_with_sq_now_without_a_limit) {
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *busy = queue_on(pool, "busy", 0), *bounded = queue_on(pool, "bounded", 0);
    late_call_t call = { .queue = queue_on(pool, "free", 0), .leave = LATCH_INIT, .error = -1 };
    hold_t hold;
    hold_async(&hold, busy);
    CHECK_EQUAL(sq_run_and_wait(bounded, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(sq_run_and_wait(bounded, 1, must_not_run, NULL), ETIMEDOUT);
    pthread_t thread = spawn(call_at_once, &call);
    wait_until_asleep(&call.thread_id);
    CHECK_EQUAL(call.ran, 0);
    hold_end(&hold);
    latch_bump(&call.leave);
    join(thread);
    CHECK_EQUAL(call.error, 0);
    CHECK_EQUAL(call.ran, 1);
    sq_queue_release(busy);
    sq_queue_release(bounded);
    sq_queue_release(call.queue);
    sq_pool_release(pool);
}

typedef struct slow {
    sq_time_t deadline;
    latch_t entered, leave;
    bool done;
} slow_t;

static void be_slow(void *context) {
    slow_t *slow = context;
    latch_bump(&slow->entered);
    latch_wait(&slow->leave, 1);
    slow->done = true;
}

static void *leave_after_the_deadline(void *argument) {
    slow_t *slow = argument;
    latch_wait(&slow->entered, 1);
    while (sq_deadline(0) < slow->deadline + 20000000) { /* the caller had 20 ms to return too early, and never may */
        sched_yield();
    }
    latch_bump(&slow->leave);
    return NULL;
}

TEST(a_call_that_has_begun_is_waited_for_beyond_its_deadline) {
    sq_queue_t *queue = make_queue_of("begun", 0);
    for (size_t begun = 0, tries = 0; begun < 5 && tries < 200; tries += 1) {
        slow_t slow = { .deadline = sq_deadline(50000000), .entered = LATCH_INIT, .leave = LATCH_INIT };
        pthread_t leaver = spawn(leave_after_the_deadline, &slow);
        int error = sq_run_and_wait(queue, slow.deadline, be_slow, &slow);
        if (error == ETIMEDOUT) { /* a machine too busy to begin within 50 ms */
            CHECK(!slow.done);
            latch_bump(&slow.entered);
        } else {
            CHECK_EQUAL(error, 0);
            CHECK(slow.done);
            begun += 1;
        }
        join(leaver);
        CHECK(tries < 199);
    }
    sq_queue_release(queue);
}

static void call_itself(void *context) {
    CHECK_EQUAL(sq_run_and_wait(context, SQ_FOREVER, must_not_run, NULL), EDEADLK);
    CHECK(strstr(sq_deadlock_report(), "run_and_wait") != NULL);
    CHECK(strstr(sq_deadlock_report(), "\"own\"") != NULL);
}

TEST(a_call_onto_the_own_queue_is_refused) {
    sq_queue_t *queue = make_queue_of("own", 0);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, call_itself, queue), 0);
    CHECK_EQUAL(sq_sync(queue, call_itself, queue), 0);
    CHECK_EQUAL(sq_async(queue, call_itself, queue), 0);
    drain(queue);
    check_outcomes(queue, 4, 0, 0, 3);
    sq_queue_release(queue);
}

TEST(a_call_needs_no_room_in_a_full_queue) {
    sq_queue_t *queue = make_queue_of("full", 1);
    size_t ran = 0;
    hold_t hold;
    caller_t caller;
    hold_async(&hold, queue);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), EAGAIN);
    caller_start(&caller, BY_CALL, queue, FAR, add_one, &ran);
    wait_for_depth(queue, 2);
    hold_end(&hold);
    CHECK_EQUAL(caller_end(&caller), 0);
    CHECK_EQUAL(ran, 2);
    sq_queue_release(queue);
}

TEST(a_call_while_no_thread_can_be_started_is_ENOMEM_and_can_be_made_again) {
    sq_queue_t *queue = make_queue_of("no thread", 0);
    size_t ran = 0;
    fail_nth(FAIL_THREAD, 1, true);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, must_not_run, NULL), ENOMEM);
    CHECK_EQUAL(fail_nothing(), 1);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, add_one, &ran), 0);
    CHECK_EQUAL(ran, 1);
    check_outcomes(queue, 1, 0, 0, 1);
    sq_queue_release(queue);
}

static void release_from_inside(void *context) { sq_queue_release(context); }

TEST(the_last_reference_can_be_released_by_its_own_call) {
    for (size_t i = 0; i < 500; i += 1) {
        sq_queue_t *queue = make_queue_of("own call", 0);
        CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, release_from_inside, queue), 0);
        if (i % 16 == 15) {
            let_threads_end(16);
        }
    }
}

/* Claim, withdrawal and end of a call race: deadlines of 0 to 20 us, in a stream of async tasks. The function writes to the caller's
 * stack, so one that runs too late is also a use after return. */
typedef struct storm {
    sq_queue_t *queue;
    size_t calls;
    atomic_size_t number, in_time, too_late, streamed;
    atomic_bool over;
    size_t inside; /* plain: the queue protects it */
} storm_t;

typedef struct mark {
    storm_t *storm;
    bool entered, done; /* plain: the outcome orders them */
} mark_t;

static void run_marked(void *context) {
    mark_t *mark = context;
    mark->entered = true;
    mark->storm->inside += 1;
    for (volatile int i = 0; i < 1500; i += 1) {
    }
    mark->done = true;
}

static void *call_shortly(void *argument) {
    storm_t *storm = argument;
    random_stream_t random = random_start(10 + atomic_fetch_add(&storm->number, 1));
    mark_t *given_up = calloc(storm->calls, sizeof *given_up);
    REQUIRE(given_up != NULL);
    for (size_t i = 0; i < storm->calls; i += 1) {
        given_up[i].storm = storm;
        int error = sq_run_and_wait(storm->queue, sq_deadline(random_below(&random, 20001)), run_marked, &given_up[i]);
        CHECK(error == 0 || error == ETIMEDOUT);
        CHECK_EQUAL(given_up[i].done, error == 0);
        if (error == 0) {
            storm->in_time += 1;
        } else {
            storm->too_late += 1;
        }
    }
    drain(storm->queue);
    size_t ran = 0;
    for (size_t i = 0; i < storm->calls; i += 1) {
        CHECK_EQUAL(given_up[i].entered, given_up[i].done);
        ran += given_up[i].entered;
    }
    CHECK_AT_MOST(ran, storm->in_time);
    free(given_up);
    return NULL;
}

static void count_streamed(void *context) { ((storm_t *)context)->inside += 1; }

static void *stream(void *argument) {
    storm_t *storm = argument;
    const sq_task_t task = { count_streamed, storm, NULL };
    while (!storm->over) {
        CHECK_EQUAL(sq_async_until(storm->queue, SQ_FOREVER, &task), 0);
        storm->streamed += 1;
    }
    return NULL;
}

TEST(calls_that_time_out_after_0_to_20_us_run_once_or_never) {
    enum { THREADS = 4 };
    storm_t storm = { .queue = make_queue_of("storm", 32), .calls = scaled(10000) };
    pthread_t threads[THREADS];
    pthread_t streamer = spawn(stream, &storm);
    for (size_t i = 0; i < THREADS; i += 1) {
        threads[i] = spawn(call_shortly, &storm);
    }
    for (size_t i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    storm.over = true;
    join(streamer);
    drain(storm.queue);
    CHECK_EQUAL(storm.in_time + storm.too_late, THREADS * storm.calls);
    CHECK_EQUAL(storm.inside, storm.in_time + storm.streamed);
    check_outcomes(storm.queue, storm.in_time + storm.streamed + THREADS + 1, 0, storm.too_late, 0);
    note("%zu in time, %zu too late, %zu async", (size_t)storm.in_time, (size_t)storm.too_late, (size_t)storm.streamed);
    sq_queue_release(storm.queue);
}

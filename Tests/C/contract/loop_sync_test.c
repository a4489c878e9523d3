/* loop_sync_test.c: a queue on a loop is bound to the loop's owner: waiting calls of other threads run there, those of the owner in
 * place. */
#include "loop.h"
#include "measured.h"

enum { BY_EITHER = WAYS, BY_SYNC_OR_RUN };

typedef struct call {
    sq_pool_t *pool;
    sq_queue_t *queue;
    int way, error;
    place_t place;
} call_t;

static int make_call(call_t *call, sq_time_t deadline) {
    switch (call->way) {
    case BY_EITHER:
        return sq_async_and_wait(call->queue, deadline, note_place, &call->place);
    case BY_SYNC_OR_RUN:
        return sq_sync_or_run(call->queue, note_place, &call->place);
    default:
        return wait_by((way_t)call->way, call->queue, deadline, note_place, &call->place);
    }
}

static void *call_from_outside(void *argument) {
    call_t *call = argument;
    call->error = make_call(call, FAR);
    CHECK_EQUAL(sq_pool_stop(call->pool), 0);
    return NULL;
}

TEST(a_sync_of_another_thread_runs_on_the_owner_in_each_way) {
    static const int ways[] = { BY_SYNC, BY_SYNC_UNTIL, BY_CALL, BY_EITHER, BY_SYNC_OR_RUN };
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i += 1) {
        call_t call = { .pool = pool, .queue = queue, .way = ways[i], .error = -1 };
        pthread_t caller = spawn(call_from_outside, &call);
        CHECK_EQUAL(sq_pool_run_forever(pool), 0);
        join(caller);
        CHECK_EQUAL(call.error, 0);
        CHECK_EQUAL(call.place.count, 1);
        CHECK(pthread_equal(call.place.thread, pthread_self()));
    }
    check_outcomes(queue, 5, 0, 0, 0);
    end(pool, queue, NULL);
}

static void *call_in_vain(void *argument) {
    call_t *call = argument;
    CHECK_EQUAL(make_call(call, SQ_NOW), EAGAIN);
    CHECK_EQUAL(make_call(call, 1), ETIMEDOUT);
    CHECK_EQUAL(make_call(call, sq_deadline(1000000)), ETIMEDOUT);
    return NULL;
}

TEST(a_sync_of_another_thread_does_not_run_after_its_deadline) {
    static const int ways[] = { BY_SYNC_UNTIL, BY_EITHER };
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    for (int i = 0; i < 2; i += 1) {
        call_t call = { .pool = pool, .queue = queue, .way = ways[i] };
        join(spawn(call_in_vain, &call));
        WHATEVER(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW));
        CHECK_EQUAL(call.place.count, 0);
    }
    check_outcomes(queue, 0, 0, 2, 4);
    end(pool, queue, NULL);
}

typedef struct hasty {
    call_t call;
    latch_t made, ran;
} hasty_t;

enum { HASTY_CALLS = 2000 };

static void *call_with_little_time(void *argument) {
    hasty_t *hasty = argument;
    for (size_t i = 0; i < HASTY_CALLS; i += 1) {
        CHECK_EQUAL(make_call(&hasty->call, sq_deadline(50 + i * 37 % 4000)), ETIMEDOUT);
        latch_bump(&hasty->made);
        latch_wait(&hasty->ran, i + 1);
    }
    return NULL;
}

/* No thread runs the loop during the call. */
TEST(a_call_on_a_free_queue_of_a_loop_ends_at_its_deadline_wherever_that_passes) {
    static const int ways[] = { BY_SYNC_UNTIL, BY_CALL, BY_EITHER };
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    WHATEVER(sq_pool_run_some(pool, 1, SQ_NOW));
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i += 1) {
        hasty_t hasty = { .call = { .queue = queue, .way = ways[i] }, .made = LATCH_INIT, .ran = LATCH_INIT };
        pthread_t caller = spawn(call_with_little_time, &hasty);
        for (size_t calls = 1; calls <= HASTY_CALLS; calls += 1) {
            latch_wait(&hasty.made, calls);
            WHATEVER(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW)); /* passes over what was withdrawn: the queue is free again */
            latch_bump(&hasty.ran);
        }
        join(caller);
        CHECK_EQUAL(hasty.call.place.count, 0);
    }
    end(pool, queue, NULL);
}

typedef struct nest {
    sq_queue_t *outer, *inner;
} nest_t;

static void check_current(void *context) {
    nest_t *nest = context;
    CHECK(sq_is_current(nest->inner) && sq_is_current(nest->outer));
    submit(nest->inner, 5);
}

static void sync_inner(void *context) {
    nest_t *nest = context;
    submit(nest->inner, 2);
    submit(nest->inner, 3);
    CHECK_EQUAL(sq_sync(nest->inner, check_current, nest), 0);
    CHECK_EQUAL(sq_run_and_wait(nest->inner, FAR, write_entry, &numbers[6]), 0);
}

TEST(a_sync_of_the_owner_runs_what_is_ahead_in_that_queue_and_then_in_place) {
    sq_pool_t *pool = make_loop_pool();
    nest_t nest = { queue_on(pool, "outer", 0), queue_on(pool, "inner", 0) };
    begin();
    WHATEVER(sq_pool_run_some(pool, 1, SQ_NOW));
    CHECK_EQUAL(sq_sync(nest.inner, write_entry, &numbers[0]), 0);
    CHECK_EQUAL(sq_async(nest.outer, sync_inner, &nest), 0);
    submit(nest.outer, 9);
    submit(nest.inner, 1);
    CHECK_EQUAL(sq_sync_until(nest.inner, SQ_NOW, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_pool_run_some(pool, 1, SQ_NOW), 1);
    CHECK_JOURNAL(0, 1, 2, 3, 5, 6);
    CHECK_EQUAL(sq_sync(nest.outer, write_entry, &numbers[10]), 0);
    CHECK_JOURNAL(0, 1, 2, 3, 5, 6, 9, 10);
    end(pool, nest.outer, nest.inner);
}

TEST(a_sync_of_the_owner_is_in_the_queues_histograms) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "measured", 0);
    begin();
    WHATEVER(sq_pool_run_some(pool, 1, SQ_NOW));
    CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
    CHECK_EQUAL(sq_sync(queue, write_entry, &numbers[0]), 0);
    CHECK_EQUAL(sq_async(queue, use_time, NULL), 0);
    CHECK_EQUAL(sq_sync(queue, write_entry, &numbers[2]), 0); /* has to wait for the task */
    CHECK(check_both(queue, 3).waiting.longest >= 1000000);
    end(pool, queue, NULL);
}

TEST(the_owner_runs_ahead_in_waits_for_room_and_for_the_end) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 2), *suspended = queue_on(pool, "suspended", 0);
    begin();
    WHATEVER(sq_pool_run_some(pool, 1, SQ_NOW));
    for (int i = 0; i < 6; i += 1) {
        CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &(sq_task_t){ write_entry, &numbers[i], NULL }), 0);
    }
    CHECK_EQUAL(journal.count, 4);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_JOURNAL(0, 1, 2, 3, 4, 5);
    CHECK_EQUAL(sq_sync(queue, must_not_run, NULL), ESHUTDOWN);
    CHECK_EQUAL(sq_suspend(suspended), 0);
    submit(suspended, 6);
    CHECK_EQUAL(sq_sync_until(suspended, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(sq_shutdown(suspended, SQ_SHUTDOWN_DRAIN, sq_deadline(1000000)), ETIMEDOUT); /* closed, and still parked */
    CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW), 0);
    CHECK_EQUAL(sq_resume(suspended), 0);
    CHECK_EQUAL(sq_shutdown(suspended, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(journal.count, 7);
    end(pool, queue, suspended);
}

/* Submitters meet the owner at each step of a submission: one may have taken a slot and not filled it, or own the queue and not have
 * posted it, when the owner wants its turn. */
enum { POSTERS = 3 };
typedef struct storm {
    sq_queue_t *queue;
    size_t rounds, ran;
    latch_t *done;
} storm_t;

static void add_to_storm(void *context) { ((storm_t *)context)->ran += 1; }

static void *post(void *argument) {
    storm_t *storm = argument;
    for (size_t i = 0; i < storm->rounds; i += 1) {
        CHECK_EQUAL(sq_async(storm->queue, add_to_storm, storm), 0);
    }
    latch_bump(storm->done);
    return NULL;
}

TEST(the_owner_gets_its_turn_among_submitters_at_every_step) {
    sq_pool_t *pool = make_loop_pool();
    latch_t done = LATCH_INIT;
    storm_t storm = { queue_on(pool, "on a loop", 0), scaled(20000), 0, &done };
    pthread_t posters[POSTERS];
    WHATEVER(sq_pool_run_some(pool, 1, SQ_NOW));
    for (int i = 0; i < POSTERS; i += 1) {
        posters[i] = spawn(post, &storm);
    }
    size_t syncs = 0;
    while (latch_value(&done) < POSTERS) {
        CHECK_EQUAL(sq_sync(storm.queue, add_to_storm, &storm), 0);
        syncs += 1;
    }
    for (int i = 0; i < POSTERS; i += 1) {
        join(posters[i]);
    }
    CHECK_EQUAL(sq_sync(storm.queue, add_to_storm, &storm), 0);
    CHECK_EQUAL(storm.ran, POSTERS * storm.rounds + syncs + 1);
    end(pool, storm.queue, NULL);
}

static void *sync_many(void *argument) {
    storm_t *storm = argument;
    for (size_t i = 0; i < storm->rounds; i += 1) {
        CHECK_EQUAL(i % 2 ? sq_sync(storm->queue, add_to_storm, storm)
                          : sq_async_and_wait(storm->queue, FAR, add_to_storm, storm), 0);
    }
    latch_bump(storm->done);
    return NULL;
}

TEST(syncs_of_many_threads_run_on_the_owner_one_at_a_time) {
    sq_pool_t *pool = make_loop_pool();
    latch_t done = LATCH_INIT;
    storm_t storm = { queue_on(pool, "on a loop", 0), scaled(5000), 0, &done };
    pthread_t threads[POSTERS];
    for (int i = 0; i < POSTERS; i += 1) {
        threads[i] = spawn(sync_many, &storm);
    }
    while (latch_value(&done) < POSTERS) {
        WHATEVER(sq_pool_run_some(pool, 7, sq_deadline(1000000)));
    }
    for (int i = 0; i < POSTERS; i += 1) {
        join(threads[i]);
    }
    CHECK_EQUAL(storm.ran, POSTERS * storm.rounds);
    end(pool, storm.queue, NULL);
}

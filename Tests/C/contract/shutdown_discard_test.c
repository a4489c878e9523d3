/* shutdown_discard_test.c: the discard functions of a shutdown, and what they may do. */
#include "shutdown.h"

/* Discard functions may call back into the queue: it is the current one, and no lock is held. */
typedef struct visitor {
    sq_queue_t *queue, *other;
    size_t visits;
} visitor_t;

static void visit(void *context) {
    visitor_t *visitor = context;
    const sq_task_t never = { must_not_run, NULL, must_not_run };
    CHECK(sq_current_queue() == visitor->queue);
    CHECK(sq_is_current(visitor->queue));
    CHECK_EQUAL(sq_async(visitor->queue, must_not_run, NULL), ESHUTDOWN);
    CHECK_EQUAL(sq_async_until(visitor->queue, SQ_FOREVER, &never), ESHUTDOWN);
    CHECK_EQUAL(sq_sync(visitor->queue, must_not_run, NULL), EDEADLK);
    CHECK_EQUAL(sq_sync_or_run(visitor->queue, add_one, &visitor->visits), 0);
    CHECK_EQUAL(sq_shutdown(visitor->queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), EDEADLK);
    CHECK_EQUAL(sq_suspend(visitor->queue), 0);
    CHECK_EQUAL(sq_resume(visitor->queue), 0);
    CHECK_EQUAL(sq_sync(visitor->other, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_run_and_wait(visitor->other, SQ_FOREVER, do_nothing, NULL), 0);
    sq_queue_release(sq_queue_retain(visitor->queue));
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(visitor->queue, &stats);
}

TEST(a_discard_function_can_call_back_into_its_queue) {
    for (size_t capacity = 0; capacity < 6; capacity += 5) {
        visitor_t visitor = { make_queue_of("visited", capacity), make_queue_of("other", 0), 0 };
        hold_t hold;
        hold_async(&hold, visitor.queue);
        for (int i = 0; i < 5; i += 1) {
            CHECK_EQUAL(sq_async_task(visitor.queue, &(sq_task_t){ must_not_run, &visitor, visit }), 0);
        }
        CHECK_EQUAL(sq_shutdown(visitor.queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
        hold_end(&hold);
        CHECK_EQUAL(sq_shutdown(visitor.queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
        CHECK_EQUAL(visitor.visits, 5);
        sq_queue_release(visitor.queue);
        sq_queue_release(visitor.other);
    }
}

/* The tasks hold the references: a discard function releases the last one. */
static void release_context(void *context) { sq_queue_release(context); }

TEST(discard_functions_can_release_the_last_reference) {
    for (int i = 0; i < 300; i += 1) {
        sq_queue_t *queue = make_queue_of("references", 0);
        CHECK_EQUAL(sq_suspend(queue), 0);
        for (int k = 0; k < 5; k += 1) {
            sq_queue_retain(queue);
            CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ must_not_run, queue, release_context }), 0);
        }
        int error = sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, i % 2 ? SQ_FOREVER : SQ_NOW);
        CHECK(error == 0 || (i % 2 == 0 && error == ETIMEDOUT));
        sq_queue_release(queue);
        if (i % 16 == 15) {
            let_threads_end(16);
        }
    }
}

static void count_cleaned(void *first, void *second, bool runs) {
    CHECK(!runs);
    *(size_t *)first += 1;
    CHECK(second == first);
}

TEST(a_pair_that_is_discarded_is_called_with_runs_false) {
    sq_queue_t *queue = make_queue_of("pairs", 0);
    size_t cleaned = 0;
    hold_t hold;
    hold_async(&hold, queue);
    for (size_t i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_async_pair(queue, SQ_NOW, count_cleaned, &cleaned, &cleaned), 0);
    }
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    hold_end(&hold);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(cleaned, 3);
    sq_queue_release(queue);
}

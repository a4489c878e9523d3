/* pending_timers_test.c: the references that delayed tasks have to their queue, when it is shut down. */
#include "harness.h"
#include "inject.h"
#include "timed.h"

static void count(void *context) { *(size_t *)context += 1; }

/* Three delayed tasks, of which `due` run before the shutdowns. */
static void shut_down_with_delayed_tasks(size_t due) {
    bench_t bench = bench_of(0);
    size_t ran = 0, discarded = 0;
    const sq_task_t task = { .run = count, .context = &ran };
    for (size_t i = 1; i <= 3; i += 1) {
        CHECK_EQUAL(sq_async_task_after(bench.queue, SECONDS(i), &task), 0);
    }
    sq_timer_t *timer = sq_timer_create(bench.queue, &(sq_task_t){ .run = count, .context = &discarded });
    REQUIRE(timer != NULL);
    sq_pool_advance(bench.pool, SECONDS(due));
    CHECK_EQUAL(ran, due);
    sq_timer_release(timer);
    sq_pool_run(bench.pool);
    CHECK_EQUAL(sq_shutdown(bench.queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_shutdown(bench.queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, due);
    /* The caller's reference is the last one: the queue still exists, and is freed with it. */
    long blocks = live_blocks();
    sq_queue_release(bench.queue);
    CHECK(live_blocks() < blocks);
    sq_pool_release(bench.pool);
}

TEST(a_shutdown_releases_the_references_of_delayed_tasks_once) {
    for (size_t due = 0; due <= 3; due += 1) {
        shut_down_with_delayed_tasks(due);
    }
}

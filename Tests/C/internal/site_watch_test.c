/* site_watch_test.c: a stall notification and a dump say where the running task of a watched queue was submitted, without a trace. */
#include "pools.h"
#include "dump.h"
#include "stall_watcher.h"
#include "trace/trace.h"

/* Not static: so the program's own table has them in any case. */
void submit_here(sq_queue_t *queue, runner_t *runner);
void submit_there(sq_queue_t *queue, runner_t *runner);

__attribute__((noinline)) void submit_here(sq_queue_t *queue, runner_t *runner) { CHECK_EQUAL(sq_async(queue, run_long, runner), 0); }

__attribute__((noinline)) void submit_there(sq_queue_t *queue, runner_t *runner) { CHECK_EQUAL(sq_async(queue, run_long, runner), 0); }

static runner_t runner_init(void) { return (runner_t){ 0, LATCH_INIT, LATCH_INIT }; }

/* True: the address is in this function, which is shorter than that. */
static bool is_in(const void *address, void (*function)(sq_queue_t *, runner_t *)) {
    return (uintptr_t)address - (uintptr_t)function < 256;
}

static void check_site(sq_queue_t *queue) {
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    runner_t runners[2] = { runner_init(), runner_init() };
    watch(queue, &ward, SHORT);
    submit_here(queue, &runners[0]); /* into the hand-off slot */
    latch_wait(&runners[0].entered, 1);
    submit_there(queue, &runners[1]); /* into a slot of the ring */
    latch_wait(&ward.calls, 1);
    CHECK(is_in(ward.last[0].caller, submit_here));
    CHECK_LINE(dump_now(), "runs run_long", "in queue \"sited\"", ", submitted by submit_here");
    latch_bump(&runners[0].leave);
    latch_wait(&ward.calls, 2);
    CHECK(is_in(ward.last[1].caller, submit_there));
    CHECK_LINE(dump_now(), "runs run_long", "in queue \"sited\"", ", submitted by submit_there");
    latch_bump(&runners[1].leave);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

TEST(a_stall_and_a_dump_name_the_caller_that_submitted_the_running_task_of_a_watched_queue) { check_site(make_queue_of("sited", 0)); }

TEST(the_same_for_a_concurrent_queue) {
    sq_pool_t *pool = make_pool(1); /* one at a time, so the reports come in order */
    check_site(sq_queue_create("sited", &(sq_queue_options_t){ .size = sizeof(sq_queue_options_t), .pool = pool, .width = 2 }));
    sq_pool_release(pool);
}

TEST(a_task_that_was_submitted_while_its_queue_was_not_watched_has_no_site) {
    sq_queue_t *queue = make_queue_of("sited", 0);
    stall_watcher_t before = STALL_WATCHER_INIT, after = STALL_WATCHER_OF_RUNNING_INIT;
    runner_t runners[4] = { runner_init(), runner_init(), runner_init(), runner_init() };
    watch(queue, &before, HOURS);
    submit_here(queue, &runners[0]);
    latch_wait(&runners[0].entered, 1);
    submit_here(queue, &runners[1]); /* into the ring's first slot, and its site is not taken out, as nobody watches then */
    CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
    latch_bump(&runners[0].leave);
    latch_bump(&runners[1].leave);
    drain(queue);
    submit_there(queue, &runners[2]);
    latch_wait(&runners[2].entered, 1);
    submit_there(queue, &runners[3]); /* into the same slot */
    watch(queue, &after, SHORT);
    latch_bump(&runners[2].leave);
    latch_wait(&after.calls, 1);
    CHECK(after.last[0].function == run_long);
    CHECK(after.last[0].caller == NULL);
    CHECK(!has_line(dump_now(), "runs run_long", "submitted by", NULL));
    latch_bump(&runners[3].leave);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&after.discarded, 1);
    latch_wait(&before.discarded, 1);
}

TEST(the_oldest_waiting_task_of_a_queue_is_shown_with_its_caller) {
    enum { TASKS = 300 }; /* more than a segment has slots */
    sq_queue_t *queue = make_queue_of("sited", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    static runner_t runners[TASKS];
    size_t shown = 0;
    watch(queue, &ward, HOURS);
    CHECK_EQUAL(sq_suspend(queue), 0);
    for (size_t i = 0; i < TASKS; i += 1) {
        runners[i] = runner_init();
        (i % 2 == 0 ? submit_here : submit_there)(queue, &runners[i]);
        if (i == 0) {
            CHECK_LINE(dump_now(), "queue \"sited\" 0x", ": 1 waiting", "; the oldest, submitted by submit_here");
        }
    }
    CHECK_EQUAL(sq_resume(queue), 0);
    for (size_t i = 0; i + 1 < TASKS; i += 1) {
        latch_wait(&runners[i].entered, 1);
        const char *text = dump_now();
        shown += has_line(text, "queue \"sited\" 0x", "; the oldest, submitted by ", i % 2 == 0 ? "submit_there" : "submit_here");
        CHECK(!has_line(text, "queue \"sited\" 0x", "; the oldest, submitted by ", i % 2 == 0 ? "submit_here" : "submit_there"));
        latch_bump(&runners[i].leave);
    }
    CHECK(shown > TASKS * 3 / 4); /* some may have lost theirs: the table has one entry for all that have the same hash */
    latch_bump(&runners[TASKS - 1].leave);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

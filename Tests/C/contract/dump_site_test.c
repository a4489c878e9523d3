/* dump_site_test.c: a dump says where the tasks that run were submitted, if a trace is under way. */
#include "deferred.h"
#include "dump.h"
#include "concurrent.h"
#include "pools.h"

/* Not static: so the program's own table has them in any case. */
void submit_here(sq_queue_t *queue, hold_t *hold);
void submit_there(sq_queue_t *queue, hold_t *hold);
void ask_for_room(sq_queue_t *queue, sq_deferred_t *task);
void run_held(void *hold);

void run_held(void *context) {
    hold_t *hold = context;
    latch_bump(&hold->entered);
    latch_wait(&hold->leave, 1);
    latch_bump(&hold->left);
}

__attribute__((noinline)) void submit_here(sq_queue_t *queue, hold_t *hold) { CHECK_EQUAL(sq_async(queue, run_held, hold), 0); }

__attribute__((noinline)) void submit_there(sq_queue_t *queue, hold_t *hold) { CHECK_EQUAL(sq_async(queue, run_held, hold), 0); }

__attribute__((noinline)) void ask_for_room(sq_queue_t *queue, sq_deferred_t *task) {
    CHECK_EQUAL(sq_async_deferred(queue, task), EINPROGRESS);
}

static void end_hold(hold_t *hold) {
    latch_bump(&hold->leave);
    latch_wait(&hold->left, 1);
}

static void trace_begin(void) { CHECK_EQUAL(sq_trace_start("/dev/null"), 0); }

TEST(a_running_task_is_shown_with_the_function_that_submitted_it) {
    trace_begin();
    sq_queue_t *queue = make_queue_of("sited", 0);
    hold_t first = HOLD_INIT, second = HOLD_INIT;
    submit_here(queue, &first); /* into the hand-off slot */
    latch_wait(&first.entered, 1);
    submit_there(queue, &second); /* into a slot of the ring */
    CHECK_LINE(dump_now(), "runs run_held", "in queue \"sited\"", ", submitted by submit_here");
    end_hold(&first);
    latch_wait(&second.entered, 1);
    CHECK_LINE(dump_now(), "runs run_held", "in queue \"sited\"", ", submitted by submit_there");
    end_hold(&second);
    drain(queue);
    sq_queue_release(queue);
    CHECK_EQUAL(sq_trace_stop(), 0);
}

TEST(a_task_that_was_submitted_between_two_traces_does_not_have_an_earlier_site) {
    sq_queue_t *queue = make_queue_of("sited", 0);
    hold_t first = HOLD_INIT, second = HOLD_INIT, third = HOLD_INIT;
    trace_begin();
    submit_here(queue, &first);
    latch_wait(&first.entered, 1);
    submit_here(queue, &second);
    end_hold(&first);
    latch_wait(&second.entered, 1);
    end_hold(&second);
    drain(queue);
    CHECK_EQUAL(sq_trace_stop(), 0);
    submit_there(queue, &third); /* into the hand-off slot, like the first */
    trace_begin();
    latch_wait(&third.entered, 1);
    CHECK(!has_line(dump_now(), "runs run_held", "submitted by submit_here", NULL));
    CHECK_EQUAL(sq_trace_stop(), 0);
    end_hold(&third);
    drain(queue);
    sq_queue_release(queue);
}

TEST(the_tasks_of_a_concurrent_queue_are_shown_with_their_own_sites) {
    trace_begin();
    sq_pool_t *pool = make_pool(2);
    sq_queue_t *queue = make_concurrent_on(pool, 2);
    hold_t first = HOLD_INIT, second = HOLD_INIT;
    submit_here(queue, &first);
    submit_there(queue, &second);
    latch_wait(&first.entered, 1);
    latch_wait(&second.entered, 1);
    const char *text = dump_now();
    CHECK_LINE(text, "runs run_held", ", submitted by submit_here", NULL);
    CHECK_LINE(text, "runs run_held", ", submitted by submit_there", NULL);
    end_hold(&first);
    end_hold(&second);
    sq_queue_release(queue);
    sq_pool_release(pool);
    CHECK_EQUAL(sq_trace_stop(), 0);
}

typedef struct late {
    sq_deferred_t task;
    hold_t hold;
} late_t;

static void run_late(void *hold, void *unused, bool runs) {
    (void)unused;
    CHECK(runs);
    run_held(hold);
}

static void late_decided(sq_deferred_t *task, int error) {
    (void)task;
    CHECK_EQUAL(error, 0);
}

TEST(a_task_that_waited_for_room_is_shown_with_the_function_that_asked_for_it) {
    trace_begin();
    sq_queue_t *queue = make_queue_of("full", 1);
    hold_t first = HOLD_INIT, second = HOLD_INIT, other = HOLD_INIT;
    late_t late = { .hold = HOLD_INIT };
    late.task = (sq_deferred_t){ run_late, &late.hold, NULL, late_decided, false, { NULL } };
    submit_here(queue, &first);
    latch_wait(&first.entered, 1);
    submit_here(queue, &second);
    ask_for_room(queue, &late.task);
    sq_queue_t *elsewhere = make_queue_of("elsewhere", 0);
    submit_there(elsewhere, &other); /* its site is its own, not that of the deferred task */
    latch_wait(&other.entered, 1);
    CHECK_LINE(dump_now(), "in queue \"elsewhere\"", ", submitted by submit_there", NULL);
    end_hold(&other);
    end_hold(&first);
    latch_wait(&second.entered, 1);
    end_hold(&second);
    latch_wait(&late.hold.entered, 1);
    CHECK_LINE(dump_now(), "in queue \"full\"", ", submitted by ask_for_room", NULL);
    end_hold(&late.hold);
    drain(queue);
    drain(elsewhere);
    sq_queue_release(queue);
    sq_queue_release(elsewhere);
    CHECK_EQUAL(sq_trace_stop(), 0);
}

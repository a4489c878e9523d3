/* current_test.c: which queue a thread is on. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include "sq_group.h"
#include "sq_pool.h"

#ifdef __GLIBC__ /* musl has no getcontext */
#include <ucontext.h>
#endif

/* What a task saw of itself. */
typedef struct view {
    sq_queue_t *outer, *inner;
    sq_queue_t *current;
    bool on_outer, on_inner;
} view_t;

static void look(void *context) {
    view_t *view = context;
    view->current = sq_current_queue();
    view->on_outer = sq_is_current(view->outer);
    view->on_inner = sq_is_current(view->inner);
}

static void check_view(const view_t *view, const sq_queue_t *current, bool on_outer, bool on_inner) {
    CHECK(view->current == current);
    CHECK_EQUAL(view->on_outer, on_outer);
    CHECK_EQUAL(view->on_inner, on_inner);
}

static view_t make_view(void) {
    view_t view = { .outer = sq_queue_create("outer", NULL), .inner = sq_queue_create("inner", NULL) };
    REQUIRE(view.outer != NULL && view.inner != NULL);
    return view;
}

static void release_view(view_t *view) {
    sq_queue_release(view->outer);
    sq_queue_release(view->inner);
}

TEST(outside_of_any_task_no_queue_is_current) {
    view_t view = make_view();
    look(&view);
    check_view(&view, NULL, false, false);
    CHECK_EQUAL(sq_sync(view.outer, look, &view), 0);
    CHECK_EQUAL(sq_async(view.outer, look, &view), 0);
    drain(view.outer);
    look(&view);
    check_view(&view, NULL, false, false);
    release_view(&view);
}

TEST(a_task_is_on_its_own_queue_and_on_no_other) {
    view_t view = make_view();
    CHECK_EQUAL(sq_sync(view.outer, look, &view), 0); /* of a free queue */
    check_view(&view, view.outer, true, false);
    CHECK_EQUAL(sq_async(view.outer, look, &view), 0);
    CHECK_EQUAL(sq_sync(view.outer, do_nothing, NULL), 0);
    check_view(&view, view.outer, true, false);
    hold_t hold;
    hold_async(&hold, view.inner);
    CHECK_EQUAL(sq_sync(view.outer, look, &view), 0); /* while another queue has a task elsewhere */
    check_view(&view, view.outer, true, false);
    hold_end(&hold);
    release_view(&view);
}

/* Behind others, so that the function is called after a wait. */
static void *sync_look(void *argument) {
    view_t *view = argument;
    CHECK_EQUAL(sq_sync(view->outer, look, view), 0);
    CHECK(sq_current_queue() == NULL);
    return NULL;
}

TEST(a_sync_that_had_to_wait_is_on_its_queue) {
    view_t view = make_view();
    hold_t hold;
    hold_async(&hold, view.outer);
    pthread_t waiter = spawn(sync_look, &view);
    wait_for_depth(view.outer, 1);
    hold_end(&hold);
    join(waiter);
    check_view(&view, view.outer, true, false);
    release_view(&view);
}

static void sync_inner(void *context) {
    view_t *view = context;
    CHECK_EQUAL(sq_sync(view->inner, look, view), 0);
    check_view(view, view->inner, true, true);
    look(view);
    check_view(view, view->outer, true, false);
}

TEST(a_nested_task_is_on_both_queues_and_the_innermost_is_current) {
    view_t view = make_view();
    CHECK_EQUAL(sq_sync(view.outer, sync_inner, &view), 0);
    CHECK_EQUAL(sq_async(view.outer, sync_inner, &view), 0);
    drain(view.outer);
    look(&view);
    check_view(&view, NULL, false, false);
    release_view(&view);
}

static void run_inline(void *context) {
    view_t *view = context;
    CHECK_EQUAL(sq_sync_or_run(view->outer, look, view), 0);
    check_view(view, view->outer, true, true);
    look(view);
    check_view(view, view->inner, true, true);
}

static void sync_then_run_inline(void *context) {
    view_t *view = context;
    CHECK_EQUAL(sq_sync(view->inner, run_inline, view), 0);
}

TEST(a_function_run_inline_has_its_queue_current_although_another_is_inside) {
    view_t view = make_view();
    CHECK_EQUAL(sq_sync(view.outer, sync_then_run_inline, &view), 0);
    CHECK_EQUAL(sq_async(view.outer, sync_then_run_inline, &view), 0);
    drain(view.outer);
    release_view(&view);
}

/* A task that waits for another one, which its thread then runs: that one is on its own queue alone. `outer` runs the one that waits. */
static void wait_for_inner(void *context) {
    view_t *view = context;
    sq_group_t *group = sq_group_create("group");
    CHECK_EQUAL(sq_group_async(group, view->inner, look, view), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    sq_group_release(group);
}

TEST(a_task_that_is_run_for_one_that_waits_is_not_on_its_queue) {
    for (size_t width = 1; width < 3; width += 1) {
        sq_pool_t *pool = sq_pool_create_manual("manual");
        sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
        options.pool = pool;
        view_t view = { .outer = sq_queue_create("outer", &options) };
        options.width = width;
        view.inner = sq_queue_create("inner", &options);
        REQUIRE(view.outer != NULL && view.inner != NULL);
        CHECK_EQUAL(sq_async(view.outer, wait_for_inner, &view), 0);
        CHECK(sq_pool_run(pool) > 0);
        check_view(&view, view.inner, false, true);
        release_view(&view);
        sq_pool_release(pool);
    }
}

static void *look_from_elsewhere(void *argument) {
    look(argument);
    return NULL;
}

static void look_on_other_thread(void *context) { join(spawn(look_from_elsewhere, context)); }

TEST(a_thread_made_by_a_task_is_on_no_queue) {
    view_t view = make_view();
    CHECK_EQUAL(sq_sync(view.outer, look_on_other_thread, &view), 0);
    check_view(&view, NULL, false, false);
    release_view(&view);
}

static void fail_to_sync(void *context) {
    view_t *view = context;
    CHECK_EQUAL(sq_sync(view->outer, look, view), EDEADLK);
    look(view);
}

TEST(a_refused_sync_leaves_the_current_queue_alone) {
    view_t view = make_view();
    CHECK_EQUAL(sq_sync(view.outer, fail_to_sync, &view), 0);
    check_view(&view, view.outer, true, false);
    release_view(&view);
}

#ifdef __GLIBC__
/* A task may be on another stack than its thread's own, a coroutine's, and be left for a while: then addresses do not say
 * that somebody has jumped out of it, whichever of the two stacks lies higher. */
typedef struct coroutine {
    sq_queue_t *queue;
    ucontext_t task, thread;
    bool seen;
} coroutine_t;

static coroutine_t *started; /* makecontext passes ints */

static void leave_for_a_while(void *context) {
    coroutine_t *coroutine = context;
    swapcontext(&coroutine->task, &coroutine->thread);
    coroutine->seen = sq_is_current(coroutine->queue);
}

static void coroutine_main(void) { CHECK_EQUAL(sq_sync(started->queue, leave_for_a_while, started), 0); }

/* The task's stack is `low` or the thread's is: both are of this block. */
enum { STACK = 256 * 1024 };
static _Alignas(4096) char stacks[2][STACK];

static void *leave_and_come_back(void *argument) {
    coroutine_t *coroutine = started = argument;
    coroutine->task.uc_link = &coroutine->thread;
    makecontext(&coroutine->task, coroutine_main, 0);
    swapcontext(&coroutine->thread, &coroutine->task);
    CHECK(sq_is_current(coroutine->queue)); /* its task has not returned */
    swapcontext(&coroutine->thread, &coroutine->task);
    CHECK(!sq_is_current(coroutine->queue));
    return NULL;
}

/* And a task of the thread's own stack, asked from a coroutine. */
static void ask_from_coroutine(void) { started->seen = sq_is_current(started->queue); }

static void start_coroutine(void *context) {
    coroutine_t *coroutine = started = context;
    coroutine->task.uc_link = &coroutine->thread;
    makecontext(&coroutine->task, ask_from_coroutine, 0);
    swapcontext(&coroutine->thread, &coroutine->task);
}

static void *ask_elsewhere(void *argument) {
    coroutine_t *coroutine = argument;
    CHECK_EQUAL(sq_sync(coroutine->queue, start_coroutine, coroutine), 0);
    return NULL;
}

static void on_stacks(void *(*body)(void *), int task_stack) {
    coroutine_t coroutine = { .queue = sq_queue_create("coroutine", NULL) };
    pthread_attr_t attributes;
    pthread_t thread;
    getcontext(&coroutine.task);
    coroutine.task.uc_stack.ss_sp = stacks[task_stack];
    coroutine.task.uc_stack.ss_size = STACK;
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstack(&attributes, stacks[!task_stack], STACK) == 0);
    REQUIRE(__real_pthread_create(&thread, &attributes, body, &coroutine) == 0);
    join(thread);
    pthread_attr_destroy(&attributes);
    CHECK(coroutine.seen);
    sq_queue_release(coroutine.queue);
}

TEST(a_task_on_a_coroutine_is_not_taken_for_one_that_was_jumped_out_of) {
    if (SANITIZED) {
        note("left out: sanitizers do not know the stacks of coroutines");
        return;
    }
    for (int task_stack = 0; task_stack < 2; task_stack += 1) {
        on_stacks(leave_and_come_back, task_stack);
        on_stacks(ask_elsewhere, task_stack);
    }
}
#endif

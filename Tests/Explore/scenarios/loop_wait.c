/* loop_wait.c: an owner of a loop waits for a group, an item or another queue, while tasks of others need its loop.
 *
 * Queue "own" is on the loop, "work" has a thread of its own. */
#include "scenario.h"

#include "runner/runner_inline.h"
#include "thread/self.h"

#include <errno.h>
#include <string.h>

static sq_pool_t *loop;
static sq_queue_t *own, *work;
static sq_group_t *group;
static sq_item_t *item;
static int ran, wanted, refused;
static uint64_t cell; /* only the owner uses it, outside of tasks */

static void allow(int error, int also) {
    if (error && error != also) {
        ex_fail("loop: a call returned %s", strerror(error));
    }
    refused += error == EDEADLK;
}

static void run_member(void *unused) {
    (void)unused;
    ex_point();
    if (!sq__runner_is_owned_by(sq__runner(loop, SQ__LEVEL_NORMAL), sq__self()->owner)) {
        ex_fail("loop: a task runs on another thread than the owner");
    }
    ran += 1;
}

static void nothing(void *unused) { (void)unused; }

static bool owns(void) { return sq_pool_run_some(loop, 1, SQ_NOW) > 0 || errno != EPERM; }
static void become_owner(void) { (void)owns(); }

static void touch_as_owner(void) {
    if (owns()) {
        ex_caller = (const void *)touch_as_owner;
        ex_write(&cell, sizeof cell);
    }
}

static void add_member(void) {
    allow(sq_group_async(group, own, run_member, NULL), 0);
    wanted += 1;
}

static void wait_group(int also) { allow(sq_group_wait(group, SQ_FOREVER), also); }

static void sync_own(void *unused) {
    (void)unused;
    allow(sq_sync(own, nothing, NULL), EDEADLK);
}

static void wait_in_task(void *unused) {
    (void)unused;
    wait_group(EDEADLK);
}

static void add_in_task(void *unused) {
    (void)unused;
    add_member();
}

static void add_and_cancel_item(void) {
    allow(sq_group_submit_item(group, item, own), 0);
    wanted += sq_item_cancel(item) != 0; /* it has begun */
}

/* The thread's wait has just ended, and its token is free for another one. */
static void check_free_token(void) {
    sq__token_t *token = sq__token_acquire();
    if (sq__token_sleep(token, sq__token_prepare(token), stage_soon()) == SQ__OPEN) {
        ex_fail("loop: a token is free and has been woken");
    }
    sq__token_recycle(token);
}

/* By a thread of its own, whose record is freed with it: the next owner runs what is left. */
static void take_over(void *unused) {
    (void)unused;
    while (sq_pool_run_some(loop, SIZE_MAX, SQ_NOW) > 0) {
    }
    if (sq_shutdown(work, SQ_SHUTDOWN_DRAIN, SQ_FOREVER) != 0) {
        ex_fail("loop: the other queue does not end");
    }
}

/* `refusals`: how many calls must have returned EDEADLK; -1: one at most. */
static void run_threads(void (*const threads[])(void *), int refusals) {
    static const expectation_t nothing_expected;
    int ids[4];
    stage_begin(&nothing_expected, 0);
    ran = wanted = refused = 0;
    loop = sq_pool_create_loop("loop");
    const sq_queue_options_t options = { .size = sizeof options, .pool = loop };
    own = sq_queue_create("own", &options);
    work = sq_queue_create("work", NULL);
    group = sq_group_create("G");
    item = sq_item_create("item", &(sq_task_t){ run_member, NULL, NULL });
    ex_declare_group(group);
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ids[i] = ex_start(threads[i], NULL, false);
    }
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ex_join(ids[i]);
        ex_await_exit(ids[i]); /* it is the loop's owner until then */
    }
    ex_join(ex_start(take_over, NULL, false));
    if (ran != wanted || (refusals < 0 ? refused > 1 : refused != refusals)) {
        ex_fail("loop: %d of %d tasks ran, and %d waits of %d were refused", ran, wanted, refused, refusals);
    }
    sq_queue_release(own);
    sq_queue_release(work);
    sq_group_release(group);
    sq_item_release(item);
    sq_pool_release(loop);
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    stage_end();
}

static void all_have_run(void) {
    if (ran != wanted) {
        ex_fail("loop: a wait returned before its member had run");
    }
}

#define THREAD(name, ...) static void name(void *unused) { (void)unused; __VA_ARGS__; }
#define BODY(name, refusals, ...) \
    static void name(void) { run_threads((void (*const[])(void *)){ __VA_ARGS__, NULL }, refusals); }

THREAD(o_wait_group, become_owner(); add_member(); wait_group(0))
THREAD(o_wait_entered, become_owner(); allow(sq_group_enter(group), 0); ex_gate_open(0); wait_group(0); all_have_run())
THREAD(t_add_leave, ex_gate_pass(0); add_member(); allow(sq_group_leave(group), 0))
THREAD(o_wait_until, become_owner(); allow(sq_group_enter(group), 0); allow(sq_group_wait(group, stage_soon()), ETIMEDOUT); allow(sq_group_leave(group), 0))
THREAD(o_touch, touch_as_owner())
THREAD(o_wait_token, become_owner(); allow(sq_group_enter(group), 0); ex_gate_open(0); wait_group(0); check_free_token())
THREAD(t_async_leave, ex_gate_pass(0); allow(sq_async(own, nothing, NULL), 0); allow(sq_group_leave(group), 0))
THREAD(t_cancel_leave, ex_gate_pass(0); add_and_cancel_item(); allow(sq_group_leave(group), 0))
THREAD(t_add, add_member())
THREAD(t_async_own, allow(sq_async(own, nothing, NULL), 0))
THREAD(o_wait_item, become_owner(); wanted = 1; allow(sq_item_wait(item, SQ_FOREVER), 0); all_have_run())
THREAD(t_submit_item, allow(sq_item_submit(item, own), 0))
THREAD(o_member_adds, become_owner(); allow(sq_group_async(group, work, add_in_task, NULL), 0); wait_group(0); all_have_run())
THREAD(o_sync_work, become_owner(); allow(sq_async(work, sync_own, NULL), 0); allow(sq_sync(work, nothing, NULL), EDEADLK))
THREAD(o_wait_work, become_owner(); allow(sq_group_async(group, work, sync_own, NULL), 0); wait_group(EDEADLK))
THREAD(o_wait_both, become_owner(); add_member(); allow(sq_group_async(group, work, sync_own, NULL), 0); wait_group(EDEADLK))
THREAD(o_sync_waiter, become_owner(); add_member(); allow(sq_async(work, wait_in_task, NULL), 0); allow(sq_sync(work, nothing, NULL), EDEADLK))

BODY(loop_group, 0, o_wait_group, t_add, t_async_own)
BODY(loop_group_late, 0, o_wait_entered, t_add_leave, t_async_own)
BODY(loop_group_until, 0, o_wait_until, t_async_own)
BODY(loop_next_owner, 0, o_touch, o_touch)
BODY(loop_group_woken, 0, o_wait_token, t_async_leave)
BODY(loop_group_cancel, 0, o_wait_entered, t_cancel_leave)
BODY(loop_item, 0, o_wait_item, t_submit_item, t_async_own)
BODY(loop_group_adds, 0, o_member_adds)
BODY(loop_across, 1, o_sync_work, t_async_own)
BODY(loop_across_group, 1, o_wait_work)
BODY(loop_across_both, -1, o_wait_both)
BODY(loop_across_member, 1, o_sync_waiter)

const scenario_t loop_wait_scenarios[] = {
    { "loop_group", "the owner's wait for a group runs the members on its loop", .body = loop_group },
    { "loop_group_late", "a member comes while the owner sleeps", .body = loop_group_late },
    { "loop_group_until", "the owner's wait times out while another thread posts", .body = loop_group_until },
    { "loop_next_owner", "the next owner sees what the last one did before it ended", .body = loop_next_owner },
    { "loop_group_woken", "the owner is woken when its wait ends: the next wait with this token sleeps", .body = loop_group_woken },
    { "loop_group_cancel", "an item on the loop is cancelled during the owner's search: no cycle", .body = loop_group_cancel },
    { "loop_item", "an item comes while the owner sleeps", .body = loop_item },
    { "loop_group_adds", "a member on another queue adds one on the loop", .body = loop_group_adds },
    { "loop_across", "a task syncs to the loop whose owner waits for it: one of the two is refused", .body = loop_across },
    { "loop_across_group", "the same, and the owner waits for a group", .body = loop_across_group },
    { "loop_across_both", "the same, and the group has a member on the loop, too: the sync runs with it, or one of the two is refused", .body = loop_across_both },
    { "loop_across_member", "a task waits for a member on the loop whose owner waits for the task", .body = loop_across_member },
    { 0 },
};

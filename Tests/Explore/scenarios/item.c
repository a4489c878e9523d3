/* item.c: a work item: its calls against each other, against its turn, its delay, and the end of its queue. */
#include "item_scene.h"

#include <errno.h>

static void wait_inside(void *unused) {
    (void)unused;
    scene_wait(SQ_FOREVER, EDEADLK);
}

static void cancel_inside(void *unused) {
    (void)unused;
    scene_cancel();
}

static void sync_back(void *unused) {
    (void)unused;
    scene_allow(sq_sync(scene.queues[0], scene_do_nothing, NULL), EDEADLK, 0);
}

static void release_queue(void) {
    scene.gives_queue = true;
    sq_queue_release(scene.queues[0]);
}

#define THREAD(name, ...) static void name(void *unused) { (void)unused; __VA_ARGS__; }
#define FIRST(name, ...) static void name(void) { __VA_ARGS__; }
#define BODY(name, first, capacity, ...) \
    static void name(void) { scene_run((void (*const[])(void *)){ __VA_ARGS__, NULL }, first, capacity, false); }
#define WIDE(name, first, capacity, ...) \
    static void name(void) { scene_run((void (*const[])(void *)){ __VA_ARGS__, NULL }, first, capacity, true); }

FIRST(submitted, scene_allow(scene_submit(0), 0, 0))
FIRST(held, scene_allow(sq_suspend(scene.queues[0]), 0, 0); scene_allow(scene_submit(0), 0, 0))
FIRST(delayed, scene_allow(sq_item_submit_after(scene.item, scene.queues[0], 1), 0, 0))
FIRST(submitted_elsewhere, scene.syncs = true; scene_allow(scene_submit(1), 0, 0))
FIRST(discarded_elsewhere, scene.syncs_discarded = true)
FIRST(kept_by_itself, scene.retains = true; scene_allow(scene_submit(0), 0, 0))
FIRST(retained, sq_item_retain(scene.item))
FIRST(released_by_itself, scene.releases = scene.gives_item = true)
FIRST(submitted_and_retained, scene_allow(scene_submit(0), 0, 0); sq_item_retain(scene.item))
THREAD(t_submit, scene_submit(0))
THREAD(t_submit_maybe, int error = sq_item_submit(scene.item, scene.queues[0]); scene_allow(error, EALREADY, ECANCELED))
THREAD(t_submit_refused, int error = sq_item_submit(scene.item, scene.queues[0]); scene_allow(error, EALREADY, ESHUTDOWN))
THREAD(t_submit_elsewhere, int error = sq_item_submit(scene.item, scene.queues[1]); scene_allow(error, EALREADY, ECANCELED))
THREAD(t_submit_again, scene_allow(sq_item_submit(scene.item, scene.queues[0]), ESHUTDOWN, 0); scene_allow(sq_item_submit(scene.item, scene.queues[1]), 0, 0))
THREAD(t_submit_after, scene_allow(sq_item_submit_after(scene.item, scene.queues[0], 1), ECANCELED, ESHUTDOWN))
THREAD(t_cancel, scene_cancel())
THREAD(t_perform, scene_allow(sq_item_perform(scene.item), EALREADY, ECANCELED))
THREAD(t_wait, scene_wait(SQ_FOREVER, 0))
THREAD(t_wait_until, scene_wait(stage_soon(), ETIMEDOUT))
THREAD(t_wait_inside, scene_allow(sq_sync(scene.queues[0], wait_inside, NULL), 0, 0))
THREAD(t_cancel_inside, scene_allow(sq_sync(scene.queues[0], cancel_inside, NULL), 0, 0))
THREAD(t_sync_back, scene_allow(sq_sync(scene.queues[1], sync_back, NULL), 0, 0))
THREAD(t_await, scene_await(false))
THREAD(t_await_withdraw, scene_await(true))
THREAD(t_notify_twice, scene_notify(0); scene_notify(1))
THREAD(t_notify_thrice, scene_notify(0); scene_notify(1); scene_notify(2))
THREAD(t_drain, scene_shut_down(SQ_SHUTDOWN_DRAIN))
THREAD(t_discard, scene_shut_down(SQ_SHUTDOWN_DISCARD))
THREAD(t_resume, scene_allow(sq_resume(scene.queues[0]), 0, 0))
THREAD(t_release_queue, release_queue())
THREAD(t_submit_and_release, scene_submit(0); sq_item_release(scene.item))
THREAD(t_cancel_and_release, scene_cancel(); sq_item_release(scene.item))
THREAD(t_wait_and_release, scene_wait(SQ_FOREVER, 0); sq_item_release(scene.item))
THREAD(t_submit_only, int error = sq_item_submit(scene.item, scene.queues[0]); scene_allow(error, ECANCELED, ESHUTDOWN))
THREAD(t_release_only, sq_item_release(scene.item))
THREAD(t_release_mine, scene.gives_item = true; sq_item_release(scene.item))
THREAD(t_fill, scene_allow(sq_async_until(scene.queues[0], SQ_FOREVER, &(sq_task_t){ (sq_function_t)ex_point, NULL, NULL }), ESHUTDOWN, 0))

FIRST(closed, ex_join(ex_start(t_drain, NULL, false)))

BODY(item_submit_cancel, NULL, 0, t_submit, t_cancel, t_wait)
BODY(item_submit_cancel_room, NULL, 1, t_submit, t_cancel)
BODY(item_cancel, submitted, 0, t_cancel, t_wait)
BODY(item_perform_cancel, NULL, 0, t_perform, t_cancel)
BODY(item_cancel_twice, submitted, 0, t_cancel, t_cancel)
BODY(item_cancel_fresh, NULL, 0, t_cancel, t_cancel, t_wait)
BODY(item_cancel_notify, submitted, 0, t_cancel, t_notify_twice)
BODY(item_cancel_until, submitted, 0, t_cancel, t_wait_until)
BODY(item_cancel_discard, held, 0, t_cancel, t_discard)
BODY(item_cancel_drain, held, 0, t_cancel, t_drain, t_resume)
BODY(item_cancel_queue_gone, submitted, 0, t_cancel, t_release_queue)
BODY(item_cancel_room_gone, submitted, 1, t_cancel, t_release_queue)
BODY(item_cancel_room, held, 1, t_cancel, t_fill, t_resume)
BODY(item_submit_twice, NULL, 0, t_submit_maybe, t_submit_elsewhere)
BODY(item_submit_discard, NULL, 0, t_submit, t_discard, t_cancel)
BODY(item_await, submitted, 0, t_await, t_cancel)
BODY(item_await_withdraw, submitted, 0, t_await_withdraw, t_wait)
BODY(item_wait_notify, submitted, 0, t_wait, t_notify_twice)
BODY(item_notify_more, NULL, 0, t_cancel, t_notify_thrice)
BODY(item_release, submitted_and_retained, 0, t_release_mine, t_wait_and_release)
BODY(item_release_cancel, submitted_and_retained, 0, t_release_mine, t_cancel_and_release)
BODY(item_release_fresh, retained, 0, t_release_mine, t_cancel_and_release)
BODY(item_retain_inside, kept_by_itself, 0, t_release_only)
BODY(item_release_inside, released_by_itself, 0, t_submit_only)
BODY(item_release_inside_delay, released_by_itself, 0, t_submit_after)
BODY(item_deadlock_running, submitted_elsewhere, 0, t_wait_inside, t_cancel)
BODY(item_deadlock_discard, discarded_elsewhere, 0, t_cancel_inside, t_sync_back)
BODY(item_submit_refused, closed, 0, t_submit_refused, t_submit_elsewhere)
BODY(item_refused_wait, closed, 0, t_submit_again, t_wait)
BODY(item_release_submit, retained, 0, t_release_mine, t_submit_and_release)
BODY(item_deadlock_late, NULL, 0, t_wait_inside, t_submit)
BODY(item_deadlock_cancel, NULL, 0, t_wait_inside, t_submit, t_cancel)
BODY(item_deadlock_refused, NULL, 0, t_wait_inside, t_submit_after, t_cancel)
BODY(item_delay, NULL, 0, t_submit_after, t_wait, t_cancel)
BODY(item_delay_cancel, delayed, 0, t_cancel, t_wait)
BODY(item_delay_drain, delayed, 0, t_cancel, t_drain)
WIDE(item_wide_cancel, submitted, 0, t_cancel, t_wait)
WIDE(item_wide_discard, held, 0, t_cancel, t_discard)
WIDE(item_wide_room, held, 1, t_cancel, t_fill, t_resume)
WIDE(item_wide_gone, submitted, 0, t_cancel, t_release_queue)
BODY(item_delay_gone, delayed, 0, t_cancel, t_release_queue)

/* The item has a reference to its pool while the queue has the item, and no longer. */
static void refused_on_a_manual_pool(void) {
    static const expectation_t nothing;
    stage_begin(&nothing, 0);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create_manual("M");
    sq_queue_t *queue = sq_queue_create("A", &options);
    sq_item_t *item = sq_item_create("I", &(sq_task_t){ scene_do_nothing, NULL, NULL });
    scene_allow(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0, 0);
    if (sq_item_submit(item, queue) != ESHUTDOWN) {
        ex_fail("item: a closed queue took it");
    }
    sq_item_release(item);
    sq_queue_release(queue);
    sq_pool_run(options.pool);
    sq_pool_release(options.pool);
    stage_end();
}

/* A thread that waits for the item runs its pool meanwhile, and another one submits to another queue there. */
static sq_queue_t *other_on_pool;

static void wait_and_run(void *unused) {
    (void)unused;
    scene_allow(sq_item_wait(scene.item, SQ_FOREVER), 0, 0);
}

static void submit_there(void *unused) {
    (void)unused;
    scene_allow(sq_async(other_on_pool, scene_do_nothing, NULL), 0, 0);
}

static void waits_on_a_manual_pool(void) {
    static const expectation_t nothing;
    stage_begin(&nothing, 0);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create_manual("M");
    sq_queue_t *queue = sq_queue_create("A", &options);
    other_on_pool = sq_queue_create("B", &options);
    scene = (item_scene_t){ .item = sq_item_create("I", &(sq_task_t){ scene_do_nothing, NULL, NULL }) };
    scene_allow(sq_item_submit(scene.item, queue), 0, 0);
    int waiter = ex_start(wait_and_run, NULL, false), submitter = ex_start(submit_there, NULL, false);
    ex_join(waiter);
    ex_join(submitter);
    sq_item_release(scene.item);
    sq_pool_run(options.pool);
    sq_queue_release(queue);
    sq_queue_release(other_on_pool);
    sq_pool_release(options.pool);
    stage_end();
}

const scenario_t item_scenarios[] = {
    { "item_submit_cancel", "a cancel against the submission: it is left to the submitter, or comes before it", .body = item_submit_cancel },
    { "item_submit_cancel_room", "the same on a queue of limited capacity", .body = item_submit_cancel_room },
    { "item_cancel", "a cancel against the turn: one outcome, and the wait sees it", .body = item_cancel },
    { "item_perform_cancel", "a cancel against a perform: the item stays its owner's", .body = item_perform_cancel },
    { "item_cancel_twice", "two cancels against the turn", .body = item_cancel_twice },
    { "item_cancel_fresh", "two cancels of an item that was not submitted", .body = item_cancel_fresh },
    { "item_cancel_notify", "notifications against a cancel: each comes once, in order, after the outcome", .body = item_cancel_notify },
    { "item_cancel_until", "a wait that times out against a cancel", .body = item_cancel_until },
    { "item_cancel_discard", "a cancel against a shutdown that discards", .body = item_cancel_discard },
    { "item_cancel_drain", "a cancel against a shutdown that drains, and a resume", .body = item_cancel_drain },
    { "item_cancel_queue_gone", "the cancelled item was its queue's last task, and the queue goes", .body = item_cancel_queue_gone },
    { "item_cancel_room_gone", "the same with a limited capacity, whose room is given back", .body = item_cancel_room_gone },
    { "item_cancel_room", "a thread that waits for room gets that of the cancelled item", .body = item_cancel_room },
    { "item_submit_twice", "two submitters: one is refused", .body = item_submit_twice },
    { "item_submit_discard", "a submission, a shutdown and a cancel", .body = item_submit_discard },
    { "item_wait_notify", "a wait and notifications against the turn", .body = item_wait_notify },
    { "item_refused_manual", "an item that a queue on a manual pool has refused, and its end", .body = refused_on_a_manual_pool },
    { "item_waits_manual", "a wait that runs a manual pool, to which another thread submits", .body = waits_on_a_manual_pool },
    { "item_await", "a wait without a thread against a cancel and the turn", .body = item_await },
    { "item_await_withdraw", "the same, withdrawn at the outcome", .body = item_await_withdraw },
    { "item_release", "the last release against the turn and a wait", .body = item_release },
    { "item_release_cancel", "the last release against the turn and a cancel", .body = item_release_cancel },
    { "item_release_fresh", "the last release against a cancel of an item that was not submitted", .body = item_release_fresh },
    { "item_retain_inside", "the last owner goes, and the item takes a reference to itself", .body = item_retain_inside },
    { "item_release_inside", "an item releases itself while its submitter is on its way out", .body = item_release_inside },
    { "item_release_inside_delay", "the same with a delay", .body = item_release_inside_delay },
    { "item_deadlock_running", "a running item syncs onto the queue of its waiter, and is cancelled: one wait is refused", .body = item_deadlock_running },
    { "item_deadlock_discard", "a discard function syncs onto a queue that waits for its canceller's: one wait is refused", .body = item_deadlock_discard },
    { "item_submit_refused", "a submission that is refused against another one", .body = item_submit_refused },
    { "item_refused_wait", "a wait begins while the submission is refused: the item can be submitted again", .body = item_refused_wait },
    { "item_release_submit", "the last release against the submission", .body = item_release_submit },
    { "item_deadlock_late", "an item submitted behind the task that waits for it: the wait is refused", .body = item_deadlock_late },
    { "item_deadlock_cancel", "the same against a cancel: one of the two ends the wait", .body = item_deadlock_cancel },
    { "item_deadlock_refused", "the same with a delay", .body = item_deadlock_refused },
    { "item_delay", "a delayed item against a cancel and a wait", .body = item_delay },
    { "item_delay_cancel", "the end of the delay against a cancel", .body = item_delay_cancel },
    { "item_delay_drain", "a delayed item, a cancel and the end of the queue", .body = item_delay_drain },
    { "item_delay_gone", "the same with a queue that no thread else keeps", .body = item_delay_gone },
    { "item_notify_faults", "no memory for notifications: none overtakes one that waits for it", .body = item_notify_more, .faults = true },
    { "item_faults", "no memory or thread for an item's calls", .body = item_submit_cancel, .faults = true },
    { "item_delay_faults", "no memory for a delayed item's calls", .body = item_delay, .faults = true },
    { "item_wide_cancel", "a cancel against the turn in a concurrent queue", .body = item_wide_cancel },
    { "item_wide_discard", "a cancel against a shutdown of a concurrent queue", .body = item_wide_discard },
    { "item_wide_room", "a thread that waits for room in a concurrent queue gets that of the cancelled item", .body = item_wide_room },
    { "item_wide_gone", "the cancelled item was the last task of a concurrent queue, and the queue goes", .body = item_wide_gone },
    { 0 },
};

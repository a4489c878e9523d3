/* item.c: a work item: its calls against each other, against its turn, its delay, and the end of its queue.
 *
 * The item's functions write a cell. A call that says that the item ran, or never will, reads it: what the item did must be
 * visible, and over. Each item has one outcome, one cancel at most brings it about, and each notification comes once, in order,
 * after it. At the end no memory is left. */
#include "scenario.h"

#include "kernel/queue.h"

#include <errno.h>
#include <string.h>

static sq_item_t *item;
static sq_queue_t *queues[2];
static struct { int ran, discarded, cancelled; bool over; uint64_t cell; } seen;
static int expected_awaits;
static int registered, notified, wants; /* notifications; the order of those of one thread */
static bool syncs, retains; /* in its run: onto queue A; itself */
static bool syncs_discarded; /* in its discard function, on its canceller's thread: onto queue B */
static struct { bool item, queue; } given; /* released by a thread of the scenario */

static void touch(void) {
    ex_caller = (const void *)touch;
    ex_write(&seen.cell, sizeof seen.cell);
}

static void allow(int error, int also, int or_also) {
    if (error && error != also && error != or_also && !(ex_setting.faults && error == ENOMEM)) {
        ex_fail("item: a call returned %s", strerror(error));
    }
}

static void do_nothing(void *unused) { (void)unused; }

static void run(void *unused) {
    (void)unused;
    touch();
    if (seen.ran++ || seen.discarded) {
        ex_fail("item: it runs twice, or was discarded");
    }
    ex_point();
    if (syncs) {
        allow(sq_sync(queues[0], do_nothing, NULL), EDEADLK, 0);
    }
    if (retains) {
        sq_item_retain(item);
    }
    touch();
    seen.over = true;
}

static void discard(void *unused) {
    (void)unused;
    touch();
    if (seen.ran || seen.discarded++) {
        ex_fail("item: it is discarded twice, or has run");
    }
    if (syncs_discarded) {
        if (sq_current_queue() != NULL) {
            ex_fail("item: a cancelled item's discard function is on a queue");
        }
        allow(sq_sync(queues[1], do_nothing, NULL), EDEADLK, 0);
    }
    ex_point();
    touch();
    seen.over = true;
}

static void check_over(const char *finder, bool ran) {
    if (!seen.over || seen.ran != ran) {
        ex_fail("item: %s found it over, and it %s", finder, seen.over ? "ended in another way" : "was not");
    }
    ex_caller = (const void *)check_over;
    ex_read(&seen.cell, sizeof seen.cell);
}

static int submit(unsigned queue) {
    int error = sq_item_submit(item, queues[queue]);
    if (error == ECANCELED && !sq_item_is_cancelled(item)) {
        ex_fail("item: nobody has cancelled it");
    }
    allow(error, ECANCELED, ESHUTDOWN);
    return error;
}

static void cancel(void) {
    int error = sq_item_cancel(item);
    allow(error, EINPROGRESS, EALREADY);
    if (error == 0) {
        seen.cancelled += 1;
        check_over("the canceller", false);
    } else if (error == EALREADY && !seen.over) {
        ex_fail("item: a cancel returned that it is over, and it is not");
    }
    if (seen.cancelled > 1) {
        ex_fail("item: it was cancelled twice");
    }
}

static void wait_item(sq_time_t deadline, int also) {
    int error = sq_item_wait(item, deadline);
    allow(error, ECANCELED, also);
    if (error == 0 || error == ECANCELED) {
        check_over("a wait", error == 0);
    }
}

/* An await, which its owner withdraws or not. It is overwritten once it has ended and nobody will withdraw it. */
static struct { sq_await_t await; bool ended, withdrawn, is_kept; } awaited;

static void item_ended(sq_await_t *await) {
    if (awaited.ended || awaited.withdrawn) {
        ex_fail("item: an await ended twice, or after it was withdrawn");
    }
    awaited.ended = true;
    check_over("an await", sq_item_wait(item, SQ_NOW) == 0);
    if (!awaited.is_kept) {
        memset(await, 0xff, sizeof *await);
    }
}

static void await_item(bool withdraws) {
    awaited.await = (sq_await_t){ .ended = item_ended };
    awaited.is_kept = withdraws;
    int error = sq_item_await(item, &awaited.await);
    if (error == EINPROGRESS) {
        error = 0;
        expected_awaits = 1;
        if (withdraws && sq_item_withdraw(item, &awaited.await)) {
            awaited.withdrawn = true;
        }
    } else if (error == 0 || error == ECANCELED) {
        check_over("an await at once", error == 0);
    }
    allow(error, ECANCELED, 0);
}

static void run_notice(void *context) {
    int number = (int)(uintptr_t)context;
    if (number < wants) {
        ex_fail("item: a notification came out of order");
    }
    wants = number + 1;
    notified += 1;
    check_over("a notification", seen.ran);
}

static void notify(int number) {
    const sq_task_t task = { run_notice, (void *)(uintptr_t)number, run_notice };
    int error = sq_item_notify(item, queues[1], &task);
    registered += error == 0;
    allow(error, 0, 0);
}

static void wait_inside(void *unused) {
    (void)unused;
    wait_item(SQ_FOREVER, EDEADLK);
}

static void cancel_inside(void *unused) {
    (void)unused;
    cancel();
}

static void sync_back(void *unused) {
    (void)unused;
    allow(sq_sync(queues[0], do_nothing, NULL), EDEADLK, 0);
}

static void shut_down(sq_shutdown_mode_t mode) { allow(sq_shutdown(queues[0], mode, SQ_FOREVER), 0, 0); }

static void release_queue(void) {
    given.queue = true;
    sq_queue_release(queues[0]);
}

/* By a thread of its own, which gives back what it waits on. */
static void end_item(void *unused) {
    (void)unused;
    if (retains) {
        allow(sq_sync(queues[0], do_nothing, NULL), 0, 0); /* it has run: it is its own owner */
    } else if (!sq_item_is_cancelled(item)) {
        sq_item_cancel(item);
    }
    wait_item(SQ_FOREVER, 0);
    sq_item_release(item);
    if (!given.queue && sq_sync(queues[0], do_nothing, NULL) == 0
        && sq__load_relaxed(&queues[0]->withdrawn) != sq__load_relaxed(&queues[0]->skipped)) {
        ex_fail("item: an empty slot was passed and not counted");
    }
}

static void make_all(size_t capacity) {
    static const char *const labels[] = { "A", "B" };
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    memset(&seen, 0, sizeof seen);
    memset(&awaited, 0, sizeof awaited);
    expected_awaits = 0;
    given.item = given.queue = syncs = syncs_discarded = retains = false;
    registered = notified = wants = 0;
    item = sq_item_create("I", &(sq_task_t){ run, NULL, discard });
    options.capacity = capacity;
    for (unsigned i = 0; i < 2; i += 1) {
        queues[i] = sq_queue_create(labels[i], i == 0 ? &options : NULL);
    }
}

static void check_all(void) {
    if (seen.ran + seen.discarded != 1) {
        ex_fail("item: it ran %d times, and was discarded %d times", seen.ran, seen.discarded);
    }
    if (awaited.ended + awaited.withdrawn != expected_awaits) {
        ex_fail("item: an await has not ended");
    }
    if (notified != registered) {
        ex_fail("item: %d notifications, %d were run or discarded", registered, notified);
    }
}

static void run_threads(void (*const threads[])(void *), void (*first)(void), size_t capacity) {
    static const expectation_t nothing;
    int ids[4];
    bool faults = ex_setting.faults;
    stage_begin(&nothing, 0);
    ex_setting.faults = false;
    make_all(capacity);
    if (first != NULL) {
        first();
    }
    ex_setting.faults = faults;
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ids[i] = ex_start(threads[i], NULL, false);
    }
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ex_join(ids[i]);
    }
    ex_setting.faults = false;
    if (!given.item) {
        ex_join(ex_start(end_item, NULL, false));
    }
    if (!given.queue) {
        sq_queue_release(queues[0]);
    }
    sq_queue_release(queues[1]);
    ex_setting.faults = faults;
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    check_all();
    stage_end();
}

#define THREAD(name, ...) static void name(void *unused) { (void)unused; __VA_ARGS__; }
#define FIRST(name, ...) static void name(void) { __VA_ARGS__; }
#define BODY(name, first, capacity, ...) \
    static void name(void) { run_threads((void (*const[])(void *)){ __VA_ARGS__, NULL }, first, capacity); }

FIRST(submitted, allow(submit(0), 0, 0))
FIRST(held, allow(sq_suspend(queues[0]), 0, 0); allow(submit(0), 0, 0))
FIRST(delayed, allow(sq_item_submit_after(item, queues[0], 1), 0, 0))
FIRST(submitted_elsewhere, syncs = true; allow(submit(1), 0, 0))
FIRST(discarded_elsewhere, syncs_discarded = true)
FIRST(kept_by_itself, retains = true; allow(submit(0), 0, 0))
FIRST(retained, sq_item_retain(item))
FIRST(submitted_and_retained, allow(submit(0), 0, 0); sq_item_retain(item))
THREAD(t_submit, submit(0))
THREAD(t_submit_maybe, int error = sq_item_submit(item, queues[0]); allow(error, EALREADY, ECANCELED))
THREAD(t_submit_refused, int error = sq_item_submit(item, queues[0]); allow(error, EALREADY, ESHUTDOWN))
THREAD(t_submit_elsewhere, int error = sq_item_submit(item, queues[1]); allow(error, EALREADY, ECANCELED))
THREAD(t_submit_after, allow(sq_item_submit_after(item, queues[0], 1), ECANCELED, ESHUTDOWN))
THREAD(t_cancel, cancel())
THREAD(t_wait, wait_item(SQ_FOREVER, 0))
THREAD(t_wait_until, wait_item(stage_soon(), ETIMEDOUT))
THREAD(t_wait_inside, allow(sq_sync(queues[0], wait_inside, NULL), 0, 0))
THREAD(t_cancel_inside, allow(sq_sync(queues[0], cancel_inside, NULL), 0, 0))
THREAD(t_sync_back, allow(sq_sync(queues[1], sync_back, NULL), 0, 0))
THREAD(t_await, await_item(false))
THREAD(t_await_withdraw, await_item(true))
THREAD(t_notify_twice, notify(0); notify(1))
THREAD(t_notify_thrice, notify(0); notify(1); notify(2))
THREAD(t_drain, shut_down(SQ_SHUTDOWN_DRAIN))
THREAD(t_discard, shut_down(SQ_SHUTDOWN_DISCARD))
THREAD(t_resume, allow(sq_resume(queues[0]), 0, 0))
THREAD(t_release_queue, release_queue())
THREAD(t_submit_and_release, submit(0); sq_item_release(item))
THREAD(t_cancel_and_release, cancel(); sq_item_release(item))
THREAD(t_wait_and_release, wait_item(SQ_FOREVER, 0); sq_item_release(item))
THREAD(t_release_only, sq_item_release(item))
THREAD(t_release_mine, given.item = true; sq_item_release(item))
THREAD(t_fill, allow(sq_async_until(queues[0], SQ_FOREVER, &(sq_task_t){ (sq_function_t)ex_point, NULL, NULL }), ESHUTDOWN, 0))

FIRST(closed, ex_join(ex_start(t_drain, NULL, false)))

BODY(item_submit_cancel, NULL, 0, t_submit, t_cancel, t_wait)
BODY(item_submit_cancel_room, NULL, 1, t_submit, t_cancel)
BODY(item_cancel, submitted, 0, t_cancel, t_wait)
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
BODY(item_deadlock_running, submitted_elsewhere, 0, t_wait_inside, t_cancel)
BODY(item_deadlock_discard, discarded_elsewhere, 0, t_cancel_inside, t_sync_back)
BODY(item_submit_refused, closed, 0, t_submit_refused, t_submit_elsewhere)
BODY(item_release_submit, retained, 0, t_release_mine, t_submit_and_release)
BODY(item_deadlock_late, NULL, 0, t_wait_inside, t_submit)
BODY(item_deadlock_cancel, NULL, 0, t_wait_inside, t_submit, t_cancel)
BODY(item_deadlock_refused, NULL, 0, t_wait_inside, t_submit_after, t_cancel)
BODY(item_delay, NULL, 0, t_submit_after, t_wait, t_cancel)
BODY(item_delay_cancel, delayed, 0, t_cancel, t_wait)
BODY(item_delay_drain, delayed, 0, t_cancel, t_drain)
BODY(item_delay_gone, delayed, 0, t_cancel, t_release_queue)

const scenario_t item_scenarios[] = {
    { "item_submit_cancel", "a cancel against the submission: it is left to the submitter, or comes before it", .body = item_submit_cancel },
    { "item_submit_cancel_room", "the same on a queue of limited capacity", .body = item_submit_cancel_room },
    { "item_cancel", "a cancel against the turn: one outcome, and the wait sees it", .body = item_cancel },
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
    { "item_await", "a wait without a thread against a cancel and the turn", .body = item_await },
    { "item_await_withdraw", "the same, withdrawn at the outcome", .body = item_await_withdraw },
    { "item_release", "the last release against the turn and a wait", .body = item_release },
    { "item_release_cancel", "the last release against the turn and a cancel", .body = item_release_cancel },
    { "item_release_fresh", "the last release against a cancel of an item that was not submitted", .body = item_release_fresh },
    { "item_retain_inside", "the last owner goes, and the item takes a reference to itself", .body = item_retain_inside },
    { "item_deadlock_running", "a running item syncs onto the queue of its waiter, and is cancelled: one wait is refused", .body = item_deadlock_running },
    { "item_deadlock_discard", "a discard function syncs onto a queue that waits for its canceller's: one wait is refused", .body = item_deadlock_discard },
    { "item_submit_refused", "a submission that is refused against another one", .body = item_submit_refused },
    { "item_release_submit", "the last release against the submission", .body = item_release_submit },
    { "item_deadlock_late", "an item submitted behind the task that waits for it: the wait is refused", .body = item_deadlock_late },
    { "item_deadlock_cancel", "the same against a cancel: one of the two ends the wait", .body = item_deadlock_cancel },
    { "item_deadlock_refused", "the same with a delay", .body = item_deadlock_refused },
    { "item_delay", "a delayed item against a cancel and a wait", .body = item_delay },
    { "item_delay_cancel", "the end of the delay against a cancel", .body = item_delay_cancel },
    { "item_delay_drain", "a delayed item, a cancel and the end of the queue", .body = item_delay_drain },
    { "item_delay_gone", "the same with a queue that nobody else keeps", .body = item_delay_gone },
    { "item_notify_faults", "no memory for notifications: none overtakes one that waits for it", .body = item_notify_more, .faults = true },
    { "item_faults", "no memory or thread for an item's calls", .body = item_submit_cancel, .faults = true },
    { "item_delay_faults", "no memory for a delayed item's calls", .body = item_delay, .faults = true },
    { 0 },
};

/* item_repeat.c: an item that repeats: each submission is a turn. */
#include "scenario.h"

#include "include/sq_item.h"

#include <errno.h>
#include <string.h>

static struct {
    sq_item_t *item;
    sq_queue_t *open, *closed; /* accepts it; refuses it */
    unsigned accepted, ran, running;
    unsigned told, tells, wants; /* notifications: those that came, those that were registered, and the next one that may run */
    bool is_cancelled; /* by a call that left no turn that may begin */
    bool is_being_cancelled;
    bool ran_on;       /* after a cancel and a wait */
    int submitted;     /* what the last submission during that returned */
} now;

static void run(void *unused) {
    (void)unused;
    if (now.is_cancelled) {
        ex_fail("item: it started after it was cancelled");
    }
    now.ran += 1;
    now.running += 1;
    ex_point();
    now.running -= 1;
}

/* The queue was closed. Those before may still wait there. */
static void drop_notice(void *number) {
    (void)number;
    now.told += 1;
}

static void tell(void *number) {
    if (now.wants > (unsigned)(uintptr_t)number) {
        ex_fail("item: a notification came twice, or out of order");
    }
    now.wants = (unsigned)(uintptr_t)number + 1;
    now.told += 1;
    if (now.ran == 0 && !now.is_being_cancelled) {
        ex_fail("item: a notification came before the turn that it is for");
    }
}

static void allow(int error, int also) {
    if (error && error != also) {
        ex_fail("item: a call returned %s", strerror(error));
    }
    now.accepted += error == 0;
}

#define THREAD(name, ...) static void name(void *unused) { (void)unused; __VA_ARGS__; }
THREAD(t_submit, allow(sq_item_submit(now.item, now.open), ECANCELED))
THREAD(t_submit_refused, allow(sq_item_submit(now.item, now.closed), ESHUTDOWN))
THREAD(t_wait, if (sq_item_wait(now.item, SQ_FOREVER) != 0) ex_fail("item: the wait was not for a turn that ran"))
THREAD(t_look, (void)!sq_item_wait(now.item, SQ_NOW))
THREAD(t_wait_any, (void)!sq_item_wait(now.item, SQ_FOREVER))
THREAD(t_perform, allow(sq_item_perform(now.item), ECANCELED))
THREAD(t_cancel, now.is_being_cancelled = true; now.is_cancelled = sq_item_cancel(now.item) != EINPROGRESS)
THREAD(t_submit_late, now.submitted = sq_item_submit(now.item, now.open); allow(now.submitted, ECANCELED))
THREAD(t_submit_refused_late, now.submitted = sq_item_submit(now.item, now.closed);
       if (now.submitted != ESHUTDOWN && now.submitted != ECANCELED) ex_fail("item: a closed queue took it"))
THREAD(t_cancel_and_wait, now.is_being_cancelled = true; (void)sq_item_cancel(now.item); (void)!sq_item_wait(now.item, SQ_FOREVER);
       now.ran_on = now.running > 0)

static void notify(void) {
    if (sq_item_notify(now.item, now.open, &(sq_task_t){ tell, (void *)(uintptr_t)now.tells, drop_notice }) != 0) {
        ex_fail("item: a notification was refused");
    }
    now.tells += 1;
}

THREAD(t_notify_twice, notify(); notify())

/* By threads of their own, which give back what they wait on: stage_end counts the memory that is left. */
THREAD(t_close, sq_shutdown(now.closed, SQ_SHUTDOWN_DRAIN, SQ_FOREVER))
THREAD(t_drain, sq_shutdown(now.open, SQ_SHUTDOWN_DRAIN, SQ_FOREVER))

static void submit_once(void) { allow(sq_item_submit(now.item, now.open), 0); }
static void perform_once(void) { allow(sq_item_perform(now.item), 0); }

/* The list of threads ends with NULL. The last one may wait for a turn that nobody submits: with `cancels` the item is cancelled after the others. */
static void repeat(void (*const threads[])(void *), void (*first)(void), bool cancels) {
    static const expectation_t nothing;
    stage_begin(&nothing, 0);
    memset(&now, 0, sizeof now);
    now.item = sq_item_create_with("I", &(sq_task_t){ run, NULL, NULL }, &(sq_item_options_t){ .size = sizeof(sq_item_options_t), .flags = SQ_ITEM_REPEATS });
    now.open = sq_queue_create("A", NULL);
    now.closed = sq_queue_create("B", NULL);
    ex_join(ex_start(t_close, NULL, false));
    if (first != NULL) {
        first();
    }
    int all[4];
    unsigned count = 0;
    for (; threads[count] != NULL; count += 1) {
        all[count] = ex_start(threads[count], NULL, false);
    }
    for (unsigned i = 0; i + 1 < count; i += 1) {
        ex_join(all[i]);
    }
    if (cancels) {
        now.is_being_cancelled = true;
        (void)!sq_item_cancel(now.item); /* an earlier turn may be about to start */
    }
    ex_join(all[count - 1]);
    sq_item_release(now.item);
    ex_join(ex_start(t_drain, NULL, false));
    if (now.ran_on && now.submitted != 0) {
        ex_fail("item: the last submission ran on after a cancel and a wait for it; the one during that returned %s", strerror(now.submitted));
    }
    if (now.told != now.tells) {
        ex_fail("item: %u of %u notifications came", now.told, now.tells);
    }
    if (now.ran > now.accepted || (now.ran < now.accepted && !now.is_being_cancelled)) {
        ex_fail("item: %u turns were accepted, %u ran", now.accepted, now.ran);
    }
    sq_queue_release(now.open);
    sq_queue_release(now.closed);
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    stage_end();
}

#define BODY(name, first, cancels, ...) static void name(void) { repeat((void (*const[])(void *)){ __VA_ARGS__, NULL }, first, cancels); }
BODY(repeat_refused, NULL, true, t_submit_refused, t_submit, t_wait_any)
BODY(repeat_submit, NULL, false, t_submit, t_submit, t_wait)
BODY(repeat_look, NULL, false, t_look, t_submit, t_wait)
BODY(repeat_perform, NULL, false, t_submit, t_perform, t_wait)
BODY(repeat_perform_cancel, perform_once, false, t_perform, t_cancel)
BODY(repeat_submit_cancel, perform_once, false, t_submit, t_cancel, t_wait_any)
BODY(repeat_first_refused, NULL, false, t_submit_refused, t_submit, t_wait)
BODY(repeat_last_refused, perform_once, false, t_submit_refused, t_wait)
BODY(repeat_cancel_refused, submit_once, false, t_submit_refused_late, t_cancel_and_wait)
BODY(repeat_cancel_submit, submit_once, false, t_submit_late, t_cancel_and_wait)
BODY(repeat_notify_first, NULL, false, t_submit_refused, t_notify_twice, t_submit)
BODY(repeat_notify_last, perform_once, false, t_submit_refused, t_notify_twice)
BODY(repeat_notify_cancel, NULL, true, t_submit, t_notify_twice, t_cancel)

const scenario_t item_repeat_scenarios[] = {
    { "repeat_refused", "a wait for a turn that its queue refuses ends with the item's next turn, or its cancellation", .body = repeat_refused },
    { "repeat_submit", "each of two submissions is a turn of its own", .body = repeat_submit },
    { "repeat_look", "a call that does not wait looks for the first turn while that is made", .body = repeat_look },
    { "repeat_perform", "a submission and a perform are each a turn of its own", .body = repeat_perform },
    { "repeat_perform_cancel", "a perform against a cancel: after it no turn starts", .body = repeat_perform_cancel },
    { "repeat_submit_cancel", "the same for a submission", .body = repeat_submit_cancel },
    { "repeat_first_refused", "a wait before the first submission is for the first that a queue accepts", .body = repeat_first_refused },
    { "repeat_last_refused", "a submission that is refused does not replace the last one: a wait is for that", .body = repeat_last_refused },
    { "repeat_cancel_refused", "the same for a cancel: after it and a wait the last one does not run", .body = repeat_cancel_refused },
    { "repeat_cancel_submit", "the same if the cancel itself is why the submission is refused", .body = repeat_cancel_submit },
    { "repeat_notify_first", "notifications before the first submission, against one that is refused and one that is accepted", .body = repeat_notify_first },
    { "repeat_notify_last", "notifications of the last submission against one that is refused", .body = repeat_notify_last },
    { "repeat_notify_cancel", "notifications before the first submission, against that and a cancel", .body = repeat_notify_cancel },
    { 0 },
};

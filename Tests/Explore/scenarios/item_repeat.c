/* item_repeat.c: an item that repeats: each submission is a turn. */
#include "scenario.h"

#include "include/sq_item.h"

#include <errno.h>
#include <string.h>

static struct {
    sq_item_t *item;
    sq_queue_t *open, *closed; /* accepts it; refuses it */
    unsigned accepted, ran;
    bool is_cancelled; /* by a call that left no turn that may begin */
    bool is_being_cancelled;
} now;

static void run(void *unused) {
    (void)unused;
    if (now.is_cancelled) {
        ex_fail("item: it started after it was cancelled");
    }
    now.ran += 1;
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
THREAD(t_wait_any, (void)!sq_item_wait(now.item, SQ_FOREVER))
THREAD(t_perform, allow(sq_item_perform(now.item), ECANCELED))
THREAD(t_cancel, now.is_being_cancelled = true; now.is_cancelled = sq_item_cancel(now.item) != EINPROGRESS)

static void perform_once(void) { allow(sq_item_perform(now.item), 0); }

/* The list of threads ends with NULL. The last one may wait for a turn that nobody submits: with `cancels` the item is cancelled after the others. */
static void repeat(void (*const threads[])(void *), void (*first)(void), bool cancels) {
    memset(&now, 0, sizeof now);
    now.item = sq_item_create_with("I", &(sq_task_t){ run, NULL, NULL }, &(sq_item_options_t){ .size = sizeof(sq_item_options_t), .flags = SQ_ITEM_REPEATS });
    now.open = sq_queue_create("A", NULL);
    now.closed = sq_queue_create("B", NULL);
    sq_shutdown(now.closed, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
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
    sq_shutdown(now.open, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
    if (now.ran > now.accepted || (now.ran < now.accepted && !now.is_being_cancelled)) {
        ex_fail("item: %u turns were accepted, %u ran", now.accepted, now.ran);
    }
    sq_queue_release(now.open);
    sq_queue_release(now.closed);
}

#define BODY(name, first, cancels, ...) static void name(void) { repeat((void (*const[])(void *)){ __VA_ARGS__, NULL }, first, cancels); }
BODY(repeat_refused, NULL, true, t_submit_refused, t_submit, t_wait_any)
BODY(repeat_submit, NULL, false, t_submit, t_submit, t_wait)
BODY(repeat_perform, NULL, false, t_submit, t_perform, t_wait)
BODY(repeat_perform_cancel, perform_once, false, t_perform, t_cancel)
BODY(repeat_submit_cancel, perform_once, false, t_submit, t_cancel, t_wait_any)

const scenario_t item_repeat_scenarios[] = {
    { "repeat_refused", "a wait for a turn that its queue refuses ends with the item's next turn, or its cancellation", .body = repeat_refused },
    { "repeat_submit", "each of two submissions is a turn of its own", .body = repeat_submit },
    { "repeat_perform", "the same for a submission and a perform", .body = repeat_perform },
    { "repeat_perform_cancel", "a perform against a cancel: after it no turn starts", .body = repeat_perform_cancel },
    { "repeat_submit_cancel", "the same for a submission", .body = repeat_submit_cancel },
    { 0 },
};

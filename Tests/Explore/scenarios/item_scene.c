/* item_scene.c: the calls of an item's scenario, each checked.
 *
 * The item's functions write a cell. A call that says that the item ran, or never will, reads it: what the item did must be
 * visible, and over. Each item has one outcome, one cancel at most brings it about, and each notification comes once, in order,
 * after it. At the end no memory is left. */
#include "item_scene.h"

#include "state/state_inline.h"
#include "thread/self.h"

#include <errno.h>
#include <string.h>

item_scene_t scene;
static struct { int ran, discarded, cancelled; bool over; uint64_t cell; } seen;
static const sq__self_t *submitter; /* of a thread that is inside of scene_submit; NULL: of none */
static bool submitter_discards;     /* it has called the discard function there */
static int expected_awaits;
static int registered, notified, wants; /* notifications; the order of those of one thread */

static void touch(void) {
    ex_caller = (const void *)touch;
    ex_write(&seen.cell, sizeof seen.cell);
}

void scene_allow(int error, int also, int or_also) {
    if (error && error != also && error != or_also && !(ex_setting.faults && error == ENOMEM)) {
        ex_fail("item: a call returned %s", strerror(error));
    }
}

void scene_do_nothing(void *unused) { (void)unused; }

static void run(void *unused) {
    (void)unused;
    touch();
    if (seen.ran++ || seen.discarded) {
        ex_fail("item: it runs twice, or was discarded");
    }
    ex_point();
    if (scene.syncs) {
        scene_allow(sq_sync(scene.queues[0], scene_do_nothing, NULL), EDEADLK, 0);
    }
    if (scene.retains) {
        sq_item_retain(scene.item);
    }
    touch();
    seen.over = true;
    if (scene.releases) {
        sq_item_release(scene.item);
    }
}

static void discard(void *unused) {
    (void)unused;
    touch();
    if (seen.ran || seen.discarded++) {
        ex_fail("item: it is discarded twice, or has run");
    }
    submitter_discards |= sq__self() == submitter;
    if (scene.syncs_discarded) {
        if (sq_current_queue() != NULL) {
            ex_fail("item: a cancelled item's discard function is on a queue");
        }
        scene_allow(sq_sync(scene.queues[1], scene_do_nothing, NULL), EDEADLK, 0);
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

int scene_submit(unsigned queue) {
    submitter = sq__self();
    int error = sq_item_submit(scene.item, scene.queues[queue]);
    submitter = NULL;
    if (submitter_discards && error != ECANCELED) {
        ex_fail("item: its submitter has discarded it, and was not told that it is cancelled");
    }
    if (error == ECANCELED && !sq_item_is_cancelled(scene.item)) {
        ex_fail("item: no thread has cancelled it");
    }
    scene_allow(error, ECANCELED, ESHUTDOWN);
    return error;
}

void scene_cancel(void) {
    int error = sq_item_cancel(scene.item);
    scene_allow(error, EINPROGRESS, EALREADY);
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

void scene_wait(sq_time_t deadline, int also) {
    int error = sq_item_wait(scene.item, deadline);
    scene_allow(error, ECANCELED, also);
    if (error == 0 || error == ECANCELED) {
        check_over("a wait", error == 0);
    }
}

/* An await, which its owner withdraws or not. It is overwritten once it has ended and no thread will withdraw it. */
static struct { sq_await_t await; bool ended, withdrawn, is_kept; } awaited;

static void item_ended(sq_await_t *await) {
    if (awaited.ended || awaited.withdrawn) {
        ex_fail("item: an await ended twice, or after it was withdrawn");
    }
    awaited.ended = true;
    check_over("an await", sq_item_wait(scene.item, SQ_NOW) == 0);
    if (!awaited.is_kept) {
        memset(await, 0xff, sizeof *await);
    }
}

void scene_await(bool withdraws) {
    awaited.await = (sq_await_t){ .ended = item_ended };
    awaited.is_kept = withdraws;
    int error = sq_item_await(scene.item, &awaited.await);
    if (error == EINPROGRESS) {
        error = 0;
        expected_awaits = 1;
        if (withdraws && sq_item_withdraw(scene.item, &awaited.await)) {
            awaited.withdrawn = true;
        }
    } else if (error == 0 || error == ECANCELED) {
        check_over("an await at once", error == 0);
    }
    scene_allow(error, ECANCELED, 0);
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

void scene_notify(int number) {
    const sq_task_t task = { run_notice, (void *)(uintptr_t)number, run_notice };
    int error = sq_item_notify(scene.item, scene.queues[1], &task);
    registered += error == 0;
    scene_allow(error, 0, 0);
}

void scene_shut_down(sq_shutdown_mode_t mode) { scene_allow(sq_shutdown(scene.queues[0], mode, SQ_FOREVER), 0, 0); }

/* By a thread of its own, which gives back what it waits on. */
static void end_item(void *unused) {
    (void)unused;
    if (scene.retains) {
        scene_allow(sq_sync(scene.queues[0], scene_do_nothing, NULL), 0, 0); /* it has run: it is its own owner */
    } else if (!sq_item_is_cancelled(scene.item)) {
        sq_item_cancel(scene.item);
    }
    scene_wait(SQ_FOREVER, 0);
    sq_item_release(scene.item);
    if (!scene.gives_queue && sq_sync(scene.queues[0], scene_do_nothing, NULL) == 0
        && sq__tallied(scene.queues[0], SQ__TALLY_WITHDRAWN) != sq__load_relaxed(&scene.queues[0]->skipped)) {
        ex_fail("item: an empty slot was consumed and not counted");
    }
}

static void make_all(const sq_queue_options_t *options) {
    static const char *const labels[] = { "A", "B" };
    memset(&seen, 0, sizeof seen);
    memset(&awaited, 0, sizeof awaited);
    submitter = NULL;
    submitter_discards = false;
    expected_awaits = 0;
    scene = (item_scene_t){ .item = sq_item_create("I", &(sq_task_t){ run, NULL, discard }) };
    registered = notified = wants = 0;
    for (unsigned i = 0; i < 2; i += 1) {
        scene.queues[i] = sq_queue_create(labels[i], i == 0 ? options : NULL);
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

void scene_run(void (*const threads[])(void *), void (*first)(void), size_t capacity, bool is_wide) {
    sq_queue_options_t options;
    int ids[4];
    bool faults = ex_setting.faults;
    stage_begin_own(&options, is_wide);
    options.capacity = capacity;
    ex_setting.faults = false;
    make_all(&options);
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
    ex_end_in_one_order();
    ex_setting.faults = false;
    if (!scene.gives_item) {
        ex_join(ex_start(end_item, NULL, false));
    }
    if (!scene.gives_queue) {
        sq_queue_release(scene.queues[0]);
    }
    sq_queue_release(scene.queues[1]);
    stage_release_pool();
    ex_setting.faults = faults;
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    check_all();
    stage_end();
}

/* item.c: items that are submitted, cancelled, waited for and notified by several threads, and released at any time. */
#include "storm.h"

static void cancel(sq_item_t *item, record_t *record) {
    int error = sq_item_cancel(item);
    if (error == 0) {
        MUST(record->discards == 1 && !record->runs, "a cancelled item has run %d times and been discarded %d times", record->runs,
             record->discards);
        totals.cancellations += 1;
    } else {
        MUST(error == EINPROGRESS || error == EALREADY, "a cancellation returned %d", error);
        MUST(error == EINPROGRESS || record->ended, "a cancellation found an outcome before there was one");
    }
    MUST(sq_item_is_cancelled(item), "an item does not know that it is cancelled");
}

static void wait(sq_item_t *item, record_t *record, self_t *me) {
    sq_time_t deadline = below(&me->chance, 3) ? soon(&me->chance) : SQ_NOW;
    int error = sq_item_wait(item, deadline);
    if (error == 0 || error == ECANCELED) {
        MUST(record->ended && record->runs == (error == 0) && record->discards == (error != 0),
             "a wait for an item returned %d: %d runs, %d discards",
             error, record->runs, record->discards);
    } else {
        MUST(error == ETIMEDOUT || (error == EAGAIN && deadline == SQ_NOW) || (error == EDEADLK && may_deadlock(me)),
             "a wait for an item returned %d %s",
             error, error == EDEADLK ? sq_deadlock_report() : "");
    }
}

static void at_outcome(sq_await_t *wait) {
    await_t *await = (await_t *)wait;
    MUST(await->record->ended, "an await of an item ended before its outcome");
    await_drop(await);
}

static bool withdraw(await_t *await) { return sq_item_withdraw(await->item, &await->wait); }

/* An item that no queue has taken would wait for its last release, and the await has a reference. */
static void await_outcome(sq_item_t *item, record_t *record, self_t *me) {
    if (record->state == UNSUBMITTED) {
        return;
    }
    await_t *await = await_new(at_outcome);
    await->item = sq_item_retain(item);
    await->record = record;
    int error = sq_item_await(item, &await->wait);
    MUST(error == EINPROGRESS || record->ended, "an await found an outcome before there was one");
    await_started(await, error, withdraw, me);
}

static void submit(sq_item_t *item, record_t *record, self_t *me) {
    target_t *target = record->target;
    int group = below(&me->chance, 2) ? (int)below(&me->chance, GROUPS) : -1, error;
    bool was_cancelled = below(&me->chance, 12) == 0 && sq_item_cancel(item) == 0;
    if (below(&me->chance, 4) == 0) {
        record->is_unordered = true;
        error = sq_item_submit_after(item, target->queue, below(&me->chance, 2) ? below(&me->chance, 1000) * MICROSECOND : 3 * MILLISECOND);
    } else {
        record->group = group;
        error = group >= 0 ? sq_group_submit_item(groups[group], item, target->queue) : sq_item_submit(item, target->queue);
    }
    MUST(!was_cancelled || error == ECANCELED, "the submission of a cancelled item returned %d", error);
    if (error == 0) {
        book_accepted(record);
        return;
    }
    MUST(error == ECANCELED ? was_cancelled : error == ESHUTDOWN ? (bool)target->is_shut : error == EAGAIN && target->capacity > 0,
         "the submission of an item returned %d", error);
    book_unsubmitted(record);
}

void act_item(self_t *me, target_t *target) {
    record_t *record = book_new(target, "an item");
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ task_run, record, task_discard });
    MUST(item != NULL, "an item cannot be made (errno %d)", errno);
    submit(item, record, me);
    for (uint64_t i = below(&me->chance, 4); i > 0; i -= 1) {
        switch (below(&me->chance, 4)) {
        case 0: cancel(item, record); break;
        case 1: wait(item, record, me); break;
        case 2: await_outcome(item, record, me); break;
        default: notify_item(item, record, &targets[below(&me->chance, (uint64_t)target_count)]);
        }
    }
    sq_item_release(item);
}

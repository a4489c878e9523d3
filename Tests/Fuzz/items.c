/* items.c: the operations on work items. many.c has the other objects, and says how all of them are called. */
#include "objects.h"

#include <errno.h>
#include <string.h>

enum { UNIT = 1000 };

item_slot_t item_slots[OBJECTS];
static int cancelling; /* the item that this thread cancels or releases; -1: none */

static void item_discarded(void *context) {
    int id = id_of(context);
    if (cancelling != id) {
        task_discarded(context);
        return;
    }
    drive_lock();
    if (sq_current_queue() != NULL) {
        model_fails(id, "the discard function of an item that is taken back has a current queue");
    }
    model_queue_t *queue = &model_queues[model_items[id].queue];
    if (model_fates[id] == WAITS) {
        model_take_back(queue, id, WITHDRAWN);
        queue->has_gap = true;
    } else if (model_fates[id] == DELAYED) {
        model_is_undelayed(queue, id);
    } else if (model_fates[id] == NOT_SUBMITTED) {
        model_fates[id] = WITHDRAWN;
    } else {
        model_fails(id, "an item is taken back, but its fate is %d", model_fates[id]);
    }
    model_item_is_over(id);
    drive_unlock();
}

static void create_item(int id, item_slot_t *slot) {
    const sq_task_t task = { task_runs, (void *)&drive.program->operations[id], item_discarded };
    if (slot->item != NULL) {
        return;
    }
    famine_begin(drive.program->operations[id].failing);
    sq_item_t *item = sq_item_create("fuzz", &task);
    bool failed = famine_end();
    many_expect(id, "item_create", item != NULL ? 0 : errno, item != NULL || many_famine(errno, failed));
    if (item != NULL) {
        *slot = (item_slot_t){ item, id, 1 };
    }
}

/* The last release of an item that was not submitted discards it. */
void item_release(item_slot_t *slot) {
    item_slot_t mine = *slot;
    const model_item_t *model = &model_items[mine.id];
    bool is_last = mine.owners == 1, discards = is_last && !model->was_submitted && !model->is_over;
    int outer = cancelling;
    slot->owners -= 1;
    slot->item = is_last ? NULL : mine.item;
    cancelling = discards ? mine.id : outer;
    sq_item_release(mine.item);
    cancelling = outer;
    if (discards && !model->is_over) {
        model_fails(mine.id, "the last release of an item that was not submitted has not discarded it");
    }
}

static void submit_item(int id, const item_slot_t *slot, uint64_t delay, bool is_timed) {
    const operation_t *operation = &drive.program->operations[id];
    model_item_t *item = &model_items[slot->id];
    int queue = operation->queue, item_id = slot->id;
    int expected = item->was_submitted ? EALREADY : item->was_cancelled ? ECANCELED : many_refusal(queue, !is_timed);
    bool is_accepted = expected == 0;
    if (is_accepted) {
        drive_lock();
        item->was_submitted = true;
        item->queue = queue;
        if (delay == 0) {
            model_accept(&model_queues[queue], item_id, is_timed ? DUE_TASK : ASYNC_TASK);
        }
        drive_unlock();
    }
    famine_begin(operation->failing);
    int error = is_timed ? sq_item_submit_after(slot->item, drive.queues[queue], delay) : sq_item_submit(slot->item, drive.queues[queue]);
    bool failed = famine_end();
    many_expect(id, "item_submit", error, error == expected || (is_accepted && many_famine(error, failed)));
    if (error == 0 && delay > 0) {
        model_delay(queue, item_id, delay);
    } else if (error != 0 && error != EALREADY && error != ECANCELED) {
        fate_t fate = model_fates[item_id];
        many_reject(item_id, queue);
        model_fates[item_id] = fate == WAITS ? NOT_SUBMITTED : fate; /* it can be submitted again */
        item->was_submitted = item->was_submitted && !is_accepted;
    }
}

static void cancel_item(int id, const item_slot_t *slot) {
    model_item_t *item = &model_items[slot->id];
    sq_item_t *real = slot->item;
    bool runs = model_fates[slot->id] == RUNS;
    int expected = item->is_over ? EALREADY : runs ? EINPROGRESS : 0, item_id = slot->id, outer = cancelling;
    item->was_cancelled = true;
    cancelling = expected == 0 ? item_id : outer;
    int error = sq_item_cancel(real);
    cancelling = outer;
    many_expect(id, "item_cancel", error, error == expected && (error != 0 || item->is_over));
    many_expect(id, "item_is_cancelled after item_cancel", error, sq_item_is_cancelled(real));
}

static int outcome_of(int id) { return model_fates[id] == RAN ? 0 : ECANCELED; }

static void wait_for_item(int id, const item_slot_t *slot, int number) {
    const model_item_t *item = &model_items[slot->id];
    sq_time_t deadline = many_deadline(number);
    bool was_over = item->is_over;
    int item_id = slot->id;
    famine_begin(drive.program->operations[id].failing);
    int error = sq_item_wait(slot->item, deadline);
    bool failed = famine_end();
    if (was_over || (item->is_over && deadline != SQ_NOW)) {
        many_expect(id, "item_wait", error, error == outcome_of(item_id));
        return;
    }
    fate_t fate = model_fates[item_id];
    bool is_submitted = fate == WAITS || fate == DELAYED || fate == RUNS;
    bool closes = is_submitted && deadline != SQ_NOW && drive_is_inside(item->queue);
    many_expect(id, "item_wait", error, error == many_late(deadline) || (closes && error == EDEADLK) || many_famine(error, failed));
    if (fate == WAITS && deadline != SQ_NOW && !many_famine(error, failed)) {
        many_check_left(id, item->queue);
    }
}

void item_operation(int id) {
    const operation_t *operation = &drive.program->operations[id];
    int rest = operation->argument / OBJECTS;
    item_slot_t *slot = &item_slots[operation->argument % OBJECTS];
    switch (operation->what) {
    case DO_ITEM:
        create_item(id, slot);
        break;
    case DO_ITEM_SUBMIT:
        submit_item(id, slot, 0, false);
        break;
    case DO_ITEM_AFTER:
        submit_item(id, slot, (uint64_t)rest * UNIT, true);
        break;
    case DO_ITEM_CANCEL:
        cancel_item(id, slot);
        break;
    case DO_ITEM_WAIT:
        wait_for_item(id, slot, rest);
        break;
    case DO_ITEM_RETAIN:
        slot->owners += 1;
        sq_item_retain(slot->item);
        break;
    case DO_ITEM_RELEASE:
        item_release(slot);
        break;
    }
}

void items_begin(void) {
    memset(item_slots, 0, sizeof item_slots);
    cancelling = -1;
}

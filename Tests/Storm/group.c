/* group.c: groups, whose zero is checked against the book; and notes, which the storm waits for in the end. */
#include "storm.h"

sq_group_t *groups[GROUPS];
atomic_int open_notes;

void groups_begin(void) {
    for (int i = 0; i < GROUPS; i += 1) {
        groups[i] = sq_group_create("group");
        MUST(groups[i] != NULL, "a group cannot be made (errno %d)", errno);
    }
}

/* After the end of all queues no member is left. */
void groups_check_zero(void) {
    for (int i = 0; i < GROUPS; i += 1) {
        uint64_t before = book_now();
        int error = sq_group_wait(groups[i], SQ_FOREVER);
        MUST(error == 0, "the last wait for a group returned %d", error);
        book_check_zero(i, before);
        MUST(sq_group_leave(groups[i]) == EINVAL, "a group has a member that never entered");
    }
}

void groups_end(void) {
    for (int i = 0; i < GROUPS; i += 1) {
        sq_group_release(groups[i]);
    }
}

typedef struct note {
    int group;
    uint64_t before;
    const record_t *record; /* of an item; NULL: a group's */
} note_t;

static void check_note(note_t *note) {
    if (note->record == NULL) {
        book_check_zero(note->group, note->before);
    } else {
        MUST(note->record->ended, "an item's notification before its outcome");
    }
}

static void drop_note(void *context) {
    free(context);
    open_notes -= 1;
}

static void notified(void *context) {
    check_note(context);
    drop_note(context);
}

static note_t *new_note(int group, const record_t *record) {
    note_t *note = malloc(sizeof *note);
    MUST(note != NULL, "no memory for the storm itself");
    *note = (note_t){ group, book_now(), record };
    open_notes += 1;
    return note;
}

static void check_notify(note_t *note, int error, const target_t *target) {
    if (error != 0) {
        MUST(error == ESHUTDOWN && target->is_shut, "a notification returned %d", error);
        drop_note(note);
    }
}

static void notify_zero(int group, target_t *target) {
    note_t *note = new_note(group, NULL);
    check_notify(note, sq_group_notify(groups[group], target->queue, &(sq_task_t){ notified, note, drop_note }), target);
}

void notify_item(sq_item_t *item, const record_t *record, target_t *target) {
    note_t *note = new_note(-1, record);
    check_notify(note, sq_item_notify(item, target->queue, &(sq_task_t){ notified, note, drop_note }), target);
}

static void submit_member(self_t *me, target_t *target, int group) {
    record_t *record = book_new(target, "a group's task");
    const sq_task_t task = { task_run, record, task_discard };
    record->group = group;
    uint64_t which = below(&me->chance, 5);
    record->is_barrier = which >= 3;
    int error;
    switch (which) {
    case 0:
        record->has_no_discard = true;
        error = sq_group_async(groups[group], target->queue, task_run, record);
        break;
    case 1: error = sq_group_async_task(groups[group], target->queue, &task); break;
    case 2: error = sq_group_async_pair(groups[group], target->queue, task_pair, record, target); break;
    case 3: error = sq_group_async_barrier_task(groups[group], target->queue, &task); break;
    default: error = sq_group_async_barrier_pair(groups[group], target->queue, task_pair, record, target);
    }
    book_answer(record, error, false);
}

static void leave_later(void *context) {
    record_t *record = context;
    record->runs = record->ended = 1;
    int error = sq_group_leave(groups[record->group]);
    MUST(error == 0, "leaving a group returned %d", error);
    left_to_helper -= 1;
}

static void enter_group(self_t *me, target_t *target, int group) {
    record_t *record = book_new(target, "an entry");
    record->group = group;
    record->is_entry = true;
    MUST(sq_group_enter(groups[group]) == 0, "entering a group failed");
    book_accepted(record);
    left_to_helper += 1;
    uint64_t delay = below(&me->chance, 3) ? below(&me->chance, 1000) * MICROSECOND : 0;
    MUST(sq_async_after(helper, delay, leave_later, record) == 0, "the helper refuses a task");
}

static void wait_for_zero(self_t *me, int group) {
    sq_time_t deadline = below(&me->chance, 4) ? soon(&me->chance) : SQ_NOW;
    uint64_t before = book_now();
    int error = sq_group_wait(groups[group], deadline);
    if (error == 0) {
        book_check_zero(group, before);
    } else {
        MUST(error == ETIMEDOUT || (error == EAGAIN && deadline == SQ_NOW) || (error == EDEADLK && may_deadlock(me)),
             "a wait for a group returned %d %s", error, error == EDEADLK ? sq_deadlock_report() : "");
    }
}

static void at_zero(sq_await_t *wait) {
    await_t *await = (await_t *)wait;
    book_check_zero(await->group, await->before);
    await_drop(await);
}

static bool withdraw(await_t *await) { return sq_group_withdraw(groups[await->group], &await->wait); }

static void await_zero(self_t *me, int group) {
    await_t *await = await_new(at_zero);
    await->group = group;
    await->before = book_now();
    int error = sq_group_await(groups[group], &await->wait);
    if (error == 0) {
        book_check_zero(group, await->before);
    }
    await_started(await, error, withdraw, me);
}

void act_group(self_t *me, target_t *target) {
    int group = (int)below(&me->chance, GROUPS);
    switch (below(&me->chance, 8)) {
    case 0: enter_group(me, target, group); break;
    case 1:
    case 2: wait_for_zero(me, group); break;
    case 3: notify_zero(group, target); break;
    case 4: await_zero(me, group); break;
    default: submit_member(me, target, group);
    }
}

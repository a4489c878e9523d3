/* many.c: the operations on items, groups, semaphores and onces.
 *
 * DESIGN. They are called outside of the tasks of queues with a thread of their own, so one thread at a time makes such calls, and each
 * has one right answer. What they submit may run on any queue. As in calls.c, the model is changed before a call that may run
 * something, and changed back if the call is refused. The member or item of a queue with a thread of its own is over for the model
 * when its function is: many_wait_for_rest waits until the library says so, too. */
#include "objects.h"

#include <errno.h>
#include <string.h>

enum { SHORT = 1000000 };

static sq_group_t *groups[OBJECTS];
static sq_semaphore_t *semaphores[OBJECTS];
static struct { sq_once_t once; bool is_inside, is_done; int id; } onces[OBJECTS];

void many_expect(int id, const char *name, int error, bool allowed) {
    if (!allowed) {
        model_fails(id, "%s returned %s", name, error == 0 ? "0" : strerror(error));
    }
}

bool many_famine(int error, bool failed) { return failed && error == ENOMEM; }

int many_queue_of(int id) {
    const operation_t *operation = &drive.program->operations[id];
    return operation->what == DO_ITEM ? model_items[id].queue : operation->queue;
}

/* With the lock: a task has run, or was discarded by its queue. */
void many_task_is_over(int id) {
    const operation_t *operation = &drive.program->operations[id];
    if (operation->what == DO_ITEM) {
        model_item_is_over(id);
    } else if (operation->what == DO_MEMBER) {
        int group = operation->argument % OBJECTS;
        model_member_leaves(group, &model_groups[group].members[operation->queue]);
    }
}

sq_time_t many_deadline(int number) { return number % 3 == 0 ? SQ_NOW : number % 3 == 1 ? 1 : sq_deadline(SHORT); }

int many_late(sq_time_t deadline) { return deadline == SQ_NOW ? EAGAIN : ETIMEDOUT; }

int many_refusal(int queue, bool needs_room) {
    const model_queue_t *model = &model_queues[queue];
    return model->closed ? ESHUTDOWN : needs_room && model_is_full(model) ? EAGAIN : 0;
}

void many_reject(int id, int queue) {
    drive_lock();
    if (model_fates[id] == WAITS) {
        model_take_back(&model_queues[queue], id, REJECTED);
    } else {
        model_queues[queue].rejected += 1;
    }
    drive_unlock();
}

void many_check_left(int id, int queue) {
    const model_queue_t *model = &model_queues[queue];
    if (!drive.program->threaded[queue] && model->running < 0 && model_can_run(model) && !drive_is_inside(queue)) {
        model_fails(id, "a wait has ended, and queue %d, which it needs, has work that is ready", queue);
    }
}

/* Groups */

static void run_member(void *first, void *group, bool runs) {
    if (group != groups[drive.program->operations[id_of(first)].argument % OBJECTS]) {
        model_fails(id_of(first), "a member was called with another second word");
    }
    (runs ? task_runs : task_discarded)(first);
}

/* A plain member, a pair, or a task with a discard function. */
static int group_async(int id, int group, int form) {
    const operation_t *operation = &drive.program->operations[id];
    const sq_task_t task = { task_runs, (void *)operation, task_discarded };
    sq_queue_t *queue = drive.queues[operation->queue];
    if (form % 2 == 1) {
        return sq_group_async_pair(groups[group], queue, run_member, (void *)operation, groups[group]);
    }
    return form % 4 == 2 && !drive.program->may_discard ? sq_group_async(groups[group], queue, task_runs, (void *)operation)
                                                        : sq_group_async_task(groups[group], queue, &task);
}

static void submit_member(int id, int group, int form) {
    const operation_t *operation = &drive.program->operations[id];
    int queue = operation->queue, expected = many_refusal(queue, true);
    if (expected == 0) {
        drive_lock();
        model_groups[group].members[queue] += 1;
        model_accept(&model_queues[queue], id, ASYNC_TASK);
        drive_unlock();
    }
    famine_begin(operation->failing);
    int error = group_async(id, group, form);
    bool failed = famine_end();
    many_expect(id, "group_async", error, error == expected || many_famine(error, failed));
    if (error != 0) {
        many_reject(id, queue);
        model_groups[group].members[queue] -= expected == 0; /* it never was one */
    }
}

static void leave_group(int id, int group) {
    int expected = model_groups[group].entered > 0 ? 0 : EINVAL;
    if (expected == 0) {
        drive_lock();
        model_member_leaves(group, &model_groups[group].entered);
        drive_unlock();
    }
    int error = sq_group_leave(groups[group]);
    many_expect(id, "group_leave", error, error == expected);
}

static void wait_for_group(int id, int group, int number) {
    const model_group_t *model = &model_groups[group];
    sq_time_t deadline = many_deadline(number);
    int zeros = model->zeros;
    bool had_members = model_members(group) > 0, closes = false;
    famine_begin(drive.program->operations[id].failing);
    int error = sq_group_wait(groups[group], deadline);
    bool failed = famine_end();
    if (!had_members || model->zeros > zeros) {
        many_expect(id, "group_wait, and the group was without members during it,", error, error == 0);
        return;
    }
    for (int queue = 0; queue < QUEUES; queue += 1) {
        closes = closes || (deadline > 1 && model->members[queue] > 0 && drive_is_inside(queue));
        if (deadline > 1 && model->members[queue] > 0 && !many_famine(error, failed)) {
            many_check_left(id, queue);
        }
    }
    many_expect(id, "group_wait", error, error == many_late(deadline) || (closes && error == EDEADLK) || many_famine(error, failed));
}

/* Notifications */

static void notice_discarded(void *context) {
    int id = id_of(context);
    drive_lock();
    if (model_fates[id] == PENDING) {
        model_notice_is_discarded(id);
        drive_unlock();
    } else {
        drive_unlock();
        task_discarded(context);
    }
}

static void notify(int id, sq_item_t *item, int owner, bool has_happened) {
    const operation_t *operation = &drive.program->operations[id];
    const sq_task_t task = { task_runs, (void *)operation, notice_discarded };
    int queue = operation->queue, expected = many_refusal(queue, false);
    if (expected == 0) {
        drive_lock();
        model_notify(owner, has_happened, queue, id);
        drive_unlock();
    }
    famine_begin(operation->failing);
    int error = item != NULL ? sq_item_notify(item, drive.queues[queue], &task)
                             : sq_group_notify(groups[owner], drive.queues[queue], &task);
    bool failed = famine_end();
    many_expect(id, "notify", error, error == expected || many_famine(error, failed));
    if (error != 0 && expected == 0) {
        drive_lock();
        model_unnotify(id, has_happened);
        drive_unlock();
    }
}

/* Semaphores and onces */

static void wait_for_permit(int id, int number, sq_time_t deadline) {
    int expected = model_permits[number] > 0 ? 0 : many_late(deadline);
    famine_begin(drive.program->operations[id].failing);
    int error = sq_semaphore_wait(semaphores[number], deadline);
    bool failed = famine_end();
    many_expect(id, "semaphore_wait", error, error == expected || (expected != 0 && many_famine(error, failed)));
    model_permits[number] -= error == 0;
}

static void run_once(void *context) {
    int id = id_of(context), number = drive.program->operations[id].argument % OBJECTS;
    if (onces[number].is_inside || onces[number].is_done) {
        model_fails(id, "a once runs a second function");
    }
    onces[number].is_inside = true;
    drive_operations(drive.program->operations[id].first);
    onces[number].is_inside = false;
    onces[number].is_done = true;
}

static void call_once(int id, int number) {
    int expected = onces[number].is_inside ? EDEADLK : 0;
    int error = sq_once(&onces[number].once, run_once, (void *)&drive.program->operations[id]);
    many_expect(id, "once", error, error == expected && (error != 0 || onces[number].is_done));
}

/* All */

bool many_is_legal(const operation_t *operation) {
    const model_queue_t *model = &model_queues[operation->queue];
    bool has_queue = (model->references > 0 || drive_is_inside(operation->queue)) && !model->abandoned;
    if (drive_is_on_threaded() || groups[0] == NULL) {
        return false;
    }
    switch (operation->what) {
    case DO_ITEM_SUBMIT:
        return has_queue && item_slots[operation->argument % OBJECTS].item != NULL;
    case DO_ITEM_AFTER:
        return has_queue && item_slots[operation->argument % OBJECTS].item != NULL && !drive.program->threaded[operation->queue];
    case DO_ITEM_NOTIFY:
        return has_queue && item_slots[operation->argument % OBJECTS].item != NULL && (model->references > 0 || model->suspensions == 0);
    case DO_GROUP_NOTIFY:
        return has_queue && (model->references > 0 || model->suspensions == 0);
    case DO_MEMBER:
        return has_queue;
    case DO_ITEM_CANCEL:
    case DO_ITEM_WAIT:
    case DO_ITEM_RETAIN:
    case DO_ITEM_RELEASE:
        return item_slots[operation->argument % OBJECTS].item != NULL;
    default:
        return true;
    }
}

void call_many(int id) {
    const operation_t *operation = &drive.program->operations[id];
    int number = operation->argument % OBJECTS, rest = operation->argument / OBJECTS;
    const item_slot_t *slot = &item_slots[number];
    switch (operation->what) {
    case DO_ITEM_NOTIFY:
        notify(id, slot->item, ITEM_OWNER + slot->id, model_items[slot->id].is_over);
        break;
    case DO_MEMBER:
        submit_member(id, number, rest);
        break;
    case DO_ENTER:
        model_groups[number].entered += 1;
        many_expect(id, "group_enter", 0, sq_group_enter(groups[number]) == 0);
        break;
    case DO_LEAVE:
        leave_group(id, number);
        break;
    case DO_GROUP_WAIT:
        wait_for_group(id, number, rest);
        break;
    case DO_GROUP_NOTIFY:
        notify(id, NULL, number, model_members(number) == 0);
        break;
    case DO_SIGNAL:
        model_permits[number] += 1;
        many_expect(id, "semaphore_signal", 0, sq_semaphore_signal(semaphores[number]) == 0);
        break;
    case DO_SEMAPHORE_WAIT:
        wait_for_permit(id, number, many_deadline(rest));
        break;
    case DO_ONCE:
        call_once(id, number);
        break;
    default:
        item_operation(id);
    }
}

/* The beginning and the end */

void many_begin(void) {
    items_begin();
    memset(onces, 0, sizeof onces);
    for (int i = 0; i < OBJECTS; i += 1) {
        groups[i] = sq_group_create("fuzz");
        semaphores[i] = sq_semaphore_create("fuzz", (size_t)model_permits[i]);
    }
}

/* What the model says of an object or a queue is not yet true: a thread of a queue, or an alarm, is on its way. */
static bool lags(int number) {
    const item_slot_t *slot = &item_slots[number];
    return (model_members(number) == 0) != (sq_group_wait(groups[number], SQ_NOW) == 0)
        || (slot->item != NULL && model_items[slot->id].is_over && sq_item_wait(slot->item, SQ_NOW) == EAGAIN);
}

static bool is_on_its_way(int queue) {
    const model_queue_t *model = &model_queues[queue];
    return model->references > 0 && !model->discards && !model->abandoned && sq_queue_depth(drive.queues[queue]) < model->depth;
}

void many_wait_for_rest(void) {
    time_t began = drive_now();
    for (int i = 0; i < OBJECTS + QUEUES && groups[0] != NULL;) {
        if (!(i < OBJECTS ? lags(i) : is_on_its_way(i - OBJECTS))) {
            i += 1;
        } else if (drive_now() - began > 30) {
            model_fails(i, "after half a minute the %s of this number is still not as the model says", i < OBJECTS ? "item or group" : "queue");
        } else {
            nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
        }
    }
}

bool many_finish(void) {
    for (int i = 0; i < OBJECTS; i += 1) {
        if (item_slots[i].item != NULL) {
            item_release(&item_slots[i]);
            return true;
        }
        if (model_groups[i].entered > 0) {
            leave_group(-1, i);
            return true;
        }
    }
    return false;
}

void many_end(void) {
    for (int i = 0; i < OBJECTS; i += 1) {
        sq_group_release(groups[i]);
        sq_semaphore_release(semaphores[i]);
        groups[i] = NULL;
    }
}

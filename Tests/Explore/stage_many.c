/* stage_many.c: a group and an item, whose tasks are submissions like others. A wait that returns 0 must find what they did. */
#include "stage_inside.h"

#include "include/sq_group.h"
#include "include/sq_item.h"

#include <errno.h>
#include <string.h>

static sq_group_t *group;
static sq_item_t *item;
static sq_task_t task_of_item; /* known when it is submitted */
static bool is_cancelled;      /* by a call that has not failed */

static void run_item(void *unused) {
    (void)unused;
    task_of_item.run(task_of_item.context);
}

static void discard_item(void *unused) {
    (void)unused;
    if (task_of_item.discard != NULL) {
        task_of_item.discard(task_of_item.context);
    }
}

void stage_many_begin(void) {
    bool faults = ex_setting.faults;
    ex_setting.faults = false;
    task_of_item = (sq_task_t){ NULL, NULL, NULL };
    is_cancelled = false;
    group = sq_group_create("G");
    item = sq_item_create("I", &(sq_task_t){ run_item, NULL, discard_item });
    ex_declare_group(group);
    ex_setting.faults = faults;
}

void stage_many_end(void) {
    if (sq_group_leave(group) != EINVAL) {
        ex_fail("group: members are left");
    }
    sq_group_release(group);
    sq_item_release(item);
}

int stage_many_submit(kind_t kind, sq_queue_t *queue, const sq_task_t *task) {
    if (kind == ITEM) {
        task_of_item = *task;
        return sq_item_submit(item, queue);
    }
    return kind == MEMBER ? sq_group_async(group, queue, task->run, task->context) : sq_group_async_task(group, queue, task);
}

void stage_enter(void) {
    if (sq_group_enter(group) != 0) {
        ex_fail("group: enter returned an error");
    }
}

void stage_leave(void) {
    if (sq_group_leave(group) != 0) {
        ex_fail("group: leave returned an error");
    }
}

bool stage_is_cancelled(const submission_t *one) { return one->kind == ITEM && is_cancelled; }

/* The only one. */
static const submission_t *submitted_item(void) {
    unsigned i = 0;
    while (i < stage_count && stage_submissions[i].kind != ITEM) {
        i += 1;
    }
    return &stage_submissions[i];
}

void stage_cancel(void) {
    const submission_t *one = submitted_item();
    is_cancelled = true;
    int error = sq_item_cancel(item);
    EX_TRACE("the cancel returns %d", error);
    ex_caller = (const void *)stage_cancel;
    is_cancelled = error == 0;
    if (error == 0 ? !one->discarded : error == EALREADY ? !one->finished && !one->discarded : error != EINPROGRESS) {
        ex_fail("item: a cancel returned %s, and it %s", strerror(error), one->discarded ? "was discarded" : one->finished ? "ran" : "has no outcome");
    }
}

/* The wait is over: so is what was submitted before it began. */
static void check_over(kind_t kind, uint64_t before, int error) {
    for (unsigned i = 0; i < stage_count; i += 1) {
        const submission_t *one = &stage_submissions[i];
        bool is_item = one->kind == ITEM, is_member = one->kind == MEMBER || one->kind == OWNED_MEMBER;
        if (!(kind == ITEM ? is_item : is_member) || one->error || !(before >> i & 1)) {
            continue;
        }
        if (!one->finished && !one->discarded) {
            ex_fail("%s: a wait returned before task %d was over", stage_kind_names[kind], one->id);
        }
        if (is_item && one->finished != (error == 0)) {
            ex_fail("item: a wait returned %s, and it was %s", strerror(error), one->finished ? "run" : "discarded");
        }
        stage_read_result(one);
    }
}

void stage_wait(kind_t kind, sq_time_t deadline) {
    uint64_t before = stage_returned();
    EX_TRACE("waits for the %s", kind == ITEM ? "item" : "group");
    int error = kind == ITEM ? sq_item_wait(item, deadline) : sq_group_wait(group, deadline);
    EX_TRACE("the wait returns %d", error);
    ex_caller = (const void *)stage_wait;
    if (error == 0 || error == ECANCELED) {
        check_over(kind, before, error);
        return;
    }
    stage_deadlocks += error == EDEADLK;
    bool late = error == ETIMEDOUT && deadline != SQ_FOREVER, resources = error == ENOMEM && stage_may_fail;
    if (!late && !resources && !(stage_expected->may & ERROR_BIT(error))) {
        ex_fail("error: a wait for a %s returned %s", stage_kind_names[kind], strerror(error));
    }
    if (error == EDEADLK && stage_expected->spares_unlimited && deadline == SQ_FOREVER) {
        ex_fail("deadlock: a wait without a limit was refused although another one has a deadline");
    }
    if (error == EDEADLK && !stage_may_fail && sq_deadlock_report()[0] == '\0') {
        ex_fail("deadlock: no report");
    }
}

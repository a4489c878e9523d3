/* group.c: groups. */
#include "group.h"
#include "fail.h"
#include "queue.h"
#include "when.h"
#include <errno.h>
#include <sq_private.h>
#include <stdlib.h>

static const sq__dispatch_kind_t kind;

dispatch_group_t dispatch_group_create(void) {
    dispatch_group_t group = sq__dispatch_allocate("dispatch_group_create", sizeof *group);
    sq__dispatch_begin(&group->object, &kind);
    group->core = sq_group_create(NULL);
    sq__dispatch_check("dispatch_group_create", group->core == NULL ? errno : 0, NULL);
    sq__made_by(sq_group_label(group->core), __builtin_return_address(0));
    return group;
}

static void end(void *object) {
    dispatch_group_t group = object;
    sq__dispatch_finalize(&group->object);
    free(group);
}

/* The object's end comes after its members: they leave with it. */
static void leave(void *object) {
    dispatch_group_t group = object;
    sq_group_t *core = group->core;
    int error = sq_group_wait(core, SQ_NOW);
    if (error == 0) {
        end(group);
    } else if (error != ESTALE) { /* ESTALE: in the child of a fork the parent's members do not leave; the finalizer is not called */
        error = sq_group_notify(core, sq__dispatch_core(sq__dispatch_default_queue()), &(sq_task_t){ end, group, end });
        sq__dispatch_check("dispatch_release", error, NULL);
    }
    sq_group_release(core);
}

static const sq__dispatch_kind_t kind = { .name = "group", .end = leave };

void dispatch_group_async_f(dispatch_group_t group, dispatch_queue_t queue, void *context, dispatch_function_t work) {
    sq__dispatch_check("dispatch_group_async", sq_group_async(group->core, sq__dispatch_core(queue), work, context), queue);
}

void dispatch_group_notify_f(dispatch_group_t group, dispatch_queue_t queue, void *context, dispatch_function_t work) {
    int error = sq_group_notify(group->core, sq__dispatch_core(queue), &(sq_task_t){ work, context, NULL });
    sq__dispatch_check("dispatch_group_notify", error, queue);
}

void dispatch_group_enter(dispatch_group_t group) {
    sq__dispatch_check("dispatch_group_enter", sq_group_enter(group->core), NULL);
}

void dispatch_group_leave(dispatch_group_t group) {
    int error = sq_group_leave(group->core);
    if (error == EINVAL) {
        sq__dispatch_fail("dispatch_group_leave", "no member has entered.");
    }
    sq__dispatch_check("dispatch_group_leave", error, NULL);
}

intptr_t sq__dispatch_group_wait(const char *call, sq_group_t *core, dispatch_time_t timeout) {
    sq_time_t deadline = sq__dispatch_deadline(timeout);
    sq__dispatch_will_wait();
    int error = sq_group_wait(core, deadline);
    if (error == EDEADLK && timeout != DISPATCH_TIME_FOREVER) {
        /* The caller has said how long it can wait. */
        sq__dispatch_pass(deadline);
        error = sq_group_wait(core, SQ_NOW);
        error = error == EDEADLK ? ETIMEDOUT : error;
    }
    if (error == ETIMEDOUT || error == EAGAIN) {
        return sq__dispatch_timed_out();
    }
    sq__dispatch_check(call, error, NULL);
    return 0;
}

intptr_t dispatch_group_wait(dispatch_group_t group, dispatch_time_t timeout) {
    return sq__dispatch_group_wait("dispatch_group_wait", group->core, timeout);
}

/* control.c: the operations that submit nothing. */
#include "drive.h"

#include <errno.h>
#include <string.h>

enum { SHORT = 1000000 };
static const uint64_t LONG = 30000000000u;

static void expect(int id, const char *name, int error, bool allowed) {
    if (!allowed) {
        const operation_t *operation = &drive.program->operations[id];
        const model_queue_t *model = &model_queues[operation->queue];
        model_fails(id, "%s returned %s; queue %d: depth %zu, running %d, suspensions %d, closed %d", name,
                    error == 0 ? "0" : strerror(error), operation->queue, model->depth, model->running, model->suspensions,
                    model->closed);
    }
}

/* A suspended queue drains once it is resumed, and a queue of the pool when the pool is run; if nothing is left to drain it may
 * end at once, but slots of withdrawn callers can keep it. */
static bool may_still_wait(int queue) {
    const model_queue_t *model = &model_queues[queue];
    return (model->suspensions > 0 || !drive.program->threaded[queue]) && model->withdrawn > 0;
}

static void suspend(int id, int queue, model_queue_t *model) {
    bool has_ended = model_has_ended(model);
    int error = sq_suspend(drive.queues[queue]);
    expect(id, "suspend", error, error == (has_ended ? ESHUTDOWN : 0)
               || (error == 0 && (drive.program->threaded[queue] || may_still_wait(queue))));
    drive_lock();
    model->suspensions += error == 0;
    drive_unlock();
}

static void resume(int id, int queue, model_queue_t *model) {
    drive_lock();
    bool is_suspended = model->suspensions > 0;
    model->suspensions -= is_suspended;
    drive_unlock();
    int error = sq_resume(drive.queues[queue]);
    expect(id, "resume", error, error == (is_suspended ? 0 : EINVAL));
}

static void shut_down(int id, int queue, model_queue_t *model) {
    const operation_t *operation = &drive.program->operations[id];
    bool within = drive_is_current(queue), is_cycle = drive_is_inside(queue) && !within, was_closed = model->closed, did_discard = model->discards;
    drive_lock();
    model->closed = true;
    model->discards = model->discards || (operation->argument & 1);
    drive_unlock();
    /* On the pool a task that this call runs may suspend the queue; on a thread of its own, only a held task delays the end. */
    bool may_hang = !drive.program->threaded[queue] || drive_is_held(queue) || !model_can_run(model);
    sq_time_t deadline = sq_deadline(may_hang ? SHORT : LONG);
    famine_begin(operation->failing);
    int error = sq_shutdown(drive.queues[queue], operation->argument & 1 ? SQ_SHUTDOWN_DISCARD : SQ_SHUTDOWN_DRAIN, deadline);
    bool failed = famine_end();
    if (failed && error == ENOMEM) {
        drive_lock();
        model->closed = was_closed;
        model->discards = did_discard;
        drive_unlock();
        return;
    }
    drive_lock();
    bool is_stuck = drive_is_held(queue) || !model_can_run(model);
    expect(id, "shutdown", error,
           within     ? error == EDEADLK
           : is_cycle ? error == EDEADLK || (error == ETIMEDOUT && sq_deadline(0) >= deadline)
                      : error == 0 ? model_has_ended(model) : error == ETIMEDOUT && is_stuck && (!model_has_ended(model) || may_still_wait(queue)));
    drive_unlock();
}

static void discard_watcher(void *context) {
    int *watchers = context;
    drive_lock();
    *watchers -= 1;
    if (*watchers < 0) {
        model_fails((int)(watchers - drive.watchers), "a watcher of the queue of this number was discarded twice");
    }
    drive_wake();
    drive_unlock();
}

static void stalled(void *context, const sq_stall_t *stall) {
    (void)stall;
    model_fails((int)((int *)context - drive.watchers), "a watcher whose threshold is a day was called");
}

static void watch(int id, int queue) {
    const operation_t *operation = &drive.program->operations[id];
    const uint64_t day = 86400000000000u;
    const sq_watcher_t watcher = { .stalled = stalled, .context = &drive.watchers[queue], .discard = discard_watcher };
    int kind = operation->argument % 3; /* a watcher; none; a threshold of nothing */
    drive_lock();
    int before = drive.watchers[queue];
    drive.watchers[queue] += kind == 0;
    drive_unlock();
    famine_begin(operation->failing);
    int error = sq_queue_watch(drive.queues[queue], kind == 2 ? 0 : day, kind == 1 ? NULL : &watcher);
    bool failed = famine_end();
    drive_lock();
    if (kind == 0 && error != 0) {
        drive.watchers[queue] -= 1;
    }
    expect(id, "watch", error, kind == 2 ? error == EINVAL : error == 0 || (failed && error == ENOMEM));
    expect(id, "watch, and another number of watchers is left", error,
           drive.watchers[queue] == (error ? before : kind == 0));
    drive_unlock();
}

/* No queue of the pool is left with something to do. */
static void check_idle(int id) {
    for (int queue = 0; queue < QUEUES; queue += 1) {
        const model_queue_t *model = &model_queues[queue];
        if (!drive.program->threaded[queue] && model->running < 0 && model->depth > 0 && model_can_run(model)
            && !drive_is_inside(queue)) {
            model_fails(id, "the pool is idle, and queue %d has %zu tasks ready", queue, model->depth);
        }
    }
}

static void advance(int id) {
    uint64_t end = model_now + (uint64_t)(drive.program->operations[id].argument + 1) * 1000;
    sq_pool_run(drive.pool);
    model_submits_due(-1);
    /* One time at a time: what a task of an earlier one starts may be due in between. */
    for (uint64_t stop = model_next_due(); stop <= end; stop = model_next_due()) {
        uint64_t step = stop - model_now;
        model_now = stop;
        sq_pool_advance(drive.pool, step);
        model_submits_due(-1);
        check_idle(id);
    }
    uint64_t step = end - model_now;
    model_now = end;
    sq_pool_advance(drive.pool, step);
}

void call_control(int id) {
    const operation_t *operation = &drive.program->operations[id];
    int queue = operation->queue;
    model_queue_t *model = &model_queues[queue];
    switch (operation->what) {
    case DO_SUSPEND:
        suspend(id, queue, model);
        break;
    case DO_RESUME:
        resume(id, queue, model);
        break;
    case DO_SHUTDOWN:
        shut_down(id, queue, model);
        break;
    case DO_RETAIN:
        model->references += 1;
        sq_queue_retain(drive.queues[queue]);
        break;
    case DO_RELEASE:
        drive_lock();
        model_release(model);
        drive_unlock();
        sq_queue_release(drive.queues[queue]);
        break;
    case DO_WATCH:
        watch(id, queue);
        break;
    case DO_RUN:
        sq_pool_run(drive.pool);
        model_submits_due(-1);
        if (!sq_current_queue()) {
            check_idle(id);
        }
        break;
    case DO_ADVANCE:
        advance(id);
        break;
    case DO_UNHOLD:
        if (drive_is_held(queue)) {
            drive_lock();
            drive.unhold[queue] = true;
            drive_wake();
            drive_unlock();
        }
        break;
    case DO_WAITER:
        if (!model->closed && (drive_is_held(queue) || !model_can_run(model))) {
            waiter_start(id);
        }
        break;
    }
}

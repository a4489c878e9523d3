/* calls.c: carries out one operation, and checks its return code against the contract (the public headers).
 *
 * DESIGN. What is accepted goes into the model before the call, because it may run before the call returns; a call that returns an
 * error takes it out again. Where the contract leaves it open (a deadline that passes while the machine is busy, a
 * thread that has ended its task but not yet given the queue back), exactly the outcomes that it names are allowed. */
#include "drive.h"

#include <errno.h>
#include <string.h>

enum { SHORT = 1000000 /* a limit for what cannot happen */, UNIT = 1000 };
static const uint64_t LONG = 30000000000u; /* a limit for what must happen */

typedef struct call {
    int id, queue;
    const operation_t *operation;
    model_queue_t *model;
    void *context;
    bool within;   /* its queue is current: a wait is refused at once */
    bool is_cycle; /* a task of its queue is further out on this thread: a wait is refused as a cycle, unless its deadline passes */
    bool threaded, was_closed, was_free, was_full;
    sq_time_t deadline;
} call_t;

/* Arguments 0 to 3 of calls with a deadline: one that should not pass, SQ_NOW, one that has passed, a short one. */
static sq_time_t deadline_of(const call_t *call, bool cannot_hang) {
    switch (call->operation->argument % 4) {
    case 1:
        return SQ_NOW;
    case 2:
        return 1;
    case 0:
        if (cannot_hang) {
            return SQ_FOREVER;
        }
        /* fallthrough */
    default:
        return sq_deadline(cannot_hang ? LONG : SHORT);
    }
}

static call_t begin(int id) {
    const operation_t *operation = &drive.program->operations[id];
    int queue = operation->queue;
    model_queue_t *model = &model_queues[queue];
    return (call_t){ .id = id, .queue = queue, .operation = operation, .model = model, .context = (void *)operation,
                     .within = drive_is_current(queue), .is_cycle = drive_is_inside(queue) && !drive_is_current(queue),
                     .threaded = drive.program->threaded[queue],
                     .was_closed = model->closed, .was_free = model_is_free(model), .was_full = model_is_full(model) };
}

static void expect(const call_t *call, const char *name, int error, bool allowed) {
    if (!allowed) {
        model_fails(call->id, "%s returned %s; fate %d, queue %d: depth %zu, running %d, suspensions %d, closed %d, free %d",
                    name, error == 0 ? "0" : strerror(error), model_fates[call->id], call->queue, call->model->depth,
                    call->model->running, call->model->suspensions, call->was_closed, call->was_free);
    }
}

static bool is_too_late(const call_t *call) { return call->deadline != SQ_FOREVER && sq_deadline(0) >= call->deadline; }

static bool is_famine(int error, bool failed) { return failed && error == ENOMEM; }

static void reject(const call_t *call) {
    drive_lock();
    if (model_fates[call->id] == WAITS) {
        model_take_back(call->model, call->id, REJECTED);
    } else {
        call->model->rejected += 1;
    }
    drive_unlock();
}

static void accept(const call_t *call, entry_kind_t kind) {
    drive_lock();
    model_accept(call->model, call->id, kind);
    drive_unlock();
}

static void run_pair(void *first, void *second, bool runs) {
    if (second != &drive) {
        model_fails(id_of(first), "a pair was called with another second word");
    }
    (runs ? task_runs : task_discarded)(first);
}

/* Room may become free while an async_until waits for it. */
static int seek_room(call_t *call, const sq_task_t *task) {
    call->deadline = deadline_of(call, false);
    call->model->seeks = true;
    drive.waiters[call->queue] += 1;
    int error = sq_async_until(drive.queues[call->queue], call->deadline, task);
    drive.waiters[call->queue] -= 1;
    bool found = !call->model->seeks;
    drive_lock();
    call->model->seeks = false;
    if (found) {
        call->model->reserved = 0;
    }
    if (error == 0) {
        model_accept(call->model, call->id, ASYNC_TASK);
    }
    drive_unlock();
    if (error == 0) {
        expect(call, "async_until", error, found);
    }
    return error;
}

static void async(call_t *call) {
    const sq_task_t task = { .run = task_runs, .context = call->context, .discard = task_discarded };
    sq_queue_t *queue = drive.queues[call->queue];
    bool seeks = call->operation->what == DO_ASYNC_UNTIL && call->was_full && !call->was_closed && !call->within
                 && !call->is_cycle && call->operation->argument % 4 != 1;
    int error;
    if (!seeks && !call->was_closed && !call->was_full) {
        accept(call, ASYNC_TASK);
    }
    famine_begin(call->operation->failing);
    switch (call->operation->what) {
    case DO_ASYNC:
    case DO_HOLD:
    case DO_ASYNC_TASK:
        error = sq_async_task(queue, &task);
        break;
    case DO_PAIR:
        error = sq_async_pair(queue, SQ_NOW, run_pair, call->context, &drive);
        break;
    default:
        call->deadline = deadline_of(call, false);
        error = seeks ? seek_room(call, &task) : sq_async_until(queue, call->deadline, &task);
        break;
    }
    bool failed = famine_end();
    if (is_famine(error, failed)) {
        reject(call);
        return;
    }
    if (seeks) {
        bool is_closed = call->model->closed, is_stuck = !model_can_run(call->model) || drive_is_held(call->queue);
        expect(call, "async_until", error,
               error == 0 || (error == ESHUTDOWN && is_closed)
                   || (error == ETIMEDOUT && (is_stuck || (call->operation->argument % 4) == 2 || sq_deadline(0) >= call->deadline)));
    } else if (call->was_closed) {
        expect(call, "async", error, error == ESHUTDOWN);
    } else if (call->was_full) {
        bool waits = call->operation->what == DO_ASYNC_UNTIL && call->operation->argument % 4 != 1;
        expect(call, "async", error, error == (waits ? EDEADLK : EAGAIN)
                   || (waits && call->is_cycle && error == ETIMEDOUT && is_too_late(call)));
    } else {
        expect(call, "async", error, error == 0);
    }
    if (error) {
        reject(call);
    }
}

/* A sync or call that was not refused at once: what it returned, and what became of it. */
static void check_outcome(const call_t *call, const char *name, int error, bool failed) {
    fate_t fate = model_fates[call->id];
    bool is_stuck = !model_can_run(call->model) || drive_is_held(call->queue);
    bool too_late = is_too_late(call);
    drive_lock();
    if (error == 0) {
        expect(call, name, error, fate == RAN);
    } else if (is_famine(error, failed)) {
        model_take_back(call->model, call->id, REJECTED);
    } else if (error == ESHUTDOWN) {
        expect(call, name, error, !call->was_closed);
        model_take_back(call->model, call->id, DISCARDED);
    } else if (call->is_cycle && error == EDEADLK) {
        expect(call, name, error, fate == WAITS && (failed || sq_deadlock_report()[0] != '\0'));
        model_take_back(call->model, call->id, WITHDRAWN);
    } else {
        int expected = call->deadline == SQ_NOW ? EAGAIN : ETIMEDOUT;
        expect(call, name, error, error == expected && fate == WAITS && (is_stuck || too_late));
        model_take_back(call->model, call->id, WITHDRAWN);
    }
    drive_unlock();
}

static void sync(call_t *call) {
    sq_queue_t *queue = drive.queues[call->queue];
    bool until = call->operation->what == DO_SYNC_UNTIL;
    bool at_once = call->within || call->was_closed;
    call->deadline = until || !(call->was_free || at_once) ? deadline_of(call, call->was_free || at_once) : SQ_FOREVER;
    bool only_tries = call->deadline <= 1;
    if (!at_once && (call->was_free || !only_tries)) {
        accept(call, SYNC_CALLER);
    }
    famine_begin(call->operation->failing);
    int error = until || call->deadline != SQ_FOREVER ? sq_sync_until(queue, call->deadline, task_runs, call->context)
                                                      : sq_sync(queue, task_runs, call->context);
    bool failed = famine_end();
    int too_busy = call->deadline == SQ_NOW ? EAGAIN : ETIMEDOUT;
    if (call->within) {
        expect(call, "sync", error, error == EDEADLK && (failed || sq_deadlock_report()[0] != '\0'));
        reject(call);
    } else if (call->was_closed) {
        expect(call, "sync", error, error == ESHUTDOWN);
        reject(call);
    } else if (only_tries && error == too_busy) {
        /* A thread that has just ended its task may not have given its queue back yet. */
        expect(call, "sync", error, !call->was_free || call->threaded || call->model->has_gap);
        reject(call);
    } else {
        check_outcome(call, "sync", error, failed);
    }
}

static void run_inline(void *context) {
    const operation_t *operation = context;
    if (!sq_is_current(drive.queues[operation->queue])) {
        model_fails(id_of(context), "sync_or_run ran elsewhere");
    }
    model_fates[id_of(context)] = RAN;
    drive_operations(operation->first);
}

static void sync_or_run(call_t *call) {
    if (!call->within) {
        if (call->was_closed && model_has_ended(call->model) && call->model->suspensions == 0) {
            reject(call);
            int error = sq_sync_or_run(drive.queues[call->queue], task_runs_late, call->context);
            expect(call, "sync_or_run", error, error == 0 && model_fates[call->id] == RAN);
        } else if (!call->was_closed && (call->was_free || call->is_cycle)) {
            call->deadline = SQ_FOREVER;
            accept(call, SYNC_CALLER);
            int error = sq_sync_or_run(drive.queues[call->queue], task_runs, call->context);
            check_outcome(call, "sync_or_run", error, false);
        }
        return;
    }
    int error = sq_sync_or_run(drive.queues[call->queue], run_inline, call->context);
    expect(call, "sync_or_run", error, error == 0 && model_fates[call->id] == RAN);
}

static void and_wait(call_t *call) {
    bool at_once = call->within || call->was_closed;
    call->deadline = deadline_of(call, call->was_free || at_once);
    if (!at_once) {
        accept(call, CALL_CALLER);
    }
    famine_begin(call->operation->failing);
    int error = sq_run_and_wait(drive.queues[call->queue], call->deadline, task_runs, call->context);
    bool failed = famine_end();
    if (is_famine(error, failed)) {
        reject(call);
    } else if (at_once) {
        /* Both may be true of it; which comes first is not said. */
        expect(call, "run_and_wait", error,
               (error == EDEADLK && call->within) || (error == ESHUTDOWN && call->was_closed));
        reject(call);
    } else {
        expect(call, "run_and_wait", error, error == 0 || !call->was_free || call->threaded);
        check_outcome(call, "run_and_wait", error, failed);
    }
}

static void after(call_t *call) {
    const sq_task_t task = { .run = task_runs, .context = call->context, .discard = task_discarded };
    uint64_t delay = (uint64_t)(call->operation->argument + 1) * UNIT;
    famine_begin(call->operation->failing);
    int error = sq_async_task_after(drive.queues[call->queue], delay, &task);
    bool failed = famine_end();
    if (is_famine(error, failed)) {
        reject(call);
        return;
    }
    expect(call, "async_task_after", error, error == (call->was_closed ? ESHUTDOWN : 0));
    if (error == 0) {
        model_delay(call->queue, call->id, delay);
    } else {
        reject(call);
    }
}

void call_submission(int id) {
    call_t call = begin(id);
    switch (call.operation->what) {
    case DO_SYNC:
    case DO_SYNC_UNTIL:
        sync(&call);
        break;
    case DO_SYNC_OR_RUN:
        sync_or_run(&call);
        break;
    case DO_AND_WAIT:
        and_wait(&call);
        break;
    case DO_AFTER:
        after(&call);
        break;
    default:
        async(&call);
        break;
    }
}

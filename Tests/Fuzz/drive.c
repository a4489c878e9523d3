#define _GNU_SOURCE 1 /* pthread_cond_clockwait */
#include "drive.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

drive_t drive;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;

/* The tasks on this thread's stack, outermost first. */
typedef struct inside {
    int queue;
    bool begins; /* a chain */
} inside_t;

static _Thread_local inside_t inside[OPERATIONS];
static _Thread_local int inside_count;

void drive_lock(void) { pthread_mutex_lock(&lock); }
void drive_unlock(void) { pthread_mutex_unlock(&lock); }
void drive_wake(void) { pthread_cond_broadcast(&news); }

time_t drive_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

void drive_wait(bool (*holds)(int), int argument, const char *what) {
    const struct timespec until = { .tv_sec = drive_now() + 31 }; /* its second has begun already */
    while (!holds(argument)) {
        if (pthread_cond_clockwait(&news, &lock, CLOCK_MONOTONIC, &until) != 0) {
            model_fails(argument, "still not after half a minute: %s", what);
        }
    }
}

bool drive_is_inside(int queue) {
    for (int i = 0; i < inside_count; i += 1) {
        if (inside[i].queue == queue) {
            return true;
        }
    }
    return false;
}

bool drive_is_current(int queue) {
    bool is_current = false;
    for (int i = 0; i < inside_count; i += 1) {
        is_current = inside[i].queue == queue || (is_current && !inside[i].begins);
    }
    return is_current;
}

int id_of(const void *context) { return (int)((const operation_t *)context - drive.program->operations); }

bool drive_is_on_threaded(void) {
    for (int i = 0; i < inside_count; i += 1) {
        if (drive.program->threaded[inside[i].queue]) {
            return true;
        }
    }
    return false;
}

static void enter(int queue, bool begins) {
    inside[inside_count++] = (inside_t){ queue, begins };
    if (sq_current_queue() != drive.queues[queue]) {
        model_fails(queue, "a task whose queue is not the current one");
    }
    for (int other = 0; other < QUEUES; other += 1) {
        bool has_handle = model_queues[other].references > 0 || drive_is_inside(other); /* else its memory may be another queue's */
        if (has_handle && sq_is_current(drive.queues[other]) != drive_is_current(other)) {
            model_fails(queue, "sq_is_current of queue %d is not %d in a task of this queue", other, drive_is_current(other));
        }
    }
}

/* Its function is called by the thread that submitted it. */
static bool is_called_by_submitter(const operation_t *operation) {
    return operation->what == DO_SYNC || operation->what == DO_SYNC_UNTIL || operation->what == DO_SYNC_OR_RUN
        || operation->what == DO_WAITER;
}

static void body(int id) {
    const operation_t *operation = &drive.program->operations[id];
    (void)famine_end(); /* what fails is the call, not the tasks that it runs */
    enter(many_queue_of(id), !is_called_by_submitter(operation));
    drive_operations(operation->first);
    inside_count -= 1;
}

static bool may_go(int queue) { return drive.unhold[queue] || drive.ending; }

bool drive_is_held(int queue) { return drive.held[queue] && !may_go(queue); }

static void hold(int queue) {
    drive_lock();
    drive.held[queue] = true;
    drive_wake();
    drive_wait(may_go, queue, "unhold");
    drive.held[queue] = drive.unhold[queue] = false;
    drive_unlock();
}

void task_runs(void *context) {
    int id = id_of(context);
    model_queue_t *queue = &model_queues[many_queue_of(id)];
    drive_lock();
    model_begins(queue, id);
    drive_unlock();
    if (drive.program->operations[id].what == DO_HOLD) {
        hold(drive.program->operations[id].queue);
    }
    body(id);
    drive_lock();
    model_ends(queue, id);
    many_task_is_over(id);
    drive_wake();
    drive_unlock();
}

void task_runs_late(void *context) {
    model_fates[id_of(context)] = RAN;
    body(id_of(context));
}

void task_discarded(void *context) {
    int id = id_of(context);
    drive_lock();
    model_is_discarded(&model_queues[many_queue_of(id)], id);
    drive_unlock();
    enter(many_queue_of(id), true);
    inside_count -= 1;
    drive_lock();
    many_task_is_over(id);
    drive_wake();
    drive_unlock();
}

bool drive_is_legal(const operation_t *operation) {
    int queue = operation->queue;
    const model_queue_t *model = &model_queues[queue];
    bool within = drive_is_inside(queue);
    /* The tasks of a queue with a thread of its own run at the same time as others: they keep to their queue. */
    for (int i = 0; i < inside_count; i += 1) {
        int outer = inside[i].queue;
        if (drive.program->threaded[outer] && outer != queue && sq_current_queue() == drive.queues[outer]) {
            return false;
        }
    }
    if (operation->what >= DO_KINDS) {
        return many_is_legal(operation);
    }
    switch (operation->what) {
    case DO_RUN:
        return true;
    case DO_ADVANCE:
        return inside_count == 0;
    case DO_HOLD:
    case DO_WAITER:
    case DO_UNHOLD:
        return drive.program->threaded[queue] && model->references > 0 && !within;
    case DO_AFTER:
        return !drive.program->threaded[queue] && (model->references > 0 || within) && !model->abandoned;
    case DO_SUSPEND: /* a queue that only a notification keeps could never be resumed */
        return (model->references > 0 || (within && model->notices == 0)) && !model->abandoned;
    case DO_RETAIN:
        return (model->references > 0 || within) && !model->abandoned && model->references < 3;
    case DO_RELEASE:
        return model->references > drive.waiters[queue]
            && !(model->references == 1 && model->suspensions > 0 && model->notices > 0); /* as above */
    default:
        return model->references > 0 || within;
    }
}

void drive_operations(int first) {
    bool on_worker = inside_count > 0 && drive.program->threaded[inside[inside_count - 1].queue];
    for (int id = first; id >= 0; id = drive.program->operations[id].next) {
        if (drive_is_legal(&drive.program->operations[id])) {
            uint8_t what = drive.program->operations[id].what;
            (what >= DO_KINDS ? call_many : what <= DO_AFTER || what == DO_HOLD ? call_submission : call_control)(id);
        }
        if (!on_worker) {
            drive_come_to_rest();
        }
        for (int queue = 0; inside_count == 0 && queue < QUEUES; queue += 1) {
            if (model_queues[queue].references > 0) {
                drive_check_stats(queue);
            }
        }
    }
}

static bool has_no_watcher(int queue) { return drive.watchers[queue] == 0; }

static bool resume_one(void) {
    for (int queue = 0; queue < QUEUES; queue += 1) {
        if (model_queues[queue].references > 0 && model_queues[queue].suspensions > 0) {
            model_queues[queue].suspensions -= 1;
            if (sq_resume(drive.queues[queue]) != 0) {
                model_fails(queue, "resume at the end");
            }
            return true;
        }
    }
    return false;
}

static void run_pool(void) {
    sq_pool_run(drive.pool);
    while (model_next_due() != UINT64_MAX) {
        uint64_t step = model_next_due() - model_now;
        model_now += step;
        sq_pool_advance(drive.pool, step);
        model_submits_due(-1);
    }
}

/* All references are released, and everything must end by itself. */
static void finish(void) {
    drive_lock();
    drive.ending = true;
    drive_wake();
    drive_unlock();
    drive_come_to_rest();
    run_pool();
    do { /* what runs may suspend again, or make items */
        run_pool();
        drive_come_to_rest();
    } while (resume_one() || (drive.program->has_objects && many_finish()));
    if (drive.program->has_objects) {
        many_end();
    }
    waiter_end_all();
    drive_come_to_rest();
    for (int queue = 0; queue < QUEUES; queue += 1) {
        while (model_queues[queue].references > 0) {
            drive_lock();
            model_release(&model_queues[queue]);
            drive_unlock();
            sq_queue_release(drive.queues[queue]);
        }
    }
    sq_pool_run(drive.pool);
    drive_come_to_rest();
    for (int queue = 0; queue < QUEUES; queue += 1) {
        drive_lock();
        drive_wait(has_no_watcher, queue, "its watcher discarded");
        drive_unlock();
    }
    sq_pool_release(drive.pool);
}

void drive_run(const program_t *program) {
    memset(&drive, 0, sizeof drive);
    drive.program = program;
    drive.pool = sq_pool_create_manual("fuzz");
    model_reset();
    for (int queue = 0; queue < QUEUES; queue += 1) {
        sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
        options.capacity = model_queues[queue].capacity = program->capacity[queue];
        options.pool = program->threaded[queue] ? NULL : drive.pool;
        drive.queues[queue] = sq_queue_create("fuzz", &options);
    }
    if (program->has_objects) {
        many_begin();
    }
    drive_operations(program->count > 0 ? 0 : -1);
    finish();
    for (int id = 0; id < program->count; id += 1) {
        if (model_fates[id] == WAITS || model_fates[id] == RUNS || model_fates[id] == DELAYED || model_fates[id] == PENDING) {
            model_fails(id, "was accepted and has no outcome (fate %d)", model_fates[id]);
        }
    }
}

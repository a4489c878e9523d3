#include "queue/after_end.h"

#include "include/sq_queue.h"
#include "include/sq_shutdown.h"
#include "include/sq_suspend.h"
#include "kernel/kernel_inline.h"
#include "platform/memory.h"
#include "queue/make.h"
#include "queue/end.h"
#include "queue/sync.h"
#include "state/state_inline.h"

#include <errno.h>

static sq_priority_t priority_of(sq__level_t level) {
    return level == SQ__LEVEL_HIGH ? SQ_PRIORITY_HIGH : level == SQ__LEVEL_LOW ? SQ_PRIORITY_LOW : SQ_PRIORITY_NORMAL;
}

/* Returns a queue of the same pool or target, otherwise one with a thread of its own, with one reference; NULL: no memory. No lock is held. */
static sq_queue_t *make_successor(const sq_queue_t *queue) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    sq__runner_t runner = sq__load_relaxed(&queue->runner);
    bool adopts = SQ__RUNNER_HAS(runner, adopt) != NULL;
    if (sq__runner_is_object(runner) && !sq__runner_is_owned(runner) && !adopts) {
        options.pool = sq__runner_object(runner);
        options.priority = priority_of(sq__runner_level(runner));
    }
    options.stack_size = sq__queue_stack_size(queue);
    sq_queue_t *made = sq__queue_make(queue->label, &options);
    if (made != NULL && adopts && sq__runner_kind(runner)->adopt(runner, made) != 0) {
        sq_queue_release(made);
        return NULL;
    }
    return made;
}

/* Called at the end of the queue, or in place of that. */
static void start(sq_await_t *at_end) {
    sq_queue_t *successor = at_end->context;
    sq__memory_free(at_end);
    sq_resume(successor);
    sq_queue_release(successor);
}

/* Suspends what was made, if the queue has not ended. Then the caller owns `*at_end`, which will resume it; NULL: it is not suspended. Returns false
 * if there is no memory for that, or for the queue's record of it: once other threads can see what was made, nothing may fail. */
static bool hold_back(sq_queue_t *queue, sq_queue_t *made, sq_await_t **at_end) {
    *at_end = NULL;
    if (sq_has_ended(queue)) {
        return true;
    }
    *at_end = sq__memory(sizeof **at_end);
    if (*at_end != NULL && !sq__end_prepare(queue)) {
        sq__memory_free(*at_end);
        *at_end = NULL;
    }
    if (*at_end != NULL) {
        **at_end = (sq_await_t){ .ended = start, .context = made };
        sq_suspend(made);
    }
    return *at_end != NULL;
}

/* Returns the queue's successor, which has one more user; `made` (perhaps NULL), if there was none: then the queue owns its reference. NULL: there is
 * none, or no memory. Takes the lock. */
static sq_queue_t *use_successor(sq_queue_t *queue, sq_queue_t *made) {
    sq__lock(queue);
    sq__after_end_t *after = sq__extra_make(queue, SQ__EXTRA_AFTER_END, sizeof *after);
    sq_queue_t *successor = NULL;
    if (after != NULL) {
        if (after->successor == NULL) {
            after->successor = made;
        }
        successor = after->successor;
        after->late_calls += successor != NULL;
    }
    sq__unlock(queue);
    return successor;
}

/* As use_successor, and makes one if there is none. */
static sq_queue_t *use_new_successor(sq_queue_t *queue) {
    sq_await_t *at_end = NULL;
    sq_queue_t *made = make_successor(queue), *successor = NULL;
    if (made != NULL && hold_back(queue, made, &at_end)) {
        successor = use_successor(queue, made);
    }
    if (successor == NULL || successor != made) {
        sq_queue_release(made);
        sq__memory_free(at_end);
    } else if (at_end != NULL) {
        sq_queue_retain(made);
        if (sq__end_await(queue, at_end) == 0) {
            start(at_end);
        }
    }
    return successor;
}

/* Returns the successor, for one call. Both queues exist until leave_successor. NULL: no memory. */
static sq_queue_t *join_successor(sq_queue_t *queue) {
    sq_queue_t *successor = use_successor(queue, NULL);
    if (successor == NULL) {
        successor = use_new_successor(queue);
    }
    if (successor != NULL) {
        sq_queue_retain(queue);
    }
    return successor;
}

/* L. It runs nothing, has no thread, and only the ended queue has a reference: it may stay for the next call. */
static bool may_stay(const sq_queue_t *successor) {
    /* [reference] acquire: the last use by a thread that has released it; the ended queue frees it without a release. */
    return sq__state_is_free(sq__load_relaxed(&successor->state)) && sq__load_acquire(&successor->references) == 1
        && sq__runner_client(sq__load_relaxed(&successor->runner)) == NULL;
}

/* A call that join_successor has counted is over. The last one releases the successor, unless that may stay. Takes the lock. The queue may be freed
 * then. */
static void leave_successor(sq_queue_t *queue) {
    sq_queue_t *last = NULL;
    sq__lock(queue);
    sq__after_end_t *after = sq__extra(queue, SQ__EXTRA_AFTER_END);
    after->late_calls -= 1;
    if (after->late_calls == 0 && !may_stay(after->successor)) {
        last = after->successor;
        after->successor = NULL;
    }
    sq__unlock(queue);
    sq_queue_release(last);
    sq_queue_release(queue);
}

typedef struct late_call {
    sq_queue_t *queue;
    sq_function_t function;
    void *context;
} late_call_t;

/* Runs in a task of the successor. */
static void run_late_call(void *context) {
    const late_call_t *call = context;
    sq__run(call->queue, call->function, call->context);
}

int sq__sync_after_end(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller) {
    int error = sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, deadline);
    if (error) {
        return error == ETIMEDOUT && deadline == SQ_NOW ? EAGAIN : error;
    }
    sq_queue_t *successor = join_successor(queue);
    if (successor == NULL) {
        return ENOMEM;
    }
    error = sq__sync(successor, deadline, run_late_call, &(late_call_t){ queue, function, context }, caller);
    leave_successor(queue);
    return error;
}

int sq__sync_or_run(sq_queue_t *queue, sq_function_t function, void *context, const void *caller) {
    int error = sq__sync_or_run_before_end(queue, function, context, caller);
    return error == ESHUTDOWN ? sq__sync_after_end(queue, SQ_FOREVER, function, context, caller) : error;
}

int sq_sync_or_run(sq_queue_t *queue, sq_function_t function, void *context) {
    return sq__sync_or_run(queue, function, context, __builtin_return_address(0));
}

typedef struct late_job {
    sq_queue_t *queue;
    sq__pair_t pair;
} late_job_t;

static void call_job(void *context) {
    const sq__pair_t *pair = context;
    pair->call(pair->first, pair->second, true);
}

/* A task of the successor: frees the job, calls it in a frame of the ended queue, and leaves the successor. It always runs: the successor is not shut
 * down, and has references as long as it has a job. */
static void run_late_job(void *context, void *unused, bool runs) {
    late_job_t job = *(late_job_t *)context;
    (void)unused;
    (void)runs;
    sq__memory_free(context);
    sq__run(job.queue, call_job, &job.pair);
    leave_successor(job.queue);
}

int sq__async_after_end(sq_queue_t *queue, sq_pair_function_t call, void *first, void *second) {
    late_job_t *job = sq__memory(sizeof *job);
    sq_queue_t *successor = job != NULL ? join_successor(queue) : NULL;
    if (successor == NULL) {
        sq__memory_free(job);
        return ENOMEM;
    }
    *job = (late_job_t){ .queue = queue, .pair = { .call = call, .first = first, .second = second } };
    int error = sq_async_job(successor, run_late_job, job, NULL);
    if (error) {
        sq__memory_free(job);
        leave_successor(queue);
    }
    return error;
}

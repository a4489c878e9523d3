/* group_async.c: tasks that are members of a group. */
#include "include/sq_group.h"

#include "kernel/cold.h"
#include "many/tie.h"
#include "platform/memory.h"
#include "queue/async.h"

#include <errno.h>

/* A task of more than a function and its context does not fit into a slot together with its tie. Fixed after creation. */
typedef struct owned {
    union {
        sq_task_t task;
        sq__pair_t pair;
    };
    sq__tie_t *tie;
} owned_t;

static owned_t take_back(owned_t *context) {
    owned_t owned = *context;
    sq__memory_free(context);
    return owned;
}

static void end(const owned_t *owned, const sq_queue_t *queue) {
    if (!sq__queue_is_stale(queue)) { /* else it has forked, and this is the child: the member is the parent's */
        sq__tie_end(owned->tie);
    }
}

static void run_task(void *context, void *queue, bool runs) {
    const owned_t owned = take_back(context);
    sq_function_t function = runs ? owned.task.run : owned.task.discard;
    sq__cold_task_calls_if_watched(queue, function); /* not run_task */
    function(owned.task.context);
    end(&owned, queue);
}

static void run_pair(void *context, void *queue, bool runs) {
    const owned_t owned = take_back(context);
    sq__cold_task_calls_if_watched(queue, (sq_function_t)(void (*)(void))owned.pair.call);
    owned.pair.call(owned.pair.first, owned.pair.second, runs);
    end(&owned, queue);
}

static int submit(sq_group_t *group, sq_queue_t *queue, uint16_t kind, sq__work_t *work, owned_t *owned) {
    sq__tie_t *begun;
    int error = sq__tie_begin(group, queue, &begun);
    if (error) {
        return sq__queue_reject(queue, error);
    }
    if (owned != NULL) {
        owned->tie = begun;
    } else {
        work->member.end = sq__tie_member_end(begun);
    }
    error = sq__async_submit(queue, kind, work);
    if (error) {
        sq__tie_cancel(begun);
    } else {
        sq__tie_confirm(begun);
    }
    return error;
}

int sq_group_async(sq_group_t *group, sq_queue_t *queue, sq_function_t function, void *context) {
    if (function == NULL) {
        return sq__queue_reject(queue, EINVAL);
    }
    sq__work_t work = { .member = { .run = function, .context = context } };
    return submit(group, queue, SQ__MEMBER, &work, NULL);
}

static int submit_owned(sq_group_t *group, sq_queue_t *queue, sq_pair_function_t call, const owned_t *owned) {
    owned_t *copy = sq__memory(sizeof *copy);
    if (copy == NULL) {
        return sq__queue_reject(queue, ENOMEM);
    }
    *copy = *owned;
    sq__work_t work = { .pair = { .call = call, .first = copy, .second = queue } };
    int error = submit(group, queue, SQ__PAIR, &work, copy);
    if (error) {
        sq__memory_free(copy);
    }
    return error;
}

int sq_group_async_task(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task) {
    if (task->discard == NULL || task->run == NULL) {
        return sq_group_async(group, queue, task->run, task->context);
    }
    return submit_owned(group, queue, run_task, &(owned_t){ .task = *task });
}

int sq_group_async_pair(sq_group_t *group, sq_queue_t *queue, sq_pair_function_t call, void *first, void *second) {
    return submit_owned(group, queue, run_pair, &(owned_t){ .pair = { .call = call, .first = first, .second = second } });
}

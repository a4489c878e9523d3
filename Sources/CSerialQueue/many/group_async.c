/* group_async.c: tasks that are members of a group. */
#include "include/sq_group.h"

#include "many/tie.h"
#include "platform/memory.h"
#include "queue/async.h"
#include "queue/fork.h"

#include <errno.h>

/* A task with a discard function does not fit into a slot beside its tie. Fixed once made. */
typedef struct owned {
    sq_task_t task;
    sq__tie_t *tie;
} owned_t;

static void run_owned(void *context, void *queue, bool runs) {
    owned_t owned = *(owned_t *)context;
    sq__memory_free(context);
    (runs ? owned.task.run : owned.task.discard)(owned.task.context);
    if (!sq__fork_is_stale(queue)) { /* else it has forked, and this is the child: the member is the parent's */
        sq__tie_end(owned.tie);
    }
}

static int submit(sq_group_t *group, sq_queue_t *queue, uint16_t kind, sq__work_t *work, sq__tie_t **tie) {
    sq__tie_t *begun;
    int error = sq__tie_begin(group, queue, &begun);
    if (error) {
        return sq__queue_reject(queue, error);
    }
    *tie = begun;
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
    return submit(group, queue, SQ__MEMBER, &work, &work.member.tie);
}

int sq_group_async_task(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task) {
    if (task->discard == NULL || task->run == NULL) {
        return sq_group_async(group, queue, task->run, task->context);
    }
    owned_t *owned = sq__memory(sizeof *owned);
    if (owned == NULL) {
        return sq__queue_reject(queue, ENOMEM);
    }
    owned->task = *task;
    sq__work_t work = { .pair = { .call = run_owned, .first = owned, .second = queue } };
    int error = submit(group, queue, SQ__PAIR, &work, &owned->tie);
    if (error) {
        sq__memory_free(owned);
    }
    return error;
}

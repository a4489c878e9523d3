/* group_async.c: tasks that are members of a group. */
#include "include/sq_group.h"

#include "kernel/cold.h"
#include "kernel/sited.h"
#include "many/tie.h"
#include "platform/memory.h"
#include "queue/async.h"

#include <errno.h>

/* The record of a member that has a discard function. Fixed after creation. */
typedef struct owned {
    sq__member_end_t end; /* first: end_owned gets its address */
    sq__tie_t *tie;
} owned_t;

typedef struct owned_pair {
    owned_t owned; /* first */
    sq_queue_t *queue;
    sq__pair_t pair;
} owned_pair_t;

static void end_owned(sq__member_end_t *end, bool leaves) {
    sq__tie_t *tie = ((owned_t *)end)->tie;
    sq__memory_free(end);
    if (leaves) {
        sq__tie_end(tie);
    }
}

static void call_pair(const owned_pair_t *owned, bool runs) {
    sq__cold_task_calls_if_watched(owned->queue, (sq_function_t)(void (*)(void))owned->pair.call); /* not run_pair */
    owned->pair.call(owned->pair.first, owned->pair.second, runs);
}

static void run_pair(void *owned) { call_pair(owned, true); }
static void discard_pair(void *owned) { call_pair(owned, false); }

/* `owned` is NULL for a plain function. */
static int submit(sq_group_t *group, sq_queue_t *queue, sq__work_t *work, owned_t *owned) {
    sq__tie_t *begun;
    int error = sq__tie_begin(group, queue, &begun);
    if (error) {
        return sq__queue_reject(queue, error);
    }
    work->member.end = sq__tie_member_end(begun);
    if (owned != NULL) {
        owned->end.members = work->member.end->members;
        owned->tie = begun;
        work->member.end = &owned->end;
    }
    error = sq__async_submit(queue, SQ__MEMBER, work);
    if (error) {
        sq__tie_cancel(begun);
    } else {
        sq__tie_confirm(begun);
    }
    return error;
}

SQ__NOTES_CALLER int sq_group_async(sq_group_t *group, sq_queue_t *queue, sq_function_t function, void *context) {
    SQ__NOTE_CALLER_IF_WANTED(queue);
    if (function == NULL) {
        return sq__queue_reject(queue, EINVAL);
    }
    sq__work_t work = { .member = { .run = function, .context = context } };
    return sq__sited_outcome(submit(group, queue, &work, NULL));
}

static int submit_owned(sq_group_t *group, sq_queue_t *queue, sq__work_t *work, owned_t *owned) {
    int error = submit(group, queue, work, owned);
    if (error) {
        sq__memory_free(owned);
    }
    return error;
}

SQ__NOTES_CALLER int sq_group_async_task(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task) {
    SQ__NOTE_CALLER_IF_WANTED(queue);
    if (task->discard == NULL || task->run == NULL) {
        return sq_group_async(group, queue, task->run, task->context);
    }
    owned_t *owned = sq__memory(sizeof *owned);
    if (owned == NULL) {
        return sq__queue_reject(queue, ENOMEM);
    }
    owned->end = (sq__member_end_t){ .call = end_owned, .discard = task->discard };
    return submit_owned(group, queue, &(sq__work_t){ .member = { .run = task->run, .context = task->context } }, owned);
}

int sq_group_async_pair(sq_group_t *group, sq_queue_t *queue, sq_pair_function_t call, void *first, void *second) {
    owned_pair_t *pair = sq__memory(sizeof *pair);
    if (pair == NULL) {
        return sq__queue_reject(queue, ENOMEM);
    }
    *pair = (owned_pair_t){ .owned = { .end = { .call = end_owned, .discard = discard_pair } }, .queue = queue,
                            .pair = { .call = call, .first = first, .second = second } };
    return submit_owned(group, queue, &(sq__work_t){ .member = { .run = run_pair, .context = pair } }, &pair->owned);
}

/* group_async.c: tasks that are members of a group. */
#include "include/sq_group.h"
#include "gate/concurrent.h"
#include "observe/trace_hooks.h"
#include "observe/watch_notes.h"
#include "observe/wrapper.h"
#include "state/handle.h"
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
    sq__watch_task_calls(owned->queue, (sq_function_t)(void (*)(void))owned->pair.call); /* not run_pair */
    owned->pair.call(owned->pair.first, owned->pair.second, runs);
}

static void run_pair(void *owned) { call_pair(owned, true); }
static void discard_pair(void *owned) { call_pair(owned, false); }

static __attribute__((constructor)) void show_pairs(void) {
    enum { CALL = offsetof(owned_pair_t, pair.call), FIRST = offsetof(owned_pair_t, pair.first) };
    static sq__wrapper_t running = { .function = run_pair }, discarding = { .function = discard_pair };
    for (unsigned i = 0; i < 2; i += 1) {
        sq__wrapper_t *wrapper = i == 0 ? &running : &discarding;
        wrapper->name = "a member of a group";
        wrapper->run = wrapper->discard = CALL;
        wrapper->code = FIRST;
        wrapper->context = wrapper->label = SQ__NOT_THERE;
        sq__wrapper_add(wrapper);
    }
}

/* `owned` is NULL for a plain function. */
static int submit(sq_group_t *group, sq_queue_t *queue, uintptr_t kind, sq__work_t *work, owned_t *owned) {
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
    error = sq__async_submit(queue, kind, work);
    if (error) {
        sq__tie_cancel(begun);
    } else {
        sq__tie_confirm(begun);
    }
    return error;
}

static int submit_owned(sq_group_t *group, sq_queue_t *queue, uintptr_t kind, sq__work_t *work, owned_t *owned) {
    int error = submit(group, queue, kind, work, owned);
    if (error) {
        sq__memory_free(owned);
    }
    return error;
}

static int submit_task(sq_group_t *group, sq_queue_t *queue, uintptr_t kind, const sq_task_t *task) {
    sq__work_t work = { .member = { .run = task->run, .context = task->context } };
    if (task->run == NULL) {
        return sq__queue_reject(queue, EINVAL);
    }
    if (task->discard == NULL) {
        return submit(group, queue, kind, &work, NULL);
    }
    owned_t *owned = sq__memory(sizeof *owned);
    if (owned == NULL) {
        return sq__queue_reject(queue, ENOMEM);
    }
    owned->end = (sq__member_end_t){ .call = end_owned, .discard = task->discard };
    return submit_owned(group, queue, kind, &work, owned);
}

static int submit_pair(sq_group_t *group, sq_queue_t *queue, uintptr_t kind, sq__pair_t words) {
    if (words.call == NULL) {
        return sq__queue_reject(queue, EINVAL);
    }
    owned_pair_t *pair = sq__memory(sizeof *pair);
    if (pair == NULL) {
        return sq__queue_reject(queue, ENOMEM);
    }
    *pair = (owned_pair_t){ .owned = { .end = { .call = end_owned, .discard = discard_pair } }, .queue = queue, .pair = words };
    return submit_owned(group, queue, kind, &(sq__work_t){ .member = { .run = run_pair, .context = pair } }, &pair->owned);
}

static inline int submit_plain(sq_group_t *group, sq_queue_t *queue, sq_function_t function, void *context) {
    SQ__CHECK_HANDLE(queue);
    return submit_task(group, queue, SQ__MEMBER, &(sq_task_t){ .run = function, .context = context });
}

/* A function of its own, so that the usual path saves no registers. */
static __attribute__((noinline)) int submit_noted(sq_group_t *group, sq_queue_t *queue, sq_function_t function, void *context, const void *caller) {
    sq__traced_want(queue, caller);
    return sq__sited_outcome(submit_plain(group, queue, function, context));
}

SQ__NOTES_CALLER int sq_group_async(sq_group_t *group, sq_queue_t *queue, sq_function_t function, void *context) {
    if (sq__sited_is_wanted(queue)) {
        return submit_noted(group, queue, function, context, __builtin_return_address(0));
    }
    return submit_plain(group, queue, function, context);
}

SQ__NOTES_CALLER int sq_group_async_task(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task) {
    SQ__CHECK_HANDLE(queue);
    SQ__NOTE_CALLER_IF_WANTED(queue);
    return sq__sited_outcome(submit_task(group, queue, SQ__MEMBER, task));
}

SQ__NOTES_CALLER int sq_group_async_pair(sq_group_t *group, sq_queue_t *queue, sq_pair_function_t call, void *first, void *second) {
    SQ__CHECK_HANDLE(queue);
    SQ__NOTE_CALLER_IF_WANTED(queue);
    return sq__sited_outcome(submit_pair(group, queue, SQ__MEMBER, (sq__pair_t){ .call = call, .first = first, .second = second }));
}

SQ__NOTES_CALLER int sq_group_async_barrier_task(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task) {
    SQ__CHECK_HANDLE(queue);
    SQ__NOTE_CALLER_IF_WANTED(queue);
    return sq__sited_outcome(submit_task(group, queue, SQ__MEMBER | sq__barrier_on(queue), task));
}

SQ__NOTES_CALLER int sq_group_async_barrier_pair(sq_group_t *group, sq_queue_t *queue, sq_pair_function_t call, void *first, void *second) {
    SQ__CHECK_HANDLE(queue);
    SQ__NOTE_CALLER_IF_WANTED(queue);
    return sq__sited_outcome(submit_pair(group, queue, SQ__MEMBER | sq__barrier_on(queue), (sq__pair_t){ .call = call, .first = first, .second = second }));
}

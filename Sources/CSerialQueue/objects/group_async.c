/* group_async.c: tasks that are members of a group. */
#include "gate/gate_inline.h"
#include "include/sq_group.h"
#include "include/sq_private.h"
#include "observe/observe_inline.h"
#include "queue/queue.h"
#include "objects/member_count.h"
#include "platform/memory.h"
#include "state/state.h"

#include <errno.h>

/* The record of a member that has a discard function. Fixed after creation. */
typedef struct owned {
    sq__member_end_t end; /* first: end_owned gets its address */
    sq__member_count_t *member_count;
} owned_t;

typedef struct owned_pair {
    owned_t owned; /* first */
    sq_queue_t *queue;
    sq__pair_t pair;
} owned_pair_t;

/* The member is over (sq__member_end_t): frees its record. `leaves`: also counts the member out, after which the group may be freed. */
static void end_owned(sq__member_end_t *end, bool leaves) {
    sq__member_count_t *member_count = ((owned_t *)end)->member_count;
    sq__memory_free(end);
    if (leaves) {
        sq__member_count_end(member_count);
    }
}

static void call_pair(const owned_pair_t *owned, bool runs) {
    sq__watch_task_calls(owned->queue, (sq_function_t)(void (*)(void))owned->pair.call); /* not run_pair */
    owned->pair.call(owned->pair.first, owned->pair.second, runs);
}

static void run_pair(void *owned) { call_pair(owned, true); }
static void discard_pair(void *owned) { call_pair(owned, false); }

/* Tells traces and dumps where the user's function is in the record of a pair. */
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

/* `owned` is NULL for a plain function; else freed on an error. The rest of `submission` is the caller's. Returns as sq_group_async; on an error the
 * group has no member more, and no function was called. */
static int submit(sq_group_t *group, sq_queue_t *queue, sq__submission_t *submission, owned_t *owned) {
    sq__member_count_t *begun;
    int error = sq__submission_is_valid(submission) ? sq__member_count_begin(group, queue, &begun) : EINVAL;
    if (error) {
        sq__memory_free(owned);
        return sq__queue_reject(queue, error);
    }
    submission->work.member.end = &begun->end;
    if (owned != NULL) {
        owned->end.members = &begun->on_queue;
        owned->member_count = begun;
        submission->work.member.end = &owned->end;
    }
    error = sq__async_submit(queue, submission);
    if (error) {
        sq__memory_free(owned);
        sq__member_count_cancel(begun);
    } else {
        sq__member_count_confirm(begun);
    }
    return error;
}

/* As sq_group_async_task. The caller has set `kind` and `site` of the submission. */
static int submit_task(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task, sq__submission_t *submission) {
    SQ__CHECK_HANDLE(queue);
    submission->work.member = (sq__member_task_t){ .run = task->run, .context = task->context };
    if (task->discard == NULL) {
        return submit(group, queue, submission, NULL);
    }
    owned_t *owned = sq__memory(sizeof *owned);
    if (owned == NULL) {
        return sq__queue_reject(queue, ENOMEM);
    }
    owned->end = (sq__member_end_t){ .call = end_owned, .discard = task->discard };
    return submit(group, queue, submission, owned);
}

int sq__group_async_pair(sq_group_t *group, sq_queue_t *queue, const sq__pair_call_t *call) {
    SQ__CHECK_HANDLE(queue);
    if (call->call == NULL) {
        return sq__queue_reject(queue, EINVAL);
    }
    owned_pair_t *pair = sq__memory(sizeof *pair);
    if (pair == NULL) {
        return sq__queue_reject(queue, ENOMEM);
    }
    *pair = (owned_pair_t){
        .owned = { .end = { .call = end_owned, .discard = discard_pair } }, .queue = queue,
        .pair = { .call = call->call, .first = call->first, .second = call->second }
    };
    sq__submission_t submission = {
        .work.member = { .run = run_pair, .context = pair }, .kind = SQ__MEMBER | (call->is_barrier ? sq__barrier_on(queue) : 0), .site = call->site
    };
    return submit(group, queue, &submission, &pair->owned);
}

int sq_group_async(sq_group_t *group, sq_queue_t *queue, sq_function_t function, void *context) {
    SQ__CHECK_HANDLE(queue);
    return submit(group, queue, &(sq__submission_t){
        .work.member = { .run = function, .context = context }, .kind = SQ__MEMBER, .site = __builtin_return_address(0)
    }, NULL);
}

int sq_group_async_task(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task) {
    return submit_task(group, queue, task, &(sq__submission_t){ .kind = SQ__MEMBER, .site = __builtin_return_address(0) });
}

int sq_group_async_barrier_task(sq_group_t *group, sq_queue_t *queue, const sq_task_t *task) {
    return submit_task(group, queue, task, &(sq__submission_t){
        .kind = SQ__MEMBER | sq__barrier_on(queue), .site = __builtin_return_address(0)
    });
}

int sq_group_async_pair(sq_group_t *group, sq_queue_t *queue, sq_pair_function_t call, void *first, void *second) {
    return sq__group_async_pair(group, queue, &(sq__pair_call_t){ call, first, second, .site = __builtin_return_address(0) });
}

int sq_group_async_barrier_pair(sq_group_t *group, sq_queue_t *queue, sq_pair_function_t call, void *first, void *second) {
    return sq__group_async_pair(
        group, queue, &(sq__pair_call_t){ call, first, second, .is_barrier = true, .site = __builtin_return_address(0) });
}

/* block_submit.c: submitting blocks. The functions have the symbols of libdispatch's calls that take blocks, and a pointer in place of the block. */
#include "alone.h"
#include "block_object.h"
#include "fail.h"
#include "group.h"
#include "queue.h"
#include "when.h"
#include <errno.h>

/* The task of a copy. */
static sq_task_t task_of(const void *block) {
    return (sq_task_t){ sq__dispatch_call_and_release_block, sq__dispatch_copy_block(block), sq__dispatch_release_block };
}

static void run_alone(void *block) {
    sq__dispatch_call_alone(sq__dispatch_call_and_release_block, block);
}

/* `group`: NULL, or the group that the block is a member of. A block object is a member of its own group, if it has no other: so a wait for it
 * finds a deadlock. */
static int submit(dispatch_queue_t queue, const void *block, bool is_barrier, sq_group_t *group) {
    sq_queue_t *core = sq__dispatch_core(queue);
    struct sq__dispatch_record *record = sq__dispatch_record_of(block);
    sq_task_t task = task_of(block);
    if (record != NULL) {
        is_barrier |= sq__dispatch_record_is_barrier(record);
        group = group != NULL ? group : sq__dispatch_record_group(record);
    }
    if (is_barrier && sq__dispatch_has_barriers(queue, core)) {
        task.run = run_alone;
        return group == NULL ? sq_async_barrier_task(core, &task) : sq_group_async_barrier_task(group, core, &task);
    }
    return group == NULL ? sq_async_task(core, &task) : sq_group_async_task(group, core, &task);
}

static bool is_barrier(const void *block) {
    struct sq__dispatch_record *record = sq__dispatch_record_of(block);
    return record != NULL && sq__dispatch_record_is_barrier(record);
}

void sq_dispatch_async(dispatch_queue_t queue, void *block) {
    sq__dispatch_check("dispatch_async", submit(queue, block, false, NULL), queue);
}

void sq_dispatch_barrier_async(dispatch_queue_t queue, void *block) {
    sq__dispatch_check("dispatch_barrier_async", submit(queue, block, true, NULL), queue);
}

void sq_dispatch_group_async(dispatch_group_t group, dispatch_queue_t queue, void *block) {
    sq__dispatch_check("dispatch_group_async", submit(queue, block, false, group->core), queue);
}

void sq_dispatch_sync(dispatch_queue_t queue, void *block) {
    (is_barrier(block) ? dispatch_barrier_sync_f : dispatch_sync_f)(queue, block, sq__dispatch_call_block);
}

void sq_dispatch_barrier_sync(dispatch_queue_t queue, void *block) {
    dispatch_barrier_sync_f(queue, block, sq__dispatch_call_block);
}

void sq_dispatch_async_and_wait(dispatch_queue_t queue, void *block) {
    (is_barrier(block) ? dispatch_barrier_async_and_wait_f : dispatch_async_and_wait_f)(queue, block, sq__dispatch_call_block);
}

void sq_dispatch_barrier_async_and_wait(dispatch_queue_t queue, void *block) {
    dispatch_barrier_async_and_wait_f(queue, block, sq__dispatch_call_block);
}

/* The task of a copy. Returns whether it is a barrier. */
static bool later_task(sq_task_t *task, dispatch_queue_t queue, const void *block) {
    bool runs_alone = is_barrier(block) && sq__dispatch_has_barriers(queue, sq__dispatch_core(queue));
    *task = task_of(block);
    task->run = runs_alone ? run_alone : task->run;
    return runs_alone;
}

/* Submits a copy when the group has no members: a block object that is a barrier is one. Returns 0 or the error. */
static int notify(sq_group_t *group, dispatch_queue_t queue, const void *block) {
    sq_task_t task;
    return (later_task(&task, queue, block) ? sq_group_notify_barrier : sq_group_notify)(group, sq__dispatch_core(queue), &task);
}

static int submit_barrier_after(sq_queue_t *core, uint64_t delay, const sq_task_t *task) {
    sq_item_t *item = sq_item_create_with(NULL, task, &(sq_item_options_t){ sizeof(sq_item_options_t), SQ_ITEM_BARRIER });
    if (item == NULL) {
        return errno;
    }
    int error = sq_item_submit_after(item, core, delay);
    sq_item_release(item);
    return error;
}

void sq_dispatch_after(dispatch_time_t when, dispatch_queue_t queue, void *block) {
    if (when == DISPATCH_TIME_FOREVER) {
        return;
    }
    sq_task_t task;
    bool runs_alone = later_task(&task, queue, block);
    int error = (runs_alone ? submit_barrier_after : sq_async_task_after)(sq__dispatch_core(queue), sq__dispatch_delay(when), &task);
    sq__dispatch_check("dispatch_after", error, queue);
}

static void call_iteration(void *block, size_t iteration) {
    ((void (*)(void *, size_t))(void (*)(void))((struct sq__dispatch_block *)block)->invoke)(block, iteration);
}

void sq_dispatch_apply(size_t iterations, dispatch_queue_t queue, void *block) {
    dispatch_apply_f(iterations, queue, block, call_iteration);
}

void sq_dispatch_group_notify(dispatch_group_t group, dispatch_queue_t queue, void *block) {
    sq__dispatch_check("dispatch_group_notify", notify(group->core, queue, block), queue);
}

intptr_t sq_dispatch_block_wait(void *block, dispatch_time_t timeout) {
    struct sq__dispatch_record *record = sq__dispatch_need_record("dispatch_block_wait", block);
    return sq__dispatch_record_has_run(record) ? 0 : sq__dispatch_group_wait("dispatch_block_wait", sq__dispatch_record_group(record), timeout);
}

void sq_dispatch_block_notify(void *block, dispatch_queue_t queue, void *notification) {
    struct sq__dispatch_record *record = sq__dispatch_need_record("dispatch_block_notify", block);
    if (sq__dispatch_record_has_run(record)) {
        sq_dispatch_async(queue, notification);
        return;
    }
    sq__dispatch_check("dispatch_block_notify", notify(sq__dispatch_record_group(record), queue, notification), queue);
}

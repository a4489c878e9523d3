/* block.c: submitting blocks. The functions have the symbols of libdispatch's calls that take blocks, and a pointer in place of the block. */
#include "block.h"
#include "alone.h"
#include "fail.h"
#include "group.h"
#include "when.h"
#include <errno.h>

/* Of the program's runtime of blocks (Debian: libblocksruntime; Swift: libBlocksRuntime). A program with blocks links it. */
extern void *_Block_copy(const void *block) __attribute__((weak));
extern void _Block_release(const void *block) __attribute__((weak));

void sq__dispatch_call_block(void *block) {
    ((struct sq__dispatch_block *)block)->invoke(block);
}

void *sq__dispatch_copy_block(const void *block) {
    if (_Block_copy == NULL) {
        sq__dispatch_fail("dispatch_async", "the program has no runtime of blocks: link it with -lBlocksRuntime.");
    }
    void *copy = _Block_copy(block);
    if (copy == NULL) {
        sq__dispatch_fail("dispatch_async", "%s", sq_error_text(ENOMEM));
    }
    return copy;
}

void sq__dispatch_release_block(void *block) {
    _Block_release(block);
}

void sq__dispatch_call_and_release_block(void *block) {
    sq__dispatch_call_block(block);
    _Block_release(block);
}

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

int sq__dispatch_notify(sq_group_t *group, dispatch_queue_t queue, const void *block) {
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
    sq__dispatch_check("dispatch_group_notify", sq__dispatch_notify(group->core, queue, block), queue);
}

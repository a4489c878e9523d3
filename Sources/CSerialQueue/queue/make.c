/* make.c: making a queue, except for its target. */
#include "queue/make.h"

#include "gate/gate_inline.h"
#include "include/sq_pool.h"
#include "memory/blocks.h"
#include "observe/observe.h"
#include "platform/memory.h"
#include "platform/thread.h"
#include "queue/async.h"
#include "queue/capacity.h"
#include "queue/end.h"
#include "queue/queue_runner.h"
#include "runner/runner_inline.h"
#include "state/state_inline.h"
#include "trace/trace.h"
#include "wait/wait.h"

#include <errno.h>
#include <string.h>

/* It is in this file because every program that uses queues links it. */
static __attribute__((constructor)) void trace(void) { sq__trace_from_environment(); }

static sq__level_t level_of(sq_priority_t priority) {
    return priority == SQ_PRIORITY_HIGH ? SQ__LEVEL_HIGH : priority == SQ_PRIORITY_LOW ? SQ__LEVEL_LOW : SQ__LEVEL_NORMAL;
}

static bool are_valid(const sq_queue_options_t *options) {
    return options->capacity <= PTRDIFF_MAX
        && options->priority >= SQ_PRIORITY_LOW && options->priority <= SQ_PRIORITY_HIGH
        && (options->stack_size == 0 || sq__thread_stack_size_is_valid(options->stack_size));
}

/* The queue is to be on a pool. *runner: without a reference. Returns 0, EINVAL, ESTALE, or why there is no shared pool. */
static __attribute__((noinline)) int find_runner(const sq_queue_options_t *options, sq__runner_t *runner) {
    sq_pool_t *pool = options->pool;
    if (pool == NULL && (pool = sq_pool_shared()) == NULL) {
        return errno;
    }
    if (sq__pool_listed_is_stale((const sq__pool_listed_t *)pool)) {
        return ESTALE;
    }
    *runner = sq__runner(pool, level_of(options->priority)) | (options->helps && options->width <= 1 ? SQ__HELPED : 0);
    return options->width > 1 && sq__runner_is_owned(*runner) ? EINVAL : 0;
}

/* Returns a zeroed queue with room for the label; if `width` is above 1, with its concurrent part, which is set. NULL: no memory. Its block
 * (sq__queue_memory) is the caller's to free. */
static sq_queue_t *make(size_t label_length, size_t width) {
    size_t in_front = width > 1 ? sizeof(sq__concurrent_t) : 0;
    size_t bytes = in_front + sizeof(sq_queue_t);
    char *memory = sq__memory_apart(bytes + label_length + 1, in_front + offsetof(sq_queue_t, state) + sizeof(sq__state_t));
    if (memory == NULL) {
        return NULL;
    }
    memset(memory, 0, bytes);
    sq_queue_t *queue = (sq_queue_t *)(void *)(memory + in_front);
    if (width > 1) {
        sq__concurrent_t *concurrent = sq__concurrent_of(queue);
        concurrent->newest = &concurrent->oldest;
        concurrent->drains = sq__deadlock_look_again_at;
        concurrent->width = width < UINT32_MAX ? (uint32_t)width : UINT32_MAX;
        sq__store_relaxed(&queue->control, SQ__CONCURRENT);
        sq__store_relaxed(&queue->state, SQ__OWNED);
    }
    return queue;
}

/* False: no memory. */
static bool set_capacity(sq_queue_t *queue, size_t capacity) {
    if (capacity > 0 && (queue->room = sq__capacity_create(capacity, sq__async_give_room)) != NULL) {
        sq__control(queue, 0, SQ__BOUNDED);
    }
    return capacity == 0 || queue->room != NULL;
}

/* False: no memory. */
static bool set_stack_size(sq_queue_t *queue, size_t stack_size) {
    size_t *record = stack_size > 0 ? sq__extra_make(queue, SQ__EXTRA_STACK, sizeof *record) : NULL;
    if (record != NULL) {
        *record = stack_size;
    }
    return stack_size == 0 || record != NULL;
}

sq_queue_t *sq__queue_make(const char *label, const sq_queue_options_t *options) {
    if (!are_valid(options)) {
        errno = EINVAL;
        return NULL;
    }
    sq__runner_t runner = 0;
    int error = options->pool != NULL || options->width > 1 ? find_runner(options, &runner) : 0;
    if (error) {
        errno = error;
        return NULL;
    }
    size_t length = label != NULL ? strlen(label) : 0;
    sq_queue_t *queue = make(length, options->width);
    if (queue == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(queue->label, label != NULL ? label : "", length + 1);
    sq__handle_mark(queue);
    queue->process = sq__process();
    if (!set_capacity(queue, options->capacity) || !set_stack_size(queue, options->stack_size)) {
        sq__queue_dispose(queue);
        errno = ENOMEM;
        return NULL;
    }
    if (runner == 0) {
        sq__control(queue, 0, SQ__MOVABLE);
    } else {
        sq__store_relaxed(&queue->runner, sq__runner_retain(runner));
        if (sq__runner_is_owned(runner)) {
            sq__store_relaxed(&queue->state, SQ__NOT_FREE);
        }
    }
    sq__store_relaxed(&queue->position, SQ__SEGMENT_SLOTS); /* before the first segment */
    sq__store_relaxed(&queue->references, 1);
    if (sq__trace_is_on()) {
        sq__trace_hook_begin(queue);
    }
    return queue;
}

/* create.c: making a queue, and releasing it.
 *
 * DESIGN. A submitter has a reference until it has published its work. The work may release that reference. So after that the submitter
 * touches the queue only if it has the baton, or if its function will never run. A running task keeps its queue without a reference, and
 * may take a new one. The releaser (l), and a task that takes a reference (t):
 *
 *     (l1) takes the last reference away   (l2) the state word is free or ENDED, and RELEASES is 0: frees the queue
 *     (l3) otherwise RELEASES + 1: the holder frees the queue once it is empty. suspend.c has what happens to a suspended queue
 *     (t1) counts the references up from 0   (t2) RELEASES - 1
 *
 *     l3, and the holder makes the queue free     both swap the state word. The later one sees the other's change, and frees the queue
 *     l1 t1 t2 l3     RELEASES is -1, and then 0: the queue is not released. At -1 l2 does not free it: a releaser is on its way
 *     l1 t1 t2, and the task releases again     two releasers: one brings RELEASES from -1 to 0, and the other one from there on does l2 or
 *                     l3. With a flag in place of the count the queue would be freed twice, or under a reference */
#include "queue/create.h"

#include "gate/gate_inline.h"
#include "kernel/kernel.h"
#include "memory/blocks.h"
#include "observe/observe.h"
#include "runner/runner_inline.h"
#include "include/sq_pool.h"
#include "platform/memory.h"
#include "platform/thread.h"
#include "queue/async.h"
#include "queue/capacity.h"
#include "queue/end.h"
#include "queue/queue_runner.h"
#include "queue/suspend.h"
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
    char *memory = sq__memory(bytes + label_length + 1);
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

sq_queue_t *sq__queue_create(const char *label, const sq_queue_options_t *options) {
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
    size_t kibibytes = (options->stack_size + 1023) / 1024; /* the largest size is one more than fits; no system has that much */
    queue->stack_kib = kibibytes < SQ__STACK_KIB_MOST ? (uint32_t)kibibytes : SQ__STACK_KIB_MOST;
    queue->process = sq__process();
    if (options->capacity > 0 && (queue->room = sq__capacity_create(options->capacity, sq__async_give_room)) == NULL) {
        sq__memory_free(sq__queue_memory(queue));
        errno = ENOMEM;
        return NULL;
    }
    if (runner == 0) {
        sq__store_relaxed(&queue->control, SQ__MOVABLE);
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

/* (t2), after (t1): called in a task of a queue that had no reference. The running task has kept it alive. Takes the lock. */
static void revive(sq_queue_t *queue) {
    sq__lock(queue);
    sq__state_t state = sq__load_relaxed(&queue->state);
    /* [own] acquire: the releaser's writes, if it came first; release: to the releaser, if it comes later. */
    while (!sq__cas_acq_rel(&queue->state, &state, state - SQ__RELEASE_ONE)) {
    }
    if (!(state & SQ__CLOSED)) {
        /* If it was suspended when it was released, its tasks were going to be discarded: now they run again. */
        sq__control(queue, SQ__DISCARD, 0);
    }
    sq__unlock(queue);
}

sq_queue_t *sq_queue_retain(sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    if (__builtin_expect(sq__add_relaxed(&queue->references, 1) == 0, 0)) {
        revive(queue);
    }
    return queue;
}

/* (l3) of a concurrent queue. Its baton may lie in the gate: then it is taken here, to end the queue. The queue ends under its lock, so it exists as
 * long as the caller holds that. True: the caller must not touch it again. False: its state word has changed, and *state is the word. */
static bool release_concurrent(sq_queue_t *queue, sq__state_t *state) {
    sq__lock(queue);
    /* [own] release: our use of the queue, to the holder that will end it. [own] [end] acquire if it fails. */
    bool is_released = sq__cas_release_or_acquire(&queue->state, state, *state + SQ__RELEASE_ONE);
    bool takes = is_released && sq__concurrent_takes(queue);
    sq__unlock(queue);
    if (takes) {
        sq__baton_pass(queue);
    }
    return is_released;
}

/* L. The program has no reference any more. True: the queue was suspended, and the caller now holds the baton. */
static bool abandon(sq_queue_t *queue) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    bool is_stuck = (state & (SQ__SUSPENDED | SQ__ENDED)) == SQ__SUSPENDED && !sq__queue_is_stale(queue);
    return is_stuck && sq__end_close(queue, SQ_SHUTDOWN_DISCARD);
}

/* Releases a reference to a queue that is the target of others, which have one together (queue/target.c). True: it is released. False: the queue is
 * no target any more, and nothing was released. Takes the lock. */
static bool release_pinned(sq_queue_t *queue) {
    sq__lock(queue);
    bool is_pinned = sq__load_relaxed(&queue->references) & SQ__PINNED;
    /* [reference] release: our use of the queue, as in sq_queue_release. The rest is ordered by the lock. */
    bool takes = is_pinned && sq__sub_acq_rel(&queue->references, 1) == SQ__PINNED + 1 && abandon(queue);
    sq__unlock(queue);
    if (takes) {
        sq__baton_pass(queue);
    }
    return is_pinned;
}

void sq_queue_release(sq_queue_t *queue) {
    if (queue == NULL) {
        return;
    }
    SQ__CHECK_HANDLE(queue);
    uint32_t references = sq__load_relaxed(&queue->references);
    do {
        while (__builtin_expect(references & SQ__PINNED, 0)) {
            if (release_pinned(queue)) {
                return;
            }
            references = sq__load_relaxed(&queue->references);
        }
        /* [reference] release: our use of the queue; acquire, if it was the last: everybody's. */
    } while (!sq__cas_acq_rel(&queue->references, &references, references - 1));
    if (references != 1) {
        return;
    }
    sq__state_t state = sq__load_acquire(&queue->state); /* [own] [end] acquire: what the last holder wrote */
    for (;;) {
        bool at_rest = sq__state_is_free(state) || (state & SQ__ENDED);
        if (at_rest && (state & SQ__RELEASES) == 0) {
            break; /* no task runs that could revive it */
        }
        if (sq__queue_is_stale(queue)) {
            return; /* its holder is a thread of the parent */
        }
        if ((state & (SQ__SUSPENDED | SQ__ENDED)) == SQ__SUSPENDED) {
            if (sq__suspend_abandon(queue)) {
                return;
            }
            state = sq__load_acquire(&queue->state); /* [own] [end] acquire: as above */
            continue;
        }
        if (sq__is_concurrent(queue)) {
            if (release_concurrent(queue, &state)) {
                return;
            }
            continue;
        }
        /* [own] release: our use of the queue, to the holder that will end it. [own] [end] acquire if it fails: as above. */
        if (sq__cas_release_or_acquire(&queue->state, &state, state + SQ__RELEASE_ONE)) {
            return;
        }
    }
    sq__client_t *client = sq__runner_client(sq__load_relaxed(&queue->runner)); /* after everybody's last use of the queue */
    if (client != NULL && !sq__queue_is_stale(queue)) {
        sq__cache_leave(client);
    }
    sq__queue_dispose(queue);
}

const char *sq_queue_label(const sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    return queue->label;
}

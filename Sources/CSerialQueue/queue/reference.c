/* reference.c: retaining a queue, and releasing it.
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
#include "gate/gate_inline.h"
#include "kernel/kernel.h"
#include "queue/end.h"
#include "queue/queue_runner.h"
#include "queue/suspend.h"
#include "state/state_inline.h"
#include "thread/cache.h"

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
    /* [reference] release: our use of the queue. The rest is ordered by the lock. */
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
            state = sq__load_acquire(&queue->state); /* [own] [end] acquire: what the last holder wrote */
            continue;
        }
        if (sq__is_concurrent(queue)) {
            if (release_concurrent(queue, &state)) {
                return;
            }
            continue;
        }
        /* [own] release: our use of the queue, to the holder that will end it. [own] [end] acquire also if it fails. */
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

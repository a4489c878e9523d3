/* baton.h: which thread may run the next task, and how the baton is handed over.
 *
 * DESIGN. The thread that completes a task holds the baton and decides where it goes:
 *
 *     next is handed-off work: a TASK, PAIR or AWAITED     to the runner: it runs them; another holder posts the runner
 *     next is a GONE                                       skipped, by any holder
 *     next is a WAITER                                     to that thread, by a grant of its token
 *     next is an EITHER                                    the runner runs its function; another holder grants it as a WAITER
 *     next is a slot that is taken but not filled          into the slot: the submitter that fills it gets the baton
 *     nothing is queued                                    back to the queue, which becomes free
 *     something is queued, and the queue is suspended      parked in the queue, until a resume
 *     nothing is queued, and the queue is shut down        nowhere: the queue has ended
 *       or has no reference left
 *
 * Work that is to be discarded goes the same ways: asynchronous work to the runner, which discards it; waiters are refused. */
#ifndef SQ__KERNEL_BATON_H
#define SQ__KERNEL_BATON_H

#include "kernel/shared.h"
#include "kernel/withdraw.h"

typedef enum sq__next {
    SQ__NEXT_TASK, /* something for the runner is next; the caller still holds the baton, and takes it or posts the worker */
    SQ__NEXT_GONE, /* the caller no longer has the baton, and must not touch the queue again */
    SQ__NEXT_END   /* the queue is empty and to end: the caller ends it (queue/end.h) */
} sq__next_t;

/* O. Finds out what is next, and passes the baton unless it is a task or call. */
sq__next_t sq__baton_next(sq_queue_t *queue, bool by_runner);

/* O. The queue's control says SQ__HOLD. True: the baton was parked, or the caller looks again. False: the next task may start. */
bool sq__baton_is_held(sq_queue_t *queue, bool *is_parked);

/* O. Finds the work whose turn is next, past what was withdrawn, and into a shared slot. False: the queue is suspended, and the baton was
 * parked. *kind SQ__EMPTY: there is none, or its slot is not filled. *control is the queue's, no older than the work. */
static inline bool sq__baton_find(sq_queue_t *queue, uintptr_t *kind, uint32_t *control) {
    for (;;) {
        *kind = sq__next_kind(queue);
        if (__builtin_expect(*kind == SQ__SHARED, 0)) {
            sq__shared_next(queue);
            continue;
        }
        if (*kind == SQ__EMPTY) {
            return true;
        }
        /* After the look at what is next: a task that was submitted after the suspension comes with the news of it. */
        *control = sq__load_relaxed(&queue->control); /* [control] */
        if (__builtin_expect((*control & (SQ__HOLD | SQ__DISCARD)) == SQ__HOLD, 0)) {
            bool is_parked;
            if (sq__baton_is_held(queue, &is_parked)) {
                if (is_parked) {
                    return false;
                }
                continue;
            }
        }
        if (__builtin_expect(*kind != SQ__GONE, 1)) {
            return true;
        }
        sq__withdraw_pass(queue);
    }
}

#endif

/* baton.h: which thread may run the next task, and how the baton is handed over.
 *
 * DESIGN. The baton is the right to run a queue's tasks. There is one for each queue; the thread that has it is the holder. The runner is
 * the thread or pool that runs the asynchronous tasks. The thread that completes a task holds the baton and decides where it goes:
 *
 *     next is work for the runner: any kind not listed     to the runner: it runs it; another holder posts the runner
 *       below
 *     next is a CANCELLED                                  skipped, by any holder
 *     next is a SHARED                                     its first thread moves to the hand-off slot, and is then what is next
 *     next is a WAITER                                     to that thread, by a grant of its token
 *     next is a RUN_ANYWHERE                               the runner runs its function; another holder grants it as a WAITER
 *     next is a slot that is taken but not filled          into the slot: the submitter that fills it gets the baton
 *     nothing is queued                                    back to the queue, which becomes free
 *     the queue is suspended, and the next slot is filled  the holder parks it in the queue, until a resume
 *       or nothing is queued
 *     nothing is queued, and the queue is shut down        it stays with the holder, which ends the queue, suspended or not
 *       or has no reference left
 *
 * Work that is to be discarded goes the same ways: asynchronous work to the runner, which discards it; waiters are refused. */
#pragma once

#include "kernel/shared.h"
#include "kernel/suspension.h"
#include "kernel/withdraw.h"

typedef enum sq__next {
    SQ__NEXT_TASK, /* something for the runner is next; the caller still holds the baton, and takes it or posts the runner */
    SQ__NEXT_GONE, /* the caller no longer has the baton, and must not touch the queue again */
    SQ__NEXT_END,  /* the queue is empty and to end: the caller ends it (queue/end.h) */
    SQ__NEXT_FORKED /* only from sq__run_tasks: a task has forked, and this is the child: the rest is the parent's */
} sq__next_t;

/* O. Finds out what is next, and passes the baton, unless it is work for the runner or the queue is to end. `by_runner`: the caller is the
 * runner, and not inside a task of a target: it lingers before it makes the queue free, and runs a RUN_ANYWHERE itself, which is otherwise
 * granted as a WAITER. Serial queues only; concurrent/admit.h does this for a concurrent queue. */
sq__next_t sq__baton_next(sq_queue_t *queue, bool by_runner);

/* O. Takes the waiter that is next, and grants its wait. `as`: what the gate of a concurrent queue counts it as; 0: the queue is serial.
 * `with_baton`: it is a reader, which gets the baton, too. True: it may run, and the baton is with it, if it is a serial queue's waiter, a
 * barrier, or a reader `with_baton`. False: it had withdrawn, or was refused. */
bool sq__baton_grant(sq_queue_t *queue, uint32_t control, sq__gate_word_t as, bool with_baton);

/* O. Finds the work whose turn is next: skips CANCELLED, and moves the first thread of a SHARED to the hand-off slot. False: the queue is
 * suspended, and the baton was parked. *kind SQ__EMPTY: there is none, or its slot is not filled; then *control is not set. Otherwise
 * *control is the queue's, loaded after the work was seen. */
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
        /* Loaded after the kind: a task that was submitted after the suspension then shows the suspension, too. */
        *control = sq__load_relaxed(&queue->control); /* [control] */
        if (__builtin_expect((*control & (SQ__HELD_BACK | SQ__DISCARD)) == SQ__HELD_BACK, 0)) {
            bool is_parked;
            if (sq__suspension_obey(queue, &is_parked)) {
                if (is_parked) {
                    return false;
                }
                continue;
            }
        }
        if (__builtin_expect(*kind != SQ__CANCELLED, 1)) {
            return true;
        }
        sq__withdraw_pass(queue);
    }
}

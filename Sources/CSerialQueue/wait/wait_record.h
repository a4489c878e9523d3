/* wait_record.h: what a thread waits for. */
#pragma once

#include "include/sq_time.h"
#include "state/queue.h"
#include "thread/self.h"

/* What a thread waits for, other than its turn in a queue. Valid until the wait has ended. */
typedef struct sq__subject {
    const char *kind;  /* in reports: "semaphore", .... */
    const char *label;
    const char *relation; /* in reports, to a queue that it depends on: "has a task in"; NULL: it depends on none */
    const void *object;
    sq_pair_function_t call; /* its task is a pair with this function, whose first word is the object; NULL: its tasks are members */
    /* Called under the lock of the waits. True: the wait cannot end before a task of the queue `owner` ends. If `needs` is NULL,
     * the wait cannot end before the function of the once `object` ends; if that is NULL too, any thread may end it. */
    bool (*needs)(const struct sq__subject *subject, const void *owner);
    /* The same. 0: none of its tasks waits for its turn in this concurrent queue. Otherwise a number that changes when one of them
     * starts. NULL: it has no tasks there. */
    uint64_t (*queued)(const struct sq__subject *subject, const sq_queue_t *queue);
    /* NULL: none of its tasks is ever on a runner without threads. */
    const struct sq__runs_for *runs_for;
} sq__subject_t;

/* For waits for tasks that may be on runners without threads (sq__runner_is_threadless). */
typedef struct sq__runs_for {
    /* Called under the lock of the waits. A runner that only this owner's thread runs, and that has such a task; 0: none. */
    sq__runner_t (*find)(const sq__subject_t *subject, const sq__owner_t *owner);
    /* Called by the thread that waits: is something ready that the thread may run, and that may bring it closer to the end of the wait? `runs`: runs one
     * task of that. */
    bool (*run)(const sq__subject_t *subject, bool runs);
} sq__runs_for_t;

/* What a thread waits for in a queue. */
typedef enum sq__aim {
    SQ__AIM_TURN, /* its turn, or its call's turn: it has a slot in the ring */
    SQ__AIM_ROOM, /* room, in a queue of limited capacity */
    SQ__AIM_END,  /* the end of the queue */
    SQ__AIM_TASK  /* the end of a task that runs: a firing of a timer */
} sq__aim_t;

/* On the waiting thread's stack. Only that thread writes it; fixed between begin and end. */
typedef struct sq__wait {
    sq__token_t *token;
    sq__wait_id_t wait_id;
    bool is_next;      /* a hint: at most one task comes before this one, so the thread yields before it sleeps. With more
                        * waiting threads, a yield would only run another waiting thread */
    bool is_barrier;   /* for a turn in a concurrent queue: the tasks behind it wait for it, too */
    sq__aim_t aim;
    const sq__frame_t *task; /* with SQ__AIM_TASK: on the stack of the thread that runs it, until the wait is granted */
    sq_queue_t *queue; /* the queue that it waits for; NULL: only the subject. Once the wait is over, the queue may be freed */
    const sq_queue_t *root; /* the last of the queue's targets, on which its tasks run; without a target the queue itself. It, too, may be freed once the
                             * wait is over */
    const sq_queue_t *above_root; /* the last but one: the one whose target is the root; NULL: the queue has no target. The same */
    sq__runner_t runner; /* the root's, with a reference, if the thread runs entries of it while it waits, or if another thread owns it; else 0 */
    sq__caller_run_t caller_run; /* if it does: the root's entry */
    enum sq__wait_runs { SQ__WAIT_SLEEPS = 0, SQ__WAIT_RUNS_ENTRY, SQ__WAIT_RUNS_TASKS } runs; /* what it runs: `caller_run`, or tasks of `subject` */
    const sq__subject_t *subject; /* NULL: it waits for the queue */
    /* For a dump: */
    const void *site;              /* of the call that waits; NULL: not known */
    uint64_t ran;                 /* how many tasks of `queue` had begun when the wait began; 0: no queue */
    sq_time_t deadline;           /* only while the thread sleeps */
    uint64_t since;               /* the same: when it fell asleep */
} sq__wait_t;

/* The label, in reports, of what the thread waits for. */
static inline const char *sq__wait_label(const sq__wait_t *wait) {
    return wait->subject != NULL ? wait->subject->label : wait->queue->label;
}

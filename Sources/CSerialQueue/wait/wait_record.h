/* wait_record.h: what a thread waits for. */
#pragma once

#include "include/sq_time.h"
#include "pool/caller_runs.h"
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
    /* NULL: none of its tasks is ever on a loop. */
    const struct sq__loop_needs *loops;
} sq__subject_t;

/* For waits for tasks that may be on a loop. */
typedef struct sq__loop_needs {
    /* Called under the lock of the waits. A loop of this owner that has such a task; NULL: none. */
    const sq__pool_t *(*find)(const sq__subject_t *subject, const sq__owner_t *owner);
    /* Called by a thread that owns loops: finds a ready queue on them that has such a task. `runs`: runs one task of that queue. False: no
     * such queue is ready. */
    bool (*caller_run)(const sq__subject_t *subject, bool runs);
} sq__loop_needs_t;

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
    sq__pool_t *pool;  /* the root's pool, with a reference, if the thread runs it while it waits: a manual one, a loop that it owns,
                        * or one that it helps; else NULL */
    bool helps;        /* that pool has threads, of a lower class of service than this one (pool/caller_runs.h) */
    sq__caller_run_t caller_run; /* if it helps */
    bool runs_members; /* it waits for tasks of `subject`, and runs those that are on loops of its own */
    sq__pool_t *loop;  /* the root's pool, with a reference, if that is a loop that another thread owns; else NULL */
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

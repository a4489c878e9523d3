/* wait.h: a thread waits until another thread or a queue has done something.
 *
 * DESIGN. Every wait inside a library call has three steps: begin (prepare the thread's token); the caller makes the wait known to
 * the thread that will grant it; end (spin, check for a deadlock, sleep). */
#pragma once

#include "include/sq_await.h"
#include "include/sq_time.h"
#include "platform/mutex.h"
#include "state/state_inline.h"
#include "thread/self.h"

/* What a thread waits for */

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

/* True: an object of this kind without a label keeps where it was made (sq__maker_of): a semaphore, group or item. */
static inline bool sq__kind_has_maker(const char *kind) { return kind[0] == 's' || kind[0] == 'g' || kind[0] == 'i'; }

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
    const char *label; /* a copy of the queue's label, if the queue may be freed while the thread waits; otherwise NULL */
    const sq_queue_t *root; /* the queue's last target; without a target the queue itself. The root may be freed once the wait is over, too */
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

/* Waiting */

/* 0: a call with this deadline may wait; else EAGAIN or ETIMEDOUT. */
int sq__wait_check_deadline(sq_time_t deadline);

/* T. Begins a wait, for which the caller has set `queue` or `subject`, and what else it knows; the rest is 0. `is_turn`: it waits for a turn of its
 * own, and not only for a moment. Returns 0, and sq__wait_end, sq__wait_briefly or sq__wait_cancel is to follow; or ENOMEM, and nothing is left. */
int sq__wait_begin(sq__wait_t *wait, bool is_turn);

/* Called instead of sq__wait_end if no other thread knows about the wait. */
void sq__wait_cancel(sq__wait_t *wait);

/* T, with no lock. Waits, and ends the wait. Returns 0 (granted: the granter's writes are visible), ESHUTDOWN (refused), ETIMEDOUT or EDEADLK (it
 * will never be granted), or ESTALE (a task that this wait ran has forked, and this is the child). */
int sq__wait_end(sq__wait_t *wait, sq_time_t deadline);

/* The same, but spins only briefly, and sleeps only if its call has begun: then the call is waited for to its end. ETIMEDOUT: it has not begun. */
int sq__wait_briefly(sq__wait_t *wait);

/* Calls the functions of awaits that have ended, from this one on; NULL: none. With no lock held. In such a function it returns at once: that thread calls
 * them afterwards. */
void sq__awaits_end(sq_await_entry_t *first);

/* Deadlocks: deadlock.h */

/* Searches again for the waits for this object (of a subject), after a task that they depend on was submitted. Takes the lock of the waits. */
void sq__deadlock_look_again(const void *object);

/* The same after a barrier or the end of this concurrent queue began to wait for readers. The queue may already be freed. */
void sq__deadlock_look_again_at(const sq_queue_t *queue);

/* Copies the label of what this thread waits for during a task; "" if it does not wait. Returns where that was made, if it has no label, or NULL. Takes
 * the lock of the waits. */
const void *sq__deadlock_waits_for(uint64_t thread_id, char *label, size_t size);

/* Writes the report of a task that would wait for its own queue, on its thread: `doing` is "sync onto", "waiting for room in", .... A trace shows the
 * wait as refused, at `caller`; NULL: what the thread has noted. */
void sq__deadlock_onto_itself(sq_queue_t *queue, sq__aim_t aim, const char *doing, const void *caller);

/* With no lock. Writes the calling thread's report: it is inside the function of this once. A trace shows the wait as refused. */
void sq__deadlock_report_once_inside_itself(const void *once);

/* Copies the newest report of any thread, and says when it was written; false: there is none, or (*is_known false) the
 * patience with its lock ended. For a dump. */
bool sq__deadlock_last_report(sq__patience_t *patience, char *text, size_t size, uint64_t *when, bool *is_known);

/* Writes the report of the calling thread, which runs a task of the target: its sync onto this queue was refused. */
void sq__deadlock_onto_own_target(const sq_queue_t *queue, const sq_queue_t *target);

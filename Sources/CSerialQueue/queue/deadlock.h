/* deadlock.h: finding out that a wait would never end, and telling why.
 *
 * DESIGN. A thread that runs a task of queue A and waits for queue B is an edge A -> B. Only such threads can be part of a
 * cycle, and only they pay: before such a thread sleeps it puts its edge into a list, under one lock, and follows the edges
 * from the queue it waits for. A queue is held by at most one thread, the one with the queue's task on its stack; if that
 * thread sleeps too, its edge is in the list and leads on. Whoever closes a cycle is the last of it to come to the list,
 * sees it whole, and gives up its place.
 *
 * No false alarm. Each edge of the cycle was found open (its wait neither granted nor given up) while the lock was held.
 * Take the moment at which the first of them was looked at: that one waits then; each other one has been waiting since
 * before the lock was taken, and still waits when it is looked at, later. So all wait at that moment.
 *
 * A wait whose call has begun (CLAIMED, async_and_wait) cannot be given up. If that is the closing one, the next one of the
 * cycle is refused instead. Not all can be claimed: a claimed call began after the task that made it, all around. */
#ifndef SQ__QUEUE_DEADLOCK_H
#define SQ__QUEUE_DEADLOCK_H

#include "queue/wait.h"

/* On the waiting thread's stack. All but `report` and `verdict` is fixed while it is in the list. */
typedef struct sq__edge {
    const sq__wait_t *wait;
    const sq__frame_t *frames; /* whose tasks the thread is running */
    char *report;              /* where to tell this thread; NULL: no memory. Written under the lock, while it waits */
    uint64_t thread_id;
    char thread_name[16];
    bool verdict;                /* under the lock: it was chosen to give up */
    struct sq__edge *next, *prev; /* under the lock */
    struct sq__edge *onward;     /* under the lock: the next one on the path being followed */
} sq__edge_t;

/* Before the thread sleeps. SQ__OPEN: no cycle, or another one of it gives up: go to sleep. Else the wait is decided. */
sq__outcome_t sq__deadlock_enter(sq__edge_t *edge, const sq__wait_t *wait);

/* When it is over. True: this wait was given up because of a cycle, and the thread's report says which. */
bool sq__deadlock_leave(sq__edge_t *edge);

/* Writes the report of a wait for a queue whose own task would do it: "sync onto", "waiting for room in", .... */
void sq__deadlock_onto_itself(const sq_queue_t *queue, const char *doing);

/* Copies the label of the queue that this thread, running a task, waits for; "" if it does not. */
void sq__deadlock_waits_for(uint64_t thread_id, char *label, size_t size);

/* Around a fork. */
void sq__deadlock_lock(void);
void sq__deadlock_unlock(bool in_child);

#endif

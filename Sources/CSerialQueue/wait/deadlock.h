/* deadlock.h: finding out that a wait would never end, and reporting why.
 *
 * DESIGN. A thread that runs a task of queue A and waits for queue B is an edge A -> B. Only such threads can be part of a
 * cycle, and only they pay: before such a thread sleeps it adds its edge, under one lock, and follows the edges backwards: which
 * threads wait for a queue of its tasks, which for a queue of theirs, and so on. If one of them holds the queue that the thread
 * itself is about to wait for, the cycle is closed. The thread that closes a cycle is the last of it to add its edge, and sees
 * it whole. Backwards, because an edge leads to one queue, whose address tells where to look for it; so a search costs only as
 * much as there are threads that wait for this one. Mostly there are none.
 *
 * One wait of the cycle is refused, and its thread is woken if it sleeps already: the wait with the earliest deadline, as it
 * can only end by that deadline; among equals the one that closes the cycle. So a wait without a limit is never refused if
 * another wait in the cycle has a deadline, which ends the cycle by itself.
 *
 * No false alarm. Each edge of the cycle was found open (its wait neither granted, refused nor withdrawn) while the lock was
 * held. Take the moment at which the first of them was looked at: that one waits then; each other one has been waiting since
 * before the lock was taken, and still waits when it is looked at, later. So all wait at that moment.
 *
 * A wait for a once is an edge to the thread that is inside its function. A wait for a group is one for all of its unfinished
 * tasks, so it is an edge to each queue that has one of them, waiting or running: a cycle through one of them is certain.
 * Such a wait may come to need another queue while it lasts; then the submitter looks again. These waits are in one list, which
 * each step of a search goes through. A wait for any one of several (a semaphore) is listed for reports only.
 *
 * A wait whose call has begun (CLAIMED, async_and_wait) cannot be refused, and its deadline no longer counts: the next best
 * is refused instead. Not all can be claimed: a claimed call began after the task that made it, all around. */
#ifndef SQ__WAIT_DEADLOCK_H
#define SQ__WAIT_DEADLOCK_H

#include "wait/wait.h"

/* One of the two is not NULL: a task of a queue, or a once's function, that a thread is in. */
typedef struct sq__held {
    const sq__frame_t *frame;
    const sq__hold_t *hold;
} sq__held_t;

/* On the waiting thread's stack. M: under the lock of the waits. The rest is fixed while the edge is in the list. */
typedef struct sq__edge {
    const sq__wait_t *wait;
    sq_time_t deadline;
    const sq__frame_t *frames; /* whose tasks the thread is running */
    const sq__hold_t *holds;   /* inside which onces' functions it is */
    char *report;              /* M  the thread's report; NULL: no memory */
    uint64_t thread_id;
    char thread_name[16];
    bool has_begun;               /* M  its call was found claimed */
    bool is_refused;              /* M  because of a cycle */
    struct sq__edge *next;         /* M */
    struct sq__edge **link;        /* M  what points to it */
    uint64_t reached;              /* M  the last search for a cycle that found it */
    struct sq__edge *next_reached; /* M */
    struct sq__edge *onward;       /* M  the thread that it waits for, on the path that the search found */
    sq__held_t held;               /* M  what the one before it on the cycle waits for, and this one's thread holds */
} sq__edge_t;

/* Before the thread sleeps: adds its wait to the list. If this closes a cycle, one of the cycle's waits is refused, perhaps
 * this one. */
void sq__deadlock_enter(sq__edge_t *edge, const sq__wait_t *wait, sq_time_t deadline);

/* After a task was submitted that this object, a subject's, has to wait for: that may have closed a cycle. */
void sq__deadlock_look_again(const void *object);

/* The same after a barrier of this concurrent queue began to wait for readers. The queue may be gone already. */
void sq__deadlock_look_again_at(const sq_queue_t *queue);

/* When the wait is over. True: it was refused because of a cycle, and the thread's report says which. */
bool sq__deadlock_leave(sq__edge_t *edge);

/* Writes the report of a wait for a queue whose own task would do it: "sync onto", "waiting for room in", .... */
void sq__deadlock_onto_itself(const sq_queue_t *queue, const char *doing);

/* Copies the label of the queue that this thread, running a task, waits for; "" if it does not. */
void sq__deadlock_waits_for(uint64_t thread_id, char *label, size_t size);

/* Around a fork. */
void sq__deadlock_lock(void);
void sq__deadlock_unlock(bool in_child);

#endif

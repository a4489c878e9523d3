/* deadlock.h: detecting that a wait would never end, and reporting why.
 *
 * DESIGN. A thread that runs a task of queue A and waits for queue B is an edge A -> B. Only such threads can be part of a
 * cycle, and only they pay for the search. Before such a thread sleeps, it adds its edge, under one lock, and follows the edges
 * backwards: the threads that wait for a queue of its tasks, the threads that wait for a queue of theirs, and so on. If one of
 * them holds the queue that this thread is about to wait for, the cycle is closed. The thread that closes a cycle is the last one
 * to add its edge, so it sees the whole cycle. The search goes backwards because each edge leads to one queue, and is stored by
 * that queue's address. So a search only visits threads that wait for this one, directly or not. Usually there are none.
 *
 * One wait of the cycle is refused, and its thread is woken if it sleeps: the wait with the earliest deadline, because it would
 * only time out; among equal deadlines, the one that closes the cycle. So a wait without a limit is never refused if another
 * wait in the cycle has a deadline.
 *
 * No false alarm. Each edge of the cycle was found open (its wait neither granted, refused nor withdrawn) while the lock was
 * held. Consider the moment at which the first of them was checked. That one waits at this moment. Each other one began to wait
 * before the lock was taken, and still waits when it is checked, later. So all of them wait at that moment.
 *
 * A wait for a once is an edge to the thread that runs its function. A wait for a group is a wait for all of its unfinished
 * tasks, so it has an edge to each queue with one of them, waiting or running; a cycle through any of these is a deadlock.
 * Such a wait may get edges to more queues while it lasts; then the submitter searches again. These waits are in one list, which
 * each step of a search traverses. A wait for any one of several threads (a semaphore) is listed for reports only.
 *
 * A wait for a queue of a loop (runner/loop.h) cannot end before the loop's owner runs the loop. So it has an edge to the owner: while
 * that thread sleeps in a wait, also outside of all tasks, it does not run its loops. The same holds for a wait for a group or an item
 * that has a task on the loop. The owner's own waits for such queues and tasks are
 * an exception: in these it runs those queues. They are in the same list.
 *
 * A wait whose call has begun (CLAIMED, async_and_wait) cannot be refused, and its deadline no longer applies: another wait of the cycle is
 * refused instead. There is always one: a claimed call began after the task that made it, so claimed calls alone cannot form a cycle. */
#pragma once

#include "wait/edge.h"

/* T, with no lock. Adds the thread's wait to the list, before the thread sleeps; sq__deadlock_leave is to follow. If this closes a cycle, refuses one
 * of the cycle's waits, possibly this one. */
void sq__deadlock_enter(sq__edge_t *edge, const sq__wait_t *wait, sq_time_t deadline);

/* T. Removes the edge after the wait. Returns true if the wait was refused because of a cycle; the thread's report describes it. */
bool sq__deadlock_leave(sq__edge_t *edge);

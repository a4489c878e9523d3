/* capacity.h: the limited capacity of a queue.
 *
 * DESIGN. An asynchronous task takes room before it takes a slot, and gives it back when its turn comes. Room is counted without a lock
 * (room_count.h). Who finds none joins a line, under a mutex of the capacity. While somebody waits, room that becomes free goes directly to the one
 * that has waited longest, so no submitter overtakes another. Deferred tasks, for which no thread waits, are in the same line: the
 * thread that gives room to a deferred task also submits it. */
#pragma once

#include "include/sq_deferred.h"
#include "state/state_inline.h"

typedef struct sq__capacity sq__capacity_t;

/* Returns a capacity with one reference, the queue's; NULL: no memory. The baton's holder calls `give` to give back the room of a task that it takes.
 * Releasing the last reference frees it. */
sq__room_t *sq__capacity_create(size_t room, void (*give)(sq_queue_t *, sq__room_t *));
void sq__capacity_release(sq__room_t *room);

/* The capacity that this is a part of. */
sq__capacity_t *sq__capacity(sq__room_t *room);

/* Takes one room, waiting until the submission's deadline if there is none. Returns 0, EAGAIN (none, and the deadline is SQ_NOW), ETIMEDOUT, EDEADLK,
 * ESHUTDOWN, ENOMEM or ESTALE (a task that the wait ran has forked, and this is the child). */
int sq__capacity_take_room(sq_queue_t *queue, const sq__submission_t *submission);

/* Before each submission: the task is in no line, and has this place and call site. */
void sq__capacity_prepare(sq_deferred_t *task, uintptr_t place, const void *caller);
const void *sq__capacity_caller(sq_deferred_t *task);

/* Takes one room, or puts the task into the line. Returns 0, EINPROGRESS (the task is in the line: its `decided` will be called) or ESHUTDOWN. */
int sq__capacity_take_room_for(sq__capacity_t *capacity, sq_deferred_t *task);

/* Takes the task out of the line. True: its `decided` will not be called. False: the task is not there. */
bool sq__capacity_withdraw(sq_queue_t *queue, sq_deferred_t *task);

/* The task's place, for withdraw.h. */
SQ__ATOMIC(uintptr_t) *sq__capacity_place(sq_deferred_t *task);

/* False: the task waits for room, or has got room and is being submitted. In both cases its `decided` will be called. */
bool sq__capacity_is_decided(sq_queue_t *queue, sq_deferred_t *task);

/* The task got room, and the attempt to submit it is over: `decided` is called next. */
void sq__capacity_submitted(sq__capacity_t *capacity, sq_deferred_t *task);

/* Gives one room back. If a deferred task got it, returns that, for the caller to submit; then sq__capacity_submitted. NULL: a thread got the room,
 * or nobody waited. */
sq_deferred_t *sq__capacity_give_room(sq__capacity_t *capacity);

/* Closes the capacity: threads that wait for room get ESHUTDOWN. Returns a deferred task that waited, whose `decided` the caller
 * calls; the caller then calls this again, until it returns NULL. */
sq_deferred_t *sq__capacity_close(sq__capacity_t *capacity);

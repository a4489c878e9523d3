/* deadlock_report.h: a deadlock in words. */
#pragma once

#include "platform/mutex.h"
#include "wait/edge.h"

/* Room for the calling thread's report, kept until it ends; NULL: no memory. */
char *sq__deadlock_report_room(void);

/* Writes the report of a task that would wait for its own queue: `doing` is "sync onto", "waiting for room in", .... A trace shows the wait
 * as refused, at `caller`; NULL: what the thread has noted. */
void sq__deadlock_onto_itself(sq_queue_t *queue, sq__aim_t aim, const char *doing, const void *caller);

/* M. Writes the cycle that begins at `edge`, in order, into the report of its thread. */
void sq__deadlock_report_cycle(const sq__edge_t *edge);

/* Writes the calling thread's report: it is inside the function of this once. */
void sq__deadlock_report_once_inside_itself(const void *once);

/* Copies the newest report of any thread, and says when it was written; false: there is none, or (*is_known false) the
 * patience with its lock ended. For a dump. */
bool sq__deadlock_last_report(sq__patience_t *patience, char *text, size_t size, uint64_t *when, bool *is_known);

/* A sync onto a queue from a task of its target was refused. */
void sq__deadlock_onto_own_target(const sq_queue_t *queue, const sq_queue_t *target);

/* after_end.h: what comes after a queue was shut down, and cannot be refused: the sq_sync_or_run of a destructor, the job of an actor.
 *
 * DESIGN. It runs on a second queue, the successor, one call at a time. The first call makes the successor. The last one that uses it
 * releases it, if it has a thread or still runs the job; otherwise it stays until the queue is freed. Until the end it is suspended,
 * and the end resumes it (sq__end_await), so no thread waits for the end. A queue of a pool has its successor on the same pool,
 * except a loop, whose owner may run it no more. Any other successor has a thread of its own as soon as a job comes; syncs need none.
 * Each function runs as a task of the ended queue, inside one of the successor. So the ended queue is the current one, and the search
 * for deadlocks finds both; they have one label.
 *
 * Two threads make a successor, or one makes it while the queue ends: (m1) make it, without a lock, because making a queue may take the
 * lock that this queue has, and suspend it unless the queue has ended; (m2) under the queue's lock, use the one that is there, or this
 * one; (m3) if it is this one, and suspended, await the end, or resume it if the queue has ended by now. A call that is submitted between
 * m2 and m3 waits in the successor. */
#pragma once

#include "include/sq_private.h"

/* A sync in place of one that the queue has refused with ESHUTDOWN: waits for the end, then runs on the successor. Returns as sq_sync_until,
 * or ENOMEM. */
int sq__sync_after_end(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller);

/* spare.h: threads that have no worker, and workers that have no thread.
 *
 * DESIGN. A worker whose queue has had no task for a while rests: it keeps its record, but not its thread. The thread becomes a spare one,
 * which waits for any worker. The next post of a resting worker gives it a spare thread, or starts a new one. All of this is under one
 * lock, which a post takes only if its grant has failed.
 *
 * There are never more spare threads than resting workers, and at most SQ__SPARES: a thread that is one too many ends. So with the last
 * resting worker, which is posted or ends with its queue, the last spare thread is gone, too.
 *
 * A post cannot fail: its task has been accepted. If no thread can be started for it, the worker waits in a line. So while a worker
 * rests, there is at least one spare thread, the keeper, which is given away only for the last resting worker. The keeper tries again and again to
 * start threads for the line. It runs no tasks meanwhile, so a task that blocks cannot stop it. A thread that becomes spare takes the first
 * worker of the line, too. */
#pragma once

#include "thread/worker_record.h"

#include <stddef.h>

/* How many threads wait at most. More idle queues than that which get a task at the same time wait for the start of a thread. */
#ifndef SQ__SPARES
#define SQ__SPARES 16u
#endif

/* T. The worker rests, unless its wait was decided by now, and its thread waits for a worker that was posted. Returns that worker, which may be
 * the same one. NULL: the thread ends. The caller reads nothing of its worker after that. */
sq__worker_t *sq__spare_wait(sq__worker_t *worker, sq__token_t *token, sq__wait_id_t wait_id);

/* By the poster of a worker whose wait was withdrawn: gives the worker a thread, which runs it as if it was posted. Never fails; without a
 * thread the worker waits for one. */
void sq__spare_call(sq__worker_t *worker);

/* The same, in place of a stop: the caller frees the worker. */
void sq__spare_forget(void);

/* For tests: how many workers rest. */
size_t sq__spare_resting(void);

/* caller_runs.h: a thread that is not a worker runs an entry of the pool itself, instead of waiting for a worker.
 *
 * DESIGN. A sync caller of a higher class of service runs the tasks ahead of it itself (sq_queue_options_t.helps): it would
 * otherwise wait for a thread that gets less of the processor. It takes the queue's entry out of the list. If a worker runs the
 * entry, or another thread has the baton, the waiting thread is listed in the pool, and sleeps. The worker ends its batch
 * after the running task; the entry is then given to the waiting thread instead of being appended. An entry that has been
 * given belongs to the waiting thread, which runs it, or posts it again when the wait is over.
 *
 *     (g) append or post, with the lock of a shard: finds the thread listed: removes it, marks it as given, wakes its token
 *     (w) lists itself; then looks for the entry in each shard, with its lock: if it is there, removes itself, and runs it; else sleeps, and
 *         removes itself after that
 *
 *     g w     (w) looks at that shard after (g): it finds the entry, or a thread has taken it since
 *     w g     (g) gets the lock of that shard after (w): it finds the thread listed. (w) finds is_given set, also if it woke for another reason */
#pragma once

#include "pool/pool_internal.h"

/* Functions of the kind (runner/runner.h). serves: the calling thread is of a higher class than the pool's threads. run: the entry is ready, or was given.
 * leave posts an entry that was given and not run. */
bool sq__caller_serves(sq__runner_t runner, bool is_turn);
bool sq__caller_run(sq__runner_t runner, sq__caller_run_t *caller_run, bool runs);
bool sq__caller_listen(sq__runner_t runner, sq__caller_run_t *caller_run, bool listens);
void sq__caller_leave(sq__runner_t runner, sq__caller_run_t *caller_run);

/* A hint. True: a thread is listed. */
bool sq__pool_has_listed(const sq__pool_t *pool);

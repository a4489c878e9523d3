/* workers.h: the threads of a pool, and their permits. pool.h has the design. */
#pragma once

#include "pool/pool_internal.h"

/* Takes the pool's lease on the alarms, and starts the first worker, which is idle then. Returns 0; or ENOMEM, and the lease is returned. */
int sq__workers_begin(sq__pool_t *pool);

/* After the last release: ends the workers. The last one frees the pool. */
void sq__workers_end(sq__pool_t *pool);

/* With the lock, which it releases: if an entry is ready and a permit is free, here or in another shard, wakes or starts a worker to
 * take it. May visit several shards; the caller has the lock of this one alone. The pool may be freed on return. */
void sq__workers_use_permit_and_unlock(sq__shard_t *shard);

/* Both together end up to `workers` idle workers. The first takes them from the idle list, with the lock; NULL: none was idle. The second stops their
 * threads, without the lock; it ignores NULL. */
sq__pool_worker_t *sq__workers_pick_idle(sq__shard_t *shard, unsigned workers);
void sq__workers_dismiss(sq__pool_worker_t *picked);

/* Called before and after a worker sleeps in the middle of an entry, with no lock of the pool. `worker` is the calling thread's record, not NULL. No
 * effect in the child of a fork. */
void sq__pool_lend_permit(sq__pool_worker_t *worker);
void sq__pool_take_permit(sq__pool_worker_t *worker);

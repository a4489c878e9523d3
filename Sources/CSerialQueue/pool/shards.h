/* shards.h: the shards of a pool, and what each tells the others.
 *
 * DESIGN. A list under one lock serves a few threads well. Many threads spend their time passing its cache line around
 * (Documentation/Performance.md). So a pool of more than SQ__SHARD_PERMITS permits has several shards, each with a lock, a list, permits and workers of
 * its own. A worker posts to its own shard, so tasks that submit to each other stay with the same few threads; any other thread posts to the
 * shard that its number selects.
 *
 * A worker takes entries from its own shard first. It takes one from another shard if its own has none, if the other has one of a higher
 * level, and every few milliseconds: no entry waits forever for workers that are blocked.
 *
 * One word says of each shard whether it is FREE, which is to say that it has a free permit and a thread for it, and whether it WAITS, which is to
 * say that it has more entries than its searcher takes (search.h) and is not FREE. A shard's two bits change under its lock.
 *
 *     (p) post     appends an entry, or puts one back; its shard WAITS now; reads the word: if a shard is FREE, calls a worker of that shard
 *     (m) worker   finds nothing and leaves its permit; its shard is FREE now; reads the word: if a shard WAITS, calls an idle worker of its own shard
 *
 * A thread that comes to a shard by (p) and finds its permits taken reads the word again, as long as a shard WAITS and another one is FREE. So an entry
 * does not wait while a permit is free:
 *
 *     p m     The change of p comes before that of m in the word. m reads its own change or a later value, and sees WAITS.
 *     m p     p sees FREE.
 *
 * A thread whose bits are right already changes nothing. They were set by a thread that held the same lock before, so it reads that thread's
 * change or a later value, and the same holds. */
#pragma once

#include "pool/pool_internal.h"

/* Initialises the shards, each with at most so many permits if there are few enough. The pool has its base permits already. Returns 0, and the pool
 * has a use for each shard; or ENOMEM, and nothing is left. */
int sq__shards_create(sq__pool_t *pool, unsigned shard_permits);
void sq__shards_destroy(sq__pool_t *pool);

/* The shard of the calling thread: a worker's, or the one that its number selects; and the one that it posts to now. */
sq__shard_t *sq__shard_own(const sq__pool_t *pool);
sq__shard_t *sq__shard_to_post_to(const sq__pool_t *pool);

/* Hints. True: entries wait, here or in another shard. The second: not counting that of the slot (search.h). */
bool sq__shard_is_crowded(const sq__shard_t *shard);
bool sq__shard_list_is_crowded(const sq__shard_t *shard);

/* Releases the lock of a shard whose list or permits may have changed. */
void sq__shard_unlock(sq__shard_t *shard);

/* The same after a worker has left the shard, or the shard has ended. The last one of all frees the pool. */
void sq__shard_leave_and_unlock(sq__shard_t *shard);

/* With the lock. True: entries wait in other shards, which now know what this one has. */
bool sq__shard_others_wait(sq__shard_t *shard);

/* With the lock, by a worker with a permit, in a pool of several shards: the shard that it takes its next entry from, which is not locked, and may be
 * empty by now; NULL: its own. */
sq__shard_t *sq__shard_to_help(sq__shard_t *shard);

/* With the lock, and again on return; released in between, for the lock of the other shard: takes an entry of that shard, whose level is *level.
 * NULL: there is none any more. */
sq__ready_t *sq__shard_take_from(sq__shard_t *shard, sq__shard_t *other, sq__level_t *level);

/* With the lock: a shard that is FREE, not locked, and a use of the pool, which the caller ends with sq__shard_left; or NULL, without a use. */
sq__shard_t *sq__shard_find_free(sq__shard_t *shard);

/* One use of the pool is over (see `uses`); the last one frees it. */
void sq__shard_left(sq__pool_t *pool);

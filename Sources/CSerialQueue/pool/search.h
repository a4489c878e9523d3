/* search.h: a worker that finds nothing looks for entries for a while.
 *
 * DESIGN. One worker of a shard at a time searches. It keeps its permit, so it counts for one of the entries that wait: the thread that posts an
 * entry calls a worker only if more entries wait than that. A task that posts an entry and then returns thus wakes nobody: its own worker takes the
 * entry next. This is what two queues do that submit to each other. If the task does not return at once, the searcher takes the entry.
 *
 * The searcher takes at once what it is called for: what a thread of the program posts, the second entry that waits, and what a worker leaves that
 * goes to sleep. For other entries it looks now and then, for each look takes the shard's cache line from the worker that works. An entry that it
 * has found at two looks in a row it takes. So that entry waits for less time than a worker takes to wake up.
 *
 * A search ends under the lock. If something is ready then, the searcher takes it; otherwise it leaves its permit, and from then on a post wakes a
 * worker. So no entry is left to a searcher that has gone:
 *
 *     (p) post      appends an entry under the lock, and reads that a worker searches: it calls nobody
 *     (s) searcher  takes the lock, no longer searches, and reads what is ready
 *
 *     p s     The searcher sees the entry.
 *     s p     The post sees that nobody searches. */
#pragma once

#include "pool/pool_internal.h"

/* With the lock, and again on return; released in between. By a worker with a permit that has found nothing. True: something is ready, here or in
 * another shard; false: nothing, or the worker has to leave its permit. */
bool sq__shard_search(sq__shard_t *shard);

/* With the lock, after an entry of this level was appended, or when a worker goes to sleep (SQ__LEVEL_HELP): has the searcher take an entry at once,
 * unless the calling thread may be about to take it itself. */
void sq__shard_call_searcher(sq__shard_t *shard, sq__level_t level);

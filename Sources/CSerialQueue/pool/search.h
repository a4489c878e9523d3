/* search.h: a worker that finds nothing looks for entries for a while; a task's worker runs next what the task has submitted to.
 *
 * DESIGN. One worker of a shard at a time searches. It keeps its permit, so it counts for one of the entries that wait: a thread that posts an entry
 * calls a worker only if more entries wait than that. While it searches, the shard has a slot for one entry besides its list. A task that posts an
 * entry puts it there, without the lock, if nothing else waits. When the task returns, its own worker takes the entry, again without the lock, and
 * nobody was woken. Two queues that submit to each other run like this. If the task does not return soon, the searcher takes the entry.
 *
 * The slot is one word:
 *
 *     NOBODY     no worker searches                             only a worker that begins to search changes it, under the lock
 *     EMPTY      a worker searches                              (p) a task's post swaps it for the entry
 *     an entry   the same, and this entry waits                 (t) a worker of the shard that has ended its entry swaps it for EMPTY
 *                                                               (m) a thread with the lock moves the entry into the list
 *                                                               (s) the searcher ends: it exchanges the word for NOBODY, and moves the entry
 *
 * The word has one order of changes, so each entry that (p) puts there is taken by the first of (t), (m) and (s), and by that one alone. No entry stays:
 * each search ends with (s), under the lock, and its worker takes what is ready then. If it is to leave its permit instead, all permits are taken. A post
 * under the lock that comes before (s) is in the list, where the searcher finds it; one that comes after it sees that nobody searches, and wakes a worker.
 *
 * A search takes at once what it is called for: what a thread of the program posts, the second entry that waits, and all that a worker leaves which
 * goes to sleep. At other entries it looks now and then, because each look takes a cache line from the worker that works. What it finds at two looks in a
 * row it takes: that is sooner than a worker wakes.
 *
 * A worker that was called counts as the searcher until it comes, which takes 5 microseconds or, while all processors are busy, a time slice. So a worker
 * that finds nothing meanwhile searches in its place: entries must not wait for a thread that does not run yet. The one that comes then sleeps again.
 *
 * Fairness: while anything waits in the list, or in another shard, no entry is put into the slot, or taken from it by (t): it goes to the end of the list.
 * No entry is in the slot that a waiting thread may run itself (caller_runs.h), so only the list is searched for those. */
#pragma once

#include "pool/pool_internal.h"
#include "thread/self.h"

/* By any thread with the right to post, with no lock. The shard whose slot it may post to; NULL: it posts to the list. */
static inline sq__shard_t *sq__slot_find(const sq__pool_t *pool) {
    const sq__pool_worker_t *worker = sq__self()->pool_worker;
    bool is_open = worker != NULL && worker->shard->pool == pool && sq__load_relaxed(&worker->shard->slot) == SQ__SLOT_LEVEL;
    return is_open ? worker->shard : NULL;
}

/* By that thread. True: the entry is in the slot. False: it is not, as the slot is no longer empty, or other entries wait. `level`: of queues. */
bool sq__slot_put(sq__shard_t *shard, sq__level_t level, sq__ready_t *entry);

/* By a worker with a permit, between two entries, with no lock. NULL: it looks into the list. */
sq__ready_t *sq__slot_take(sq__shard_t *shard, sq__level_t *level);

/* With the lock: moves the entry of the slot, if it has one, to the end of the list. */
void sq__slot_empty(sq__shard_t *shard); /* the slot has an entry */
static inline void sq__slot_move(sq__shard_t *shard) {
    if (sq__slot_is_filled(shard)) {
        sq__slot_empty(shard);
    }
}

/* For a dump, of a copy of a shard: calls visitor->entry for the slot's entry, which may be taken at any time. */
void sq__slot_visit(const sq__shard_t *shard, const sq__pool_visitor_t *visitor, const sq__pool_view_t *view);

/* With the lock. If there is no searcher, a worker that is called is it until it comes, or until another one searches. The second, by each worker that
 * comes with a permit: it no longer is, and what the slot has is in the list. */
void sq__search_begin(sq__shard_t *shard, sq__pool_worker_t *worker);
void sq__search_end(sq__shard_t *shard, const sq__pool_worker_t *worker);

/* With the lock, and again on return; released in between. By a worker with a permit that has found nothing. True: something is ready, here or in
 * another shard; false: nothing, or the worker may not search. */
bool sq__shard_search(sq__shard_t *shard, sq__pool_worker_t *worker);

/* With the lock: the searcher, if there is one, ends at once. The second: unless nothing waits but an entry of this level that the calling thread has
 * posted, and may be about to take. */
static inline void sq__shard_end_search(sq__shard_t *shard) {
    if (shard->searcher != NULL) {
        sq__store_relaxed(&shard->is_called, true);
    }
}
void sq__searcher_call(sq__shard_t *shard, sq__level_t level); /* there is one */
static inline void sq__shard_call_searcher(sq__shard_t *shard, sq__level_t level) {
    if (shard->searcher != NULL) {
        sq__searcher_call(shard, level);
    }
}

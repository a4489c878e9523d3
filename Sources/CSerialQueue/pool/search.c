#include "pool/search.h"

#include "pool/shards.h"
#include "thread/self.h"
#include "thread/spin.h"

/* How often a searcher looks without finding that the shard's entries move, and the pauses between two looks. */
#ifndef SQ__SEARCH_LOOKS
#define SQ__SEARCH_LOOKS 30
#endif
#ifndef SQ__SEARCH_GAP
#define SQ__SEARCH_GAP 40
#endif

/* True: it was called in these pauses. */
static bool pause_until_called(const sq__shard_t *shard) {
    bool is_called = sq__load_relaxed(&shard->is_called);
    for (unsigned i = 0; i < SQ__SEARCH_GAP && !is_called; i += 1) {
        sq__pause();
        is_called = sq__load_relaxed(&shard->is_called);
    }
    return is_called;
}

/* Without the lock, so all that it finds are hints. True: it has found an entry, or that other workers take entries. */
static bool look(const sq__shard_t *shard) {
    uint64_t taken = sq__load_relaxed(&shard->taken), now;
    bool waited = false, moves = false;
    for (unsigned looks = SQ__SEARCH_LOOKS; looks > 0; looks -= 1, taken = now) {
        if (pause_until_called(shard)) {
            return true;
        }
        now = sq__load_relaxed(&shard->taken);
        if (now != taken) {
            looks = SQ__SEARCH_LOOKS;
            moves = true;
        } else if (waited) {
            return true;
        }
        waited = sq__shard_is_crowded(shard);
    }
    return moves;
}

bool sq__shard_search(sq__shard_t *shard) {
    bool has_surplus = sq__load_relaxed(&shard->in_use) > shard->permits;
    if (shard->is_searched || shard->has_ended || has_surplus || sq__spin_begin(SQ__SPIN_WORKER, 1) == 0) {
        return false;
    }
    shard->is_searched = true;
    sq__store_relaxed(&shard->is_called, false);
    sq__shard_unlock(shard);
    bool found = look(shard);
    sq__mutex_lock(&shard->lock);
    shard->is_searched = false;
    sq__spin_end(SQ__SPIN_WORKER, found);
    return sq__shard_has_ready(shard) || sq__shard_others_wait(shard);
}

/* The calling thread is in an entry of this shard, and may be about to take the next one. */
static bool may_take_next(const sq__shard_t *shard, sq__level_t level) {
    const sq__pool_worker_t *worker = sq__self()->pool_worker;
    return level != SQ__LEVEL_HELP && sq__load_relaxed(&shard->waiting) <= 1 && worker != NULL && worker->shard == shard;
}

void sq__shard_call_searcher(sq__shard_t *shard, sq__level_t level) {
    if (shard->is_searched && !may_take_next(shard, level)) {
        sq__store_relaxed(&shard->is_called, true);
    }
}

#include "pool/search.h"

#include "pool/ready.h"
#include "pool/shards.h"
#include "thread/self.h"
#include "thread/spin.h"

/* How often a searcher looks, while no worker takes an entry; and the pauses between two looks. */
#ifndef SQ__SEARCH_LOOKS
#define SQ__SEARCH_LOOKS 30
#endif
#ifndef SQ__SEARCH_GAP
#define SQ__SEARCH_GAP 40
#endif

enum { NOBODY = 0, EMPTY = SQ__SLOT_LEVEL, LEVEL = SQ__SLOT_LEVEL };
_Static_assert((int)SQ__LEVEL_HELP == LEVEL && _Alignof(sq__ready_t) > LEVEL, "a level fits next to an entry");

static sq__ready_t *entry_of(uintptr_t word) { return (sq__ready_t *)(word & ~(uintptr_t)LEVEL); }

bool sq__slot_put(sq__shard_t *shard, sq__level_t level, sq__ready_t *entry) {
    uintptr_t empty = EMPTY;
    /* [slot] release: what the caller did as the holder of the entry; pairs with sq__slot_take and take_out. */
    return sq__load_relaxed(&shard->waiting) == 0 && sq__cas_release(&shard->slot, &empty, (uintptr_t)entry | level);
}

sq__ready_t *sq__slot_take(sq__shard_t *shard, sq__level_t *level) {
    uintptr_t word = sq__load_relaxed(&shard->slot);
    if (entry_of(word) == NULL || sq__shard_list_is_crowded(shard)) {
        return NULL;
    }
    if (!sq__cas_acquire(&shard->slot, &word, EMPTY)) { /* [slot] acquire */
        return NULL;
    }
    sq__count(&shard->hops, 1);
    *level = (sq__level_t)(word & LEVEL);
    return entry_of(word);
}

void sq__slot_visit(const sq__shard_t *shard, const sq__pool_visitor_t *visitor, const sq__pool_view_t *view) {
    const sq__ready_t *entry = entry_of(sq__load_relaxed(&shard->slot));
    if (entry != NULL) {
        visitor->entry(visitor->context, entry, view, false);
    }
}

/* With the lock. */
static void take_out(sq__shard_t *shard, uintptr_t next) {
    uintptr_t word = sq__exchange_acquire(&shard->slot, next); /* [slot] acquire */
    if (entry_of(word) != NULL) {
        sq__shard_append(shard, (sq__level_t)(word & LEVEL), entry_of(word));
    }
}

void sq__slot_empty(sq__shard_t *shard) { take_out(shard, EMPTY); }

/* True: it was called in these pauses. */
static bool pause_until_called(const sq__shard_t *shard) {
    bool is_called = sq__load_relaxed(&shard->is_called);
    for (unsigned i = 0; i < SQ__SEARCH_GAP && !is_called; i += 1) {
        sq__pause();
        is_called = sq__load_relaxed(&shard->is_called);
    }
    return is_called;
}

static uint64_t moved(const sq__shard_t *shard) { return sq__load_relaxed(&shard->taken) + sq__load_relaxed(&shard->hops); }

/* Without the lock, so all that it finds are hints. True: it was called, has found an entry, or has seen that others take entries. */
static bool look(const sq__shard_t *shard) {
    uint64_t before = moved(shard), now;
    bool waited = false, moves = false;
    for (unsigned looks = SQ__SEARCH_LOOKS; looks > 0; looks -= 1, before = now) {
        if (pause_until_called(shard)) {
            return true;
        }
        now = moved(shard);
        if (now != before) {
            looks = SQ__SEARCH_LOOKS;
            moves = true;
        } else if (waited) {
            return true;
        }
        waited = sq__shard_is_crowded(shard);
    }
    return moves;
}

void sq__search_begin(sq__shard_t *shard, sq__pool_worker_t *worker) {
    if (shard->searcher == NULL) {
        shard->searcher = worker;
        shard->searcher_is_here = false;
        sq__store_relaxed(&shard->slot, EMPTY);
    }
}

void sq__search_end(sq__shard_t *shard, const sq__pool_worker_t *worker) {
    if (shard->searcher == worker) {
        shard->searcher = NULL;
        take_out(shard, NOBODY);
    }
}

bool sq__shard_search(sq__shard_t *shard, sq__pool_worker_t *worker) {
    bool others_search = shard->searcher != NULL && shard->searcher_is_here;
    if (others_search || shard->has_ended || sq__spin_begin(SQ__SPIN_WORKER, 1) == 0) {
        return false;
    }
    sq__store_relaxed(&shard->is_called, false);
    sq__search_begin(shard, worker);
    shard->searcher = worker; /* in place of one that was called and has not come, if there is one */
    shard->searcher_is_here = true;
    sq__shard_unlock(shard);
    bool found = look(shard);
    sq__mutex_lock(&shard->lock);
    sq__search_end(shard, worker);
    sq__spin_end(SQ__SPIN_WORKER, found);
    return sq__shard_has_ready(shard) || sq__shard_others_wait(shard);
}

void sq__searcher_call(sq__shard_t *shard, sq__level_t level) {
    const sq__pool_worker_t *worker = sq__self()->pool_worker;
    bool is_own = worker != NULL && worker->shard == shard && level != SQ__LEVEL_HELP;
    if (!is_own || sq__shard_wants_worker(shard)) {
        sq__shard_end_search(shard);
    }
}

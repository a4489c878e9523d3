#include "pool/shards.h"

#include "alarm/alarm.h"
#include "platform/clock.h"
#include "platform/memory.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "thread/self.h"

#include <errno.h>
#include <string.h>

/* With more entries for each permit of its shard, a thread of the program posts to the other shards, one after the other. */
#ifndef SQ__CROWD
#define SQ__CROWD 1
#endif

/* How often a worker takes an entry from another shard although its own has some: after so many entries, if so many nanoseconds have passed. */
#ifndef SQ__VISIT_TURNS
#define SQ__VISIT_TURNS 4
#endif
#ifndef SQ__VISIT_AFTER
#define SQ__VISIT_AFTER 1000000
#endif

enum { ABOVE = SQ__MOST_SHARDS }; /* where the second set of bits of a word begins */

static unsigned count_for(unsigned permits, unsigned shard_permits) {
    unsigned count = permits == 0 ? 1 : (permits - 1) / shard_permits + 1;
    return count < SQ__MOST_SHARDS ? count : SQ__MOST_SHARDS;
}

/* `permits`: of all shards. pool->count is set. Returns 0 or ENOMEM; then there is nothing to destroy. */
static int create_shard(sq__pool_t *pool, unsigned index, unsigned permits) {
    sq__shard_t *shard = &pool->shards[index];
    memset(shard, 0, sizeof *shard);
    shard->pool = pool;
    shard->index = shard->visited = shard->visited_in_turn = index;
    shard->permits = shard->base_permits = permits / pool->count + (index < permits % pool->count);
    return sq__mutex_init(&shard->lock);
}

static uint64_t bit(const sq__shard_t *shard) { return UINT64_C(1) << shard->index; }

/* `told` is what this shard's bits in the word are. They are no other shard's, so adding the difference changes them alone. */
static void tell(SQ__ATOMIC(uint64_t) *word, uint64_t *told, uint64_t bits) {
    if (bits != *told) {
        sq__add_relaxed(word, bits - *told);
        *told = bits;
    }
}

static void publish(sq__shard_t *shard) {
    bool is_free = sq__load_relaxed(&shard->in_use) < shard->permits && !shard->lacks_thread, waits = !is_free && sq__shard_wants_worker(shard);
    uint64_t high = waits && shard->ready.lines[SQ__LEVEL_HIGH].first != NULL ? bit(shard) : 0;
    uint64_t normal = waits && shard->ready.lines[SQ__LEVEL_NORMAL].first != NULL ? bit(shard) : 0;
    tell(&shard->pool->marks->levels, &shard->published_levels, high | normal << ABOVE);
    tell(&shard->pool->marks->state, &shard->published_state, is_free ? bit(shard) << ABOVE : waits ? bit(shard) : 0);
}

int sq__shards_create(sq__pool_t *pool, unsigned shard_permits) {
    unsigned permits = pool->base_permits;
    pool->count = count_for(permits, shard_permits);
    size_t bytes = sizeof(sq__shard_t) * pool->count;
    pool->shards = sq__memory_lines(bytes + (pool->count > 1 ? SQ__LINE : 0));
    if (pool->shards == NULL) {
        return ENOMEM;
    }
    if (pool->count > 1) {
        pool->marks = (sq__marks_t *)((char *)pool->shards + bytes);
        *pool->marks = (sq__marks_t){ 0 };
    }
    for (unsigned i = 0; i < pool->count; i += 1) {
        int error = create_shard(pool, i, permits);
        if (error) {
            pool->count = i;
            sq__shards_destroy(pool);
            return error;
        }
    }
    for (unsigned i = 0; pool->count > 1 && i < pool->count; i += 1) {
        publish(&pool->shards[i]); /* it is FREE */
    }
    sq__store_relaxed(&pool->uses, pool->count);
    return 0;
}

void sq__shards_destroy(sq__pool_t *pool) {
    for (unsigned i = 0; i < pool->count; i += 1) {
        sq__mutex_destroy(&pool->shards[i].lock);
    }
    sq__memory_free(pool->shards);
}

/* The pool is deserted, and nobody has a reference. */
static void free_pool(sq__pool_t *pool) {
    sq__pools_remove(&pool->at);
    sq__alarms_release(pool->alarms);
    sq__shards_destroy(pool);
    sq__mutex_destroy(&pool->lists_lock);
    sq__memory_free(pool);
}

sq__shard_t *sq__shard_own(const sq__pool_t *pool) {
    if (__builtin_expect(pool->count == 1, 1)) {
        return pool->shards;
    }
    const sq__pool_worker_t *worker = sq__self()->pool_worker;
    return worker != NULL && worker->shard->pool == pool ? worker->shard : &pool->shards[sq__self_number() % pool->count];
}

sq__shard_t *sq__shard_to_post_to(const sq__pool_t *pool) {
    sq__shard_t *shard = sq__shard_own(pool);
    sq__self_t *self = sq__self();
    bool is_outside = self->pool_worker == NULL || self->pool_worker->shard->pool != pool;
    if (pool->count > 1 && is_outside && sq__load_relaxed(&shard->waiting) > SQ__CROWD * shard->base_permits) {
        self->detours += 1;
        shard = &pool->shards[(shard->index + self->detours) % pool->count];
    }
    return shard;
}

void sq__shard_unlock(sq__shard_t *shard) {
    if (shard->pool->count > 1) {
        publish(shard);
    }
    sq__mutex_unlock(&shard->lock);
}

void sq__shard_leave_and_unlock(sq__shard_t *shard) {
    sq__pool_t *pool = shard->pool;
    bool is_deserted = sq__shard_is_deserted(shard);
    sq__shard_unlock(shard);
    if (is_deserted) {
        sq__shard_left(pool);
    }
}

/* The shards other than this one whose bits are set there. */
static uint64_t others(const sq__shard_t *shard, uint64_t word) { return word & ~bit(shard) & ((UINT64_C(1) << ABOVE) - 1); }

static uint64_t waiting(const sq__shard_t *shard) { return others(shard, sq__load_relaxed(&shard->pool->marks->state)); }

bool sq__shard_list_is_crowded(const sq__shard_t *shard) {
    return sq__load_relaxed(&shard->waiting) != 0 || (shard->pool->count > 1 && waiting(shard) != 0);
}

bool sq__shard_is_crowded(const sq__shard_t *shard) { return sq__slot_is_filled(shard) || sq__shard_list_is_crowded(shard); }

bool sq__shard_others_wait(sq__shard_t *shard) {
    if (shard->pool->count == 1) {
        return false;
    }
    publish(shard);
    return waiting(shard) != 0;
}

/* The first one behind *last, which it becomes, so that all are visited. `set` is not empty. */
static sq__shard_t *next_of(const sq__shard_t *shard, unsigned *last, uint64_t set) {
    uint64_t behind = set & ~((UINT64_C(2) << *last) - 1);
    *last = (unsigned)__builtin_ctzll(behind != 0 ? behind : set);
    return &shard->pool->shards[*last];
}

/* Those shards of the set that have an entry of a higher level than this one; of the highest, if there is one. */
static uint64_t with_higher(const sq__shard_t *shard, sq__level_t level, uint64_t set) {
    uint64_t levels = sq__load_relaxed(&shard->pool->marks->levels), high = set & levels, normal = set & levels >> ABOVE;
    return level > SQ__LEVEL_HIGH && high != 0 ? high : level > SQ__LEVEL_NORMAL ? normal : 0;
}

/* With the lock, once for each entry that is taken while others wait elsewhere. True about once a millisecond. Looks at the clock after some entries
 * only. */
static bool is_time_to_visit(sq__shard_t *shard) {
    shard->turns += 1;
    if (shard->turns < SQ__VISIT_TURNS) {
        return false;
    }
    shard->turns = 0;
    uint64_t now = sq__clock_now();
    bool is_time = now - shard->visited_at >= SQ__VISIT_AFTER;
    shard->visited_at = is_time ? now : shard->visited_at;
    return is_time;
}

sq__shard_t *sq__shard_to_help(sq__shard_t *shard) {
    uint64_t set = waiting(shard);
    if (set == 0) {
        return NULL;
    }
    bool has_ready = sq__shard_has_ready(shard);
    unsigned *last = &shard->visited_in_turn;
    if (!is_time_to_visit(shard)) {
        sq__level_t level = has_ready ? sq__ready_next_level(&shard->ready) : SQ__LEVELS;
        bool is_due = has_ready && shard->ready.overtaken[level] >= SQ__BATCH - 1;
        uint64_t higher = is_due ? 0 : with_higher(shard, level, set);
        set = higher != 0 || has_ready ? higher : set;
        last = &shard->visited;
    }
    return set != 0 ? next_of(shard, last, set) : NULL;
}

sq__ready_t *sq__shard_take_from(sq__shard_t *shard, sq__shard_t *other, sq__level_t *level) {
    sq__mutex_unlock(&shard->lock); /* the caller tells what has changed */
    sq__mutex_lock(&other->lock);
    sq__ready_t *entry = sq__shard_take_first(other, level);
    sq__shard_unlock(other);
    sq__mutex_lock(&shard->lock);
    if (entry != NULL) {
        sq__ready_overtake(&shard->ready, *level);
    }
    return entry;
}

sq__shard_t *sq__shard_find_free(sq__shard_t *shard) {
    sq__pool_t *pool = shard->pool;
    if (pool->count == 1) {
        return NULL;
    }
    publish(shard);
    uint64_t set = others(shard, sq__load_relaxed(&pool->marks->state) >> ABOVE);
    if (set == 0) {
        return NULL;
    }
    sq__add_relaxed(&pool->uses, 1);
    return next_of(shard, &shard->visited, set);
}

void sq__shard_left(sq__pool_t *pool) {
    /* [deserted] release: our use of the pool; acquire, if it was the last: everybody's. */
    if (sq__sub_acq_rel(&pool->uses, 1) == 1) {
        free_pool(pool);
    }
}

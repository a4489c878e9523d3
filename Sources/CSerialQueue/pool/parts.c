#include "pool/parts.h"

#include "alarm/alarm.h"
#include "platform/clock.h"
#include "platform/memory.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "thread/self.h"

#include <errno.h>
#include <string.h>

/* With more entries for each seat of its part, a thread of the program posts to the other parts, one after the other. */
#ifndef SQ__CROWD
#define SQ__CROWD 1
#endif

/* How often a member takes an entry from another part although its own has some: after so many entries, if so many nanoseconds have passed. */
#ifndef SQ__VISIT_TURNS
#define SQ__VISIT_TURNS 4
#endif
#ifndef SQ__VISIT_AFTER
#define SQ__VISIT_AFTER 1000000
#endif

enum { ABOVE = SQ__MOST_PARTS }; /* where the second set of bits of a word begins */

static unsigned count_for(unsigned seats, unsigned part_seats) {
    unsigned count = seats == 0 ? 1 : (seats - 1) / part_seats + 1;
    return count < SQ__MOST_PARTS ? count : SQ__MOST_PARTS;
}

static int create_part(sq__pool_t *pool, unsigned index, unsigned seats) {
    sq__part_t *part = &pool->parts[index];
    memset(part, 0, sizeof *part);
    part->pool = pool;
    part->index = part->visited = part->visited_in_turn = index;
    part->seats = part->seats_at_rest = seats / pool->count + (index < seats % pool->count);
    return sq__mutex_init(&part->lock);
}

static uint64_t bit(const sq__part_t *part) { return UINT64_C(1) << part->index; }

/* `told` is what this part's bits in the word are. They are no other part's, so adding the difference changes them alone. */
static void tell(SQ__ATOMIC(uint64_t) *word, uint64_t *told, uint64_t bits) {
    if (bits != *told) {
        sq__add_relaxed(word, bits - *told);
        *told = bits;
    }
}

static void tell_others(sq__part_t *part) {
    bool is_free = sq__load_relaxed(&part->seated) < part->seats && !part->lacks_thread, waits = !is_free && sq__part_has_ready(part);
    uint64_t high = waits && part->ready.lines[SQ__BAND_HIGH].first != NULL ? bit(part) : 0;
    uint64_t normal = waits && part->ready.lines[SQ__BAND_NORMAL].first != NULL ? bit(part) : 0;
    tell(&part->pool->marks->bands, &part->told_bands, high | normal << ABOVE);
    tell(&part->pool->marks->state, &part->told_state, is_free ? bit(part) << ABOVE : waits ? bit(part) : 0);
}

int sq__parts_create(sq__pool_t *pool, unsigned part_seats) {
    unsigned seats = pool->seats_at_rest;
    pool->count = count_for(seats, part_seats);
    size_t bytes = sizeof(sq__part_t) * pool->count;
    pool->parts = sq__memory_lines(bytes + (pool->count > 1 ? SQ__LINE : 0));
    if (pool->parts == NULL) {
        return ENOMEM;
    }
    if (pool->count > 1) {
        pool->marks = (sq__marks_t *)((char *)pool->parts + bytes);
        *pool->marks = (sq__marks_t){ 0 };
    }
    for (unsigned i = 0; i < pool->count; i += 1) {
        int error = create_part(pool, i, seats);
        if (error) {
            pool->count = i;
            sq__parts_destroy(pool);
            return error;
        }
    }
    for (unsigned i = 0; pool->count > 1 && i < pool->count; i += 1) {
        tell_others(&pool->parts[i]); /* it is FREE */
    }
    sq__store_relaxed(&pool->uses, pool->count);
    return 0;
}

void sq__parts_destroy(sq__pool_t *pool) {
    for (unsigned i = 0; i < pool->count; i += 1) {
        sq__mutex_destroy(&pool->parts[i].lock);
    }
    sq__memory_free(pool->parts);
}

void sq__pool_free(sq__pool_t *pool) {
    sq__pools_remove(&pool->at);
    sq__alarms_release(pool->alarms);
    sq__parts_destroy(pool);
    sq__mutex_destroy(&pool->lists_lock);
    sq__memory_free(pool);
}

sq__part_t *sq__part_own(const sq__pool_t *pool) {
    if (__builtin_expect(pool->count == 1, 1)) {
        return pool->parts;
    }
    const sq__member_t *member = sq__self()->member;
    return member != NULL && member->part->pool == pool ? member->part : &pool->parts[sq__self_number() % pool->count];
}

sq__part_t *sq__part_to_post_to(const sq__pool_t *pool) {
    sq__part_t *part = sq__part_own(pool);
    sq__self_t *self = sq__self();
    if (pool->count > 1 && (self->member == NULL || self->member->part->pool != pool) && sq__load_relaxed(&part->waiting) > SQ__CROWD * part->seats_at_rest) {
        self->detours += 1;
        part = &pool->parts[(part->index + self->detours) % pool->count];
    }
    return part;
}

void sq__part_unlock(sq__part_t *part) {
    if (part->pool->count > 1) {
        tell_others(part);
    }
    sq__mutex_unlock(&part->lock);
}

void sq__part_leave_and_unlock(sq__part_t *part) {
    sq__pool_t *pool = part->pool;
    bool is_deserted = sq__part_is_deserted(part);
    sq__part_unlock(part);
    if (is_deserted) {
        sq__part_left(pool);
    }
}

/* The parts other than this one whose bits are set there. */
static uint64_t others(const sq__part_t *part, uint64_t word) { return word & ~bit(part) & ((UINT64_C(1) << ABOVE) - 1); }

static uint64_t waiting(const sq__part_t *part) { return others(part, sq__load_relaxed(&part->pool->marks->state)); }

bool sq__part_is_crowded(const sq__part_t *part) {
    return sq__load_relaxed(&part->waiting) != 0 || (part->pool->count > 1 && waiting(part) != 0);
}

bool sq__part_others_wait(sq__part_t *part) {
    if (part->pool->count == 1) {
        return false;
    }
    tell_others(part);
    return waiting(part) != 0;
}

/* The first one behind *last, which it becomes, so that all are visited. `set` is not empty. */
static sq__part_t *next_of(const sq__part_t *part, unsigned *last, uint64_t set) {
    uint64_t behind = set & ~((UINT64_C(2) << *last) - 1);
    *last = (unsigned)__builtin_ctzll(behind != 0 ? behind : set);
    return &part->pool->parts[*last];
}

/* Those parts of the set that have an entry of a higher band than this one; of the highest, if there is one. */
static uint64_t with_higher(const sq__part_t *part, sq__band_t band, uint64_t set) {
    uint64_t bands = sq__load_relaxed(&part->pool->marks->bands), high = set & bands, normal = set & bands >> ABOVE;
    return band > SQ__BAND_HIGH && high != 0 ? high : band > SQ__BAND_NORMAL ? normal : 0;
}

/* True about once a millisecond. Looks at the clock after some entries only. */
static bool is_time_to_visit(sq__part_t *part) {
    part->turns += 1;
    if (part->turns < SQ__VISIT_TURNS) {
        return false;
    }
    part->turns = 0;
    uint64_t now = sq__clock_now();
    bool is_time = now - part->visited_at >= SQ__VISIT_AFTER;
    part->visited_at = is_time ? now : part->visited_at;
    return is_time;
}

sq__part_t *sq__part_to_help(sq__part_t *part) {
    if (part->pool->count == 1) {
        return NULL;
    }
    uint64_t set = waiting(part);
    if (set == 0) {
        return NULL;
    }
    bool has_ready = sq__part_has_ready(part);
    unsigned *last = &part->visited_in_turn;
    if (!is_time_to_visit(part)) {
        sq__band_t band = has_ready ? sq__ready_next_band(&part->ready) : SQ__BANDS;
        bool is_due = has_ready && part->ready.overtaken[band] >= SQ__BATCH - 1;
        uint64_t higher = is_due ? 0 : with_higher(part, band, set);
        set = higher != 0 || has_ready ? higher : set;
        last = &part->visited;
    }
    return set != 0 ? next_of(part, last, set) : NULL;
}

sq__ready_t *sq__part_take_from(sq__part_t *part, sq__part_t *other, sq__band_t *band) {
    sq__mutex_unlock(&part->lock); /* the caller tells what has changed */
    sq__mutex_lock(&other->lock);
    sq__ready_t *entry = sq__part_take_first(other, band);
    sq__part_unlock(other);
    sq__mutex_lock(&part->lock);
    if (entry != NULL) {
        sq__ready_overtake(&part->ready, *band);
    }
    return entry;
}

sq__part_t *sq__part_find_free(sq__part_t *part) {
    sq__pool_t *pool = part->pool;
    if (pool->count == 1) {
        return NULL;
    }
    tell_others(part);
    uint64_t set = others(part, sq__load_relaxed(&pool->marks->state) >> ABOVE);
    if (set == 0) {
        return NULL;
    }
    sq__add_relaxed(&pool->uses, 1);
    return next_of(part, &part->visited, set);
}

void sq__part_left(sq__pool_t *pool) {
    /* [deserted] release: our use of the pool; acquire, if it was the last: everybody's. */
    if (sq__sub_acq_rel(&pool->uses, 1) == 1) {
        sq__pool_free(pool);
    }
}

#include "pool/pool.h"

#include "alarm/alarm_manual.h"
#include "platform/event.h"
#include "platform/memory.h"
#include "platform/thread.h"
#include "pool/growth.h"
#include "pool/parts.h"
#include "pool/members.h"
#include "pool/pool_list.h"
#include "pool/pool_internal.h"
#include "thread/process.h"
#include "thread/self.h"

#include <errno.h>
#include <string.h>

static int begin(sq__pool_t *pool, const sq__pool_plan_t *plan) {
    if (plan->seats > 0) {
        return sq__members_begin(pool);
    }
    if (plan->is_loop) {
        pool->is_loop = true;
        return sq__event_open(&pool->event);
    }
    pool->clock = sq__alarms_create();
    return pool->clock != NULL ? 0 : ENOMEM;
}

int sq__pool_create(sq__pool_t **result, const sq__pool_plan_t *plan) {
    size_t length = strlen(plan->label);
    sq__pool_t *pool = sq__memory(sizeof *pool + length + 1);
    if (pool == NULL) {
        return ENOMEM;
    }
    memset(pool, 0, sizeof *pool);
    memcpy(pool->label, plan->label, length + 1);
    pool->call = plan->call;
    pool->stack_size = plan->stack_size;
    pool->service = plan->service;
    pool->seats_at_rest = (unsigned)plan->seats;
    sq__store_relaxed(&pool->seats, pool->seats_at_rest);
    pool->most = (unsigned)plan->most;
    pool->process = sq__process();
    pool->alarm.call = sq__growth_check;
    sq__store_relaxed(&pool->references, 1);
    int error = sq__mutex_init(&pool->lists_lock);
    if (error) {
        goto no_lock;
    }
    error = sq__parts_create(pool, plan->part_seats > 0 ? (unsigned)plan->part_seats : SQ__PART_SEATS);
    if (error) {
        goto no_parts;
    }
    error = begin(pool, plan);
    if (error) {
        goto no_members;
    }
    sq__pools_add(pool);
    *result = pool;
    return 0;
no_members:
    sq__parts_destroy(pool);
no_parts:
    sq__mutex_destroy(&pool->lists_lock);
no_lock:
    sq__memory_free(pool);
    return error;
}

sq__pool_t *sq__pool_retain(sq__pool_t *pool) {
    sq__add_relaxed(&pool->references, 1);
    return pool;
}

void sq__pool_release(sq__pool_t *pool) {
    /* [members] release: our use of the pool; acquire, if it was the last: everybody's. */
    if (sq__sub_acq_rel(&pool->references, 1) != 1 || sq__pool_is_stale(pool)) {
        return;
    }
    if (pool->seats_at_rest > 0) {
        sq__members_end(pool);
    } else {
        sq__pool_free(pool);
    }
}

bool sq__pool_is_crowded(const sq__pool_t *pool) { return sq__part_is_crowded(sq__part_own(pool)); }

const char *sq__pool_label(const sq__pool_t *pool) { return pool->label; }

sq_service_t sq__pool_service(const sq__pool_t *pool) { return pool->service; }

sq__alarms_t *sq__pool_clock(const sq__pool_t *pool) { return pool->clock; }

void sq__pool_ring_and_unlock(sq__pool_t *pool) {
    bool rings = !pool->is_rung;
    if (rings) {
        pool->is_rung = true;
        sq__pool_retain(pool); /* once the lock is released, the owner may run what is ready, and free the pool */
    }
    sq__mutex_unlock(&pool->parts->lock);
    if (rings) {
        sq__event_set(pool->event); /* after the unlock, so that the owner does not wake into a held lock */
        sq__pool_release(pool);
    }
}

/* After a post to a loop. Called with the lock, which it releases. */
static void posted_to_loop(sq__pool_t *pool) {
    sq__owner_t *owner = sq__load_relaxed(&pool->owner);
    if (owner != NULL) {
        sq__owner_nudge(owner);
    }
    sq__pool_ring_and_unlock(pool);
}

void sq__pool_explore(sq__pool_t *pool, sq__explorer_t *explorer) {
    sq__mutex_lock(&pool->parts->lock);
    pool->explorer = explorer;
    sq__mutex_unlock(&pool->parts->lock);
}

sq__explorer_t *sq__pool_explorer(const sq__pool_t *pool) { return pool->explorer; }

void sq__pool_post(sq__pool_t *pool, sq__band_t band, sq__ready_t *entry) {
    sq__part_t *part = sq__part_to_post_to(pool);
    sq__mutex_lock(&part->lock);
    if (__builtin_expect(sq__load_relaxed(&pool->listed) != 0, 0) && sq__pool_give_to_caller(pool, entry)) {
        sq__mutex_unlock(&part->lock);
        return;
    }
    sq__part_append(part, band, entry);
    if (__builtin_expect(pool->seats_at_rest > 0, 1)) {
        sq__members_fill_seat_and_unlock(part);
    } else if (pool->is_loop) {
        posted_to_loop(pool);
    } else {
        if (pool->explorer != NULL) {
            pool->explorer->posted(pool->explorer, entry);
        }
        sq__mutex_unlock(&part->lock);
    }
}

unsigned sq__pool_helpers(const sq__pool_t *pool) {
    if (sq__pool_is_stale(pool)) {
        return 0;
    }
    const sq__member_t *member = sq__self()->member;
    bool has_seat = member != NULL && member->part->pool == pool;
    bool is_by_processors = pool->most > pool->seats_at_rest; /* then the caller has one of them */
    return pool->seats_at_rest - (has_seat || is_by_processors); /* a manual pool has no seats */
}

bool sq__pool_withdraw(sq__pool_t *pool, sq__band_t band, const sq__ready_t *entry) {
    bool is_ready = false;
    for (unsigned i = 0; i < pool->count && !is_ready; i += 1) {
        sq__part_t *part = &pool->parts[i];
        sq__mutex_lock(&part->lock);
        is_ready = sq__part_take_out(part, band, entry);
        sq__part_unlock(part);
    }
    return is_ready;
}

bool sq__pool_has_members(const sq__pool_t *pool) { return pool->seats_at_rest > 0; }

/* Manual pools; the last function also for loops */

/* Runs an entry that was taken out of the list. */
static size_t call(sq__pool_t *pool, sq__band_t band, sq__ready_t *entry, size_t batch) {
    size_t ran = 0;
    if (pool->call(entry, batch, &ran) == SQ__READY_MORE) {
        sq__pool_post(pool, band, entry);
    }
    return ran;
}

size_t sq__pool_run(sq__pool_t *pool) {
    size_t ran = 0;
    while (!sq__pool_is_stale(pool)) {
        sq__mutex_lock(&pool->parts->lock);
        sq__band_t band;
        sq__ready_t *entry = sq__part_take_first(pool->parts, &band);
        sq__mutex_unlock(&pool->parts->lock);
        if (entry == NULL) {
            break;
        }
        ran += call(pool, band, entry, SQ__BATCH);
    }
    return ran;
}

static bool run_first(sq__pool_t *pool, size_t most) {
    if (pool->explorer != NULL || sq__pool_is_stale(pool)) {
        return false;
    }
    sq__mutex_lock(&pool->parts->lock);
    sq__band_t band;
    sq__ready_t *entry = sq__part_take_first(pool->parts, &band);
    sq__mutex_unlock(&pool->parts->lock);
    if (entry != NULL) {
        call(pool, band, entry, most);
    }
    return entry != NULL;
}

bool sq__pool_run_next(sq__pool_t *pool) { return run_first(pool, 1); }

bool sq__pool_run_batch(sq__pool_t *pool) { return run_first(pool, SQ__BATCH); }

bool sq__pool_run_one(sq__pool_t *pool, sq__ready_t *entry) {
    sq__band_t band;
    if (pool->explorer != NULL || sq__pool_is_stale(pool)) {
        return false;
    }
    sq__mutex_lock(&pool->parts->lock);
    bool is_ready = sq__part_find(pool->parts, entry, &band) && sq__part_take_out(pool->parts, band, entry);
    sq__mutex_unlock(&pool->parts->lock);
    if (is_ready) {
        call(pool, band, entry, 1);
    }
    return is_ready;
}

bool sq__pool_has_entry(sq__pool_t *pool, const sq__ready_t *entry) {
    sq__band_t band;
    sq__mutex_lock(&pool->parts->lock);
    bool is_ready = sq__part_find(pool->parts, entry, &band);
    sq__mutex_unlock(&pool->parts->lock);
    return is_ready;
}

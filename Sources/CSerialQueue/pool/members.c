#include "pool/members.h"

#include "platform/memory.h"
#include "platform/probe.h"
#include "platform/thread.h"
#include "pool/offers.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "thread/self.h"
#include "trace/recorder.h"

#include <errno.h>

static bool serve(void *argument);

/* Members begin and end */

/* With the lock. */
static void trace_members(const sq__pool_t *pool) {
    SQ__PROBE4(pool, pool, offsetof(struct sq_pool, label), pool->members, pool->seats);
    if (sq__trace_is_on()) {
        sq__trace_text(pool->label);
        sq__trace_event(SQ__EVENT_POOL, 0, 0, pool->members, pool->seats);
    }
}

/* The caller has counted the new member in pool->members already, so that the pool is not freed meanwhile. */
static int recruit(sq__pool_t *pool, sq__member_t **result) {
    sq__member_t *member = sq__memory(sizeof *member);
    if (member == NULL) {
        return ENOMEM;
    }
    *member = (sq__member_t){ .pool = pool, .is_seated = true };
    const sq__thread_kind_t kind = { .name = pool->label, .stack_size = pool->stack_size, .service = pool->service };
    int error = sq__worker_start(&member->worker, SQ__WORKER_YIELDS, serve, member, &kind);
    if (error) {
        sq__memory_free(member);
        return error;
    }
    sq__mutex_lock(&pool->lock);
    member->next = pool->all;
    pool->all = member;
    trace_members(pool);
    sq__mutex_unlock(&pool->lock);
    *result = member;
    return 0;
}

/* With the lock. */
static void strike_off(sq__pool_t *pool, const sq__member_t *member) {
    sq__member_t **link = &pool->all;
    while (*link != member) {
        link = &(*link)->next;
    }
    *link = member->next;
}

/* With the lock, which it releases: counts one member less. The last one frees the pool. */
static void leave_and_unlock(sq__pool_t *pool) {
    pool->members -= 1;
    trace_members(pool);
    bool is_last = sq__pool_is_deserted(pool);
    sq__mutex_unlock(&pool->lock);
    if (is_last) {
        sq__pool_free(pool);
    }
}

static void make_idle(sq__pool_t *pool, sq__member_t *member) {
    member->is_seated = false;
    member->next_idle = pool->idle;
    pool->idle = member;
    pool->idle_members += 1;
}

static sq__member_t *take_idle(sq__pool_t *pool) {
    sq__member_t *member = pool->idle;
    if (member != NULL) {
        pool->idle = member->next_idle;
        pool->idle_members -= 1;
        if (pool->idle_members < pool->fewest_idle) {
            pool->fewest_idle = pool->idle_members;
        }
    }
    return member;
}

int sq__members_begin(sq__pool_t *pool) {
    int error = sq__alarms_shared(&pool->alarms);
    if (error) {
        return error;
    }
    sq__member_t *member;
    pool->members = 1;
    error = recruit(pool, &member);
    if (error) {
        sq__alarms_release(pool->alarms);
        return error;
    }
    make_idle(pool, member); /* it waits for its first post; nobody else knows the pool yet */
    return 0;
}

void sq__members_fill_seat_and_unlock(sq__pool_t *pool) {
    sq__member_t *member = NULL;
    bool recruits = false;
    if ((sq__pool_has_ready(pool) || pool->helps != NULL) && pool->seated < pool->seats) {
        member = take_idle(pool);
        /* If the limit is reached and all members sleep in the library, start one more: what they wait for may be among the entries. */
        recruits = member == NULL
            && (pool->members < SQ__MOST_MEMBERS || pool->members < pool->seats_at_rest
                || (pool->seated == 0 && sq__pool_has_ready(pool)));
        pool->members += recruits;
        pool->seated += member != NULL || recruits;
        if (member != NULL) {
            member->is_seated = true; /* from now on, not from when it runs: a growth check must not count it as blocked */
        }
        if (pool->members > pool->seats_at_rest) {
            sq__growth_schedule(pool, false); /* so that it is ended when it is no longer needed */
        }
    } else if (sq__pool_has_ready(pool) && pool->seats < pool->most) {
        sq__growth_schedule(pool, true);
    }
    sq__mutex_unlock(&pool->lock);
    if (recruits && recruit(pool, &member) != 0) {
        sq__mutex_lock(&pool->lock);
        pool->seated -= 1;
        sq__growth_schedule(pool, true); /* to try again */
        leave_and_unlock(pool);
    }
    if (member != NULL) {
        sq__worker_post(member->worker); /* its seat was taken for it above */
    }
}

/* A member's work */

/* What a member does next: one of the two. */
typedef struct work {
    sq__ready_t *entry;
    sq__band_t band; /* of the entry */
    sq__offer_t *offer;
} work_t;

/* With the lock: the next work of a member that has a seat. False: it has left its seat. */
static bool next_work(sq__pool_t *pool, sq__member_t *member, work_t *work) {
    bool stays = pool->seated <= pool->seats;
    if (!stays && sq__pool_has_ready(pool) && pool->seats < pool->most) {
        sq__growth_schedule(pool, true); /* it leaves its seat to a member that has taken its own back: an entry waits again */
    }
    bool helps = stays && pool->helps != NULL && (!sq__pool_has_ready(pool) || pool->takes_offer_next);
    *work = (work_t){ .offer = helps ? sq__offer_take(pool) : NULL };
    if (stays && !helps) {
        work->entry = sq__pool_take_first(pool, &work->band);
    }
    pool->takes_offer_next = !helps;
    member->is_seated = helps || work->entry != NULL;
    member->entry = pool->taken + pool->helped;
    pool->seated -= !member->is_seated;
    return member->is_seated;
}

/* Called without the lock. True: there is more to do than the member has done. */
static bool do_work(sq__pool_t *pool, const work_t *work) {
    size_t ran = 0;
    return work->offer != NULL ? work->offer->call(work->offer) : pool->call(work->entry, SQ__BATCH, &ran) == SQ__READY_MORE;
}

/* With the lock, after do_work. */
static void put_back(sq__pool_t *pool, const work_t *work, bool has_more) {
    if (work->offer != NULL) {
        sq__offer_leave(pool, work->offer, has_more);
    } else if (has_more && (pool->caller_run == NULL || !sq__pool_give_to_caller(pool, work->entry))) {
        sq__pool_append(pool, work->band, work->entry);
    }
}

/* The worker's function. The member has a seat when it is called, or is to be dismissed. */
static bool serve(void *argument) {
    sq__member_t *member = argument;
    sq__pool_t *pool = member->pool;
    work_t work;
    sq__self()->member = member;
    sq__mutex_lock(&pool->lock);
    if (member->thread_id == 0) {
        member->thread_id = sq__thread_id();
    }
    while (!member->is_dismissed && next_work(pool, member, &work)) {
        sq__store_relaxed(&member->is_working, true);
        if (pool->helps != NULL) {
            sq__members_fill_seat_and_unlock(pool); /* one more member, for another offer */
        } else {
            sq__mutex_unlock(&pool->lock);
        }
        bool has_more = do_work(pool, &work);
        sq__store_relaxed(&member->is_working, false);
        if (sq__pool_is_stale(pool)) { /* a task has forked, and this is the child: the entries are the parent's */
            return false;
        }
        sq__mutex_lock(&pool->lock);
        put_back(pool, &work, has_more);
    }
    if (member->is_dismissed || pool->has_ended) {
        strike_off(pool, member);
        pool->leaving -= member->is_dismissed;
        sq__self()->member = NULL;
        leave_and_unlock(pool);
        sq__memory_free(member);
        return false;
    }
    make_idle(pool, member);
    sq__mutex_unlock(&pool->lock);
    return true;
}

void sq__pool_lend_seat(sq__member_t *member) {
    sq__pool_t *pool = member->pool;
    if (sq__pool_is_stale(pool)) {
        return;
    }
    sq__mutex_lock(&pool->lock);
    member->is_seated = false;
    pool->seated -= 1;
    sq__members_fill_seat_and_unlock(pool);
}

void sq__pool_take_seat(sq__member_t *member) {
    sq__pool_t *pool = member->pool;
    if (sq__pool_is_stale(pool)) {
        return;
    }
    sq__mutex_lock(&pool->lock);
    member->is_seated = true;
    pool->seated += 1;
    sq__mutex_unlock(&pool->lock);
}

/* The end of members */

sq__member_t *sq__members_pick_idle(sq__pool_t *pool, unsigned members) {
    sq__member_t *picked = NULL;
    for (sq__member_t *member; members > 0 && (member = take_idle(pool)) != NULL; members -= 1) {
        member->is_dismissed = true;
        pool->leaving += 1;
        member->next_idle = picked;
        picked = member;
    }
    return picked;
}

void sq__members_dismiss(sq__member_t *picked) {
    while (picked != NULL) {
        sq__member_t *next = picked->next_idle; /* read first: after the post the member may be freed */
        sq__worker_post(picked->worker);
        picked = next;
    }
}

void sq__members_end(sq__pool_t *pool) {
    sq__mutex_lock(&pool->lock);
    pool->has_ended = true;
    sq__member_t *picked = sq__members_pick_idle(pool, pool->members);
    if (pool->growth_is_scheduled && sq__alarm_cancel(pool->alarms, &pool->alarm)) {
        pool->growth_is_scheduled = false;
    }
    pool->members += 1; /* the next call counts one less, and frees the pool if no member is left */
    leave_and_unlock(pool);
    sq__members_dismiss(picked);
}

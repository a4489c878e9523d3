#include "pool/members.h"

#include "alarm/alarm.h"
#include "platform/memory.h"
#include "platform/container.h"
#include "platform/probe.h"
#include "platform/thread.h"
#include "pool/growth_alarm.h"
#include "pool/parts.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "runner/runner_inline.h"
#include "thread/self.h"
#include "trace/trace.h"

#include <errno.h>

static bool serve(void *argument);

/* Members begin and end */

/* Counts the pool's members, and shows it. */
static void count_members(sq__pool_t *pool, unsigned more) {
    unsigned members = sq__add_relaxed(&pool->members, more) + more, seats = sq__load_relaxed(&pool->seats);
    SQ__PROBE4(pool, pool, offsetof(struct sq_pool, label), members, seats);
    if (sq__trace_is_on()) {
        sq__trace_text(pool->label);
        sq__trace_event(SQ__EVENT_POOL, 0, 0, members, seats);
    }
}

/* The caller has counted the new member in part->members already, so that the pool is not freed meanwhile; and its seat, if that is TAKEN. */
static int recruit(sq__part_t *part, sq__seat_t seat, sq__member_t **result) {
    const sq__pool_t *pool = part->pool;
    sq__member_t *member = sq__memory(sizeof *member);
    if (member == NULL) {
        return ENOMEM;
    }
    *member = (sq__member_t){ .part = part, .seat = seat };
    const sq__thread_kind_t kind = { .name = pool->label, .stack_size = pool->stack_size, .service = pool->service };
    int error = sq__worker_start(&member->worker, SQ__WORKER_YIELDS, serve, member, &kind);
    if (error) {
        sq__memory_free(member);
        return error;
    }
    sq__mutex_lock(&part->lock);
    member->next = part->all;
    part->all = member;
    sq__mutex_unlock(&part->lock);
    *result = member;
    return 0;
}

/* With the lock. */
static void strike_off(sq__part_t *part, const sq__member_t *member) {
    sq__member_t **link = &part->all;
    while (*link != member) {
        link = &(*link)->next;
    }
    *link = member->next;
}

/* With the lock, which it releases: counts one member less. The last one of all frees the pool. */
static void leave_and_unlock(sq__part_t *part) {
    part->members -= 1;
    count_members(part->pool, -1u);
    sq__part_leave_and_unlock(part);
}

/* With the lock. */
static void change_seat(sq__part_t *part, sq__member_t *member, sq__seat_event_t event) {
    const sq__seat_step_t step = sq__seat_step(member->seat, event);
    member->seat = step.seat;
    sq__count(&part->seated, (unsigned)step.more);
}

static void make_idle(sq__part_t *part, sq__member_t *member) {
    member->next_idle = part->idle;
    part->idle = member;
    part->idle_members += 1;
    part->lacks_thread = false;
}

static sq__member_t *take_idle(sq__part_t *part) {
    sq__member_t *member = part->idle;
    if (member != NULL) {
        part->idle = member->next_idle;
        part->idle_members -= 1;
        if (part->idle_members < part->fewest_idle) {
            part->fewest_idle = part->idle_members;
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
    sq__part_t *part = sq__part_own(pool); /* which the caller will post to */
    part->members = 1;
    count_members(pool, 1);
    error = recruit(part, SQ__SEAT_NONE, &member);
    if (error) {
        sq__alarms_release(pool->alarms);
        return error;
    }
    make_idle(part, member); /* it waits for its first post; nobody else knows the pool yet */
    return 0;
}

static bool has_work(sq__part_t *part) {
    return sq__part_has_ready(part) || sq__part_others_wait(part);
}

/* True: all members of the pool sleep in the library. Of several that go to sleep at a time, the last one to look sees that the others have
 * left their seats. */
static bool nobody_is_seated(sq__pool_t *pool) {
    unsigned seated = 0;
    sq__mutex_lock(&pool->lists_lock);
    for (unsigned i = 0; i < pool->count; i += 1) {
        seated += sq__load_relaxed(&pool->parts[i].seated);
    }
    sq__mutex_unlock(&pool->lists_lock);
    return seated == 0;
}

/* With the lock. True: there may be one member more. Also beyond the limit, if all members sleep in the library: what
 * they wait for may be among the entries. */
static bool may_recruit(sq__part_t *part) {
    unsigned members = sq__load_relaxed(&part->pool->members);
    return members < SQ__MOST_MEMBERS || members < part->pool->seats_at_rest
           || (has_work(part) && nobody_is_seated(part->pool));
}

/* With the lock, which it releases: wakes or starts a member for a free seat. Returns another part, if one has to take what waits here;
 * see sq__part_find_free; or NULL. */
static sq__part_t *fill_and_unlock(sq__part_t *part) {
    sq__part_t *other = NULL;
    sq__member_t *member = take_idle(part);
    bool recruits = member == NULL && may_recruit(part);
    if (member != NULL) {
        change_seat(part, member, SQ__SEAT_GET); /* from now on, not from when it runs: a growth check must not count it as blocked */
    }
    if (recruits) {
        part->members += 1;
        count_members(part->pool, 1);
        sq__count(&part->seated, 1);
    }
    part->lacks_thread = member == NULL && !recruits;
    if (part->lacks_thread) {
        other = sq__part_find_free(part);
    }
    if (part->members > part->seats_at_rest) {
        sq__growth_schedule(part, false); /* so that it is ended when it is no longer needed */
    }
    sq__part_unlock(part);
    if (recruits && recruit(part, SQ__SEAT_TAKEN, &member) != 0) {
        sq__mutex_lock(&part->lock);
        sq__count(&part->seated, -1u);
        part->lacks_thread = true;
        other = sq__part_find_free(part);
        sq__growth_schedule(part, true); /* to try again */
        leave_and_unlock(part);
    }
    if (member != NULL) {
        sq__worker_post(member->worker); /* its seat was taken for it above */
    }
    return other;
}

/* The same, if something is ready and a seat is free. */
static sq__part_t *fill_seat_and_unlock(sq__part_t *part) {
    sq__part_t *other = NULL;
    if (has_work(part)) {
        if (sq__load_relaxed(&part->seated) < part->seats) {
            return fill_and_unlock(part);
        }
        if (sq__part_has_ready(part) && sq__load_relaxed(&part->pool->seats) < part->pool->most) {
            sq__growth_schedule(part, true);
        }
        other = sq__part_find_free(part); /* also for what waits elsewhere: see parts.h */
    }
    sq__part_unlock(part);
    return other;
}

void sq__members_fill_seat_and_unlock(sq__part_t *part) {
    sq__part_t *other = fill_seat_and_unlock(part);
    while (other != NULL) {
        sq__pool_t *pool = other->pool;
        sq__mutex_lock(&other->lock);
        other = fill_seat_and_unlock(other);
        sq__part_left(pool);
    }
}

/* A member's work */

/* With the lock, which it may release in between: the next entry of a member that has a seat. NULL: it has left its seat. */
static sq__ready_t *next_entry(sq__part_t *part, sq__member_t *member, sq__band_t *band) {
    sq__ready_t *entry = NULL;
    const sq__pool_t *pool = part->pool;
    bool stays = sq__load_relaxed(&part->seated) <= part->seats;
    if (!stays && sq__part_has_ready(part) && sq__load_relaxed(&pool->seats) < pool->most) {
        sq__growth_schedule(part, true); /* it leaves its seat to a member that has taken its own back: an entry waits again */
    }
    if (stays) {
        sq__part_t *other = sq__part_to_help(part);
        entry = other != NULL ? sq__part_take_from(part, other, band) : NULL;
        if (entry == NULL) {
            entry = sq__part_take_first(part, band);
        }
    }
    member->entry += 1;
    if (entry == NULL) {
        change_seat(part, member, SQ__SEAT_LEAVE);
    }
    return entry;
}

/* Called without the lock. */
static sq__ready_end_t run_entry(const sq__pool_t *pool, sq__band_t band, sq__ready_t *entry) {
    size_t ran = 0;
    if (band == SQ__BAND_HELP) {
        sq__help_t *help = SQ__CONTAINER(entry, sq__help_t, ready);
        return help->call(help);
    }
    return pool->call(entry, SQ__BATCH, &ran);
}

/* With the lock, after run_entry: the entry has more to do. */
static void put_back(sq__part_t *part, sq__band_t band, sq__ready_t *entry) {
    if (sq__load_relaxed(&part->pool->listed) == 0 || !sq__pool_give_to_caller(part->pool, entry)) {
        sq__part_append(part, band, entry);
    }
}

/* The worker's function. The member has a seat when it is called, or is to be dismissed. */
static bool serve(void *argument) {
    sq__member_t *member = argument;
    sq__part_t *part = member->part;
    sq__pool_t *pool = part->pool;
    sq__ready_t *entry;
    sq__band_t band;
    sq__self()->member = member;
    sq__self()->runner = sq__runner(pool, SQ__BAND_NORMAL);
    sq__mutex_lock(&part->lock);
    if (member->thread_id == 0) {
        member->thread_id = sq__thread_id();
    }
    while (member->seat != SQ__SEAT_LOST && (entry = next_entry(part, member, &band)) != NULL) {
        sq__store_relaxed(&member->is_working, true);
        if (pool->count > 1 && sq__part_has_ready(part)) {
            sq__members_fill_seat_and_unlock(part); /* one more member, for what was put back */
        } else {
            sq__part_unlock(part);
        }
        sq__ready_end_t end = run_entry(pool, band, entry);
        sq__store_relaxed(&member->is_working, false);
        if (sq__pool_is_stale(pool)) { /* a task has forked, and this is the child: the entries are the parent's */
            return false;
        }
        sq__mutex_lock(&part->lock);
        if (end == SQ__READY_MORE) {
            put_back(part, band, entry);
        }
    }
    bool is_dismissed = member->seat == SQ__SEAT_LOST;
    if (is_dismissed || part->has_ended) {
        strike_off(part, member);
        part->leaving -= is_dismissed;
        sq__self()->member = NULL;
        sq__self()->runner = 0;
        leave_and_unlock(part);
        sq__memory_free(member);
        return false;
    }
    make_idle(part, member);
    if (pool->count > 1) {
        sq__members_fill_seat_and_unlock(part); /* calls itself, if entries wait in another part */
    } else {
        sq__mutex_unlock(&part->lock);
    }
    return true;
}

void sq__pool_lend_seat(sq__member_t *member) {
    sq__part_t *part = member->part;
    if (sq__pool_is_stale(part->pool)) {
        return;
    }
    sq__mutex_lock(&part->lock);
    part->lacks_thread = false; /* to try again: a poster at the limit of members may have seen this one seated, and ends at a free part */
    change_seat(part, member, SQ__SEAT_LEND);
    sq__members_fill_seat_and_unlock(part);
}

void sq__pool_take_seat(sq__member_t *member) {
    sq__part_t *part = member->part;
    if (sq__pool_is_stale(part->pool)) {
        return;
    }
    sq__mutex_lock(&part->lock);
    change_seat(part, member, SQ__SEAT_TAKE_BACK);
    sq__part_unlock(part);
}

/* The end of members */

sq__member_t *sq__members_pick_idle(sq__part_t *part, unsigned members) {
    sq__member_t *picked = NULL;
    for (sq__member_t *member; members > 0 && (member = take_idle(part)) != NULL; members -= 1) {
        change_seat(part, member, SQ__SEAT_DISMISS);
        part->leaving += 1;
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

static void end_part(sq__part_t *part) {
    sq__mutex_lock(&part->lock);
    part->has_ended = true;
    sq__member_t *picked = sq__members_pick_idle(part, part->members);
    sq__part_leave_and_unlock(part); /* frees the pool if no part has a member */
    sq__members_dismiss(picked);
}

void sq__members_end(sq__pool_t *pool) {
    sq__part_t *parts = pool->parts;
    sq__growth_end(pool);
    for (unsigned i = 0, count = pool->count; i < count; i += 1) {
        end_part(&parts[i]); /* the last one may free the pool */
    }
}

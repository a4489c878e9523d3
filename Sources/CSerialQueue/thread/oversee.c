/* oversee.c: looking after a pool whose jobs wait.
 *
 * DESIGN. A look comes some milliseconds after a job had to wait for a seat, and again as long as jobs wait. If one that was
 * waiting at the last look still is, and of the members that have a seat fewer get on than the pool has seats at rest, it gets the difference in
 * seats; twice what it had if none gets on. A member does not get on if it has had the same job for some looks and is blocked; that
 * the system tells.
 *
 * While the pool has more seats or members than at rest, a look comes every second, and takes back what was not needed since
 * the last one. */
#include "thread/crew.h"

#include "platform/clock.h"
#include "platform/thread.h"

#include <stddef.h>

/* Nanoseconds. */
static const uint64_t soon = 2000000, second = 1000000000;

/* A job that so many looks have found with the same member lasts long. A thread that waits for a lock whose holder has lost the processor is
 * blocked, too, but not for long, and more threads would not help it. */
#ifndef SQ__LOOKS_AT_A_JOB
#define SQ__LOOKS_AT_A_JOB 4
#endif

static void look(sq__alarm_t *alarm);

static void set_alarm(sq__pool_t *pool, bool is_soon) {
    pool->is_overseen = true;
    pool->is_soon = is_soon;
    sq__alarm_set(pool->alarms, &pool->alarm, sq__alarms_now(pool->alarms) + (is_soon ? soon : second), is_soon ? 0 : second / 4);
}

void sq__pool_oversee(sq__pool_t *pool, bool is_soon) {
    if (pool->has_ended) {
        return;
    }
    if (!pool->is_overseen) {
        pool->alarm.call = look;
        pool->seen = pool->taken + sq__load_relaxed(&pool->waiting);
        set_alarm(pool, is_soon);
    } else if (is_soon && !pool->is_soon && sq__alarm_cancel(pool->alarms, &pool->alarm)) {
        pool->seen = pool->taken + sq__load_relaxed(&pool->waiting);
        set_alarm(pool, true);
    }
}

/* How many members with a seat get on: they are not in the call of a job (but on their way to the next one, for which they may
 * have to wait for our lock), have not had their job for long, or the system says that they are able to run. The system is
 * asked without the lock. */
static unsigned count_able(sq__pool_t *pool) {
    uint64_t in_doubt[SQ__MOST_MEMBERS]; /* a pool that may grow has no more */
    unsigned count = 0, able = 0;
    for (sq__member_t *member = pool->all; member != NULL; member = member->next) {
        member->looks = member->job == member->job_seen ? member->looks + 1 : 0;
        member->job_seen = member->job;
        if (member->is_seated && member->looks >= SQ__LOOKS_AT_A_JOB && sq__load_relaxed(&member->calls)) {
            in_doubt[count++] = member->thread_id;
        } else {
            able += member->is_seated;
        }
    }
    sq__mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < count; i += 1) {
        able += !sq__thread_is_blocked(in_doubt[i]);
    }
    sq__mutex_lock(&pool->lock);
    return able;
}

static void grow(sq__pool_t *pool) {
    unsigned able = count_able(pool);
    unsigned more = able >= pool->seats_at_rest ? 0 : able == 0 ? pool->seats : pool->seats_at_rest - able;
    pool->seats = more < pool->most - pool->seats ? pool->seats + more : pool->most;
}

/* Nothing waits. Returns the members to be dismissed. */
static sq__member_t *shrink(sq__pool_t *pool) {
    unsigned needed = pool->seated + pool->seats_at_rest;
    if (pool->seats > needed) {
        pool->seats = needed;
    }
    unsigned staying = pool->members - pool->leaving;
    unsigned surplus = staying > pool->seats_at_rest ? staying - pool->seats_at_rest : 0;
    sq__member_t *picked = sq__crew_pick_idle(pool, surplus < pool->fewest_idle ? surplus : pool->fewest_idle);
    pool->fewest_idle = pool->idle_members;
    return picked;
}

/* Gives the free seats to those that wait. With the lock, which it gives back meanwhile. */
static void seat_all(sq__pool_t *pool) {
    unsigned free = pool->seats > pool->seated ? pool->seats - pool->seated : 0;
    for (; free > 0 && pool->first != NULL; free -= 1) {
        sq__crew_call_and_unlock(pool);
        sq__mutex_lock(&pool->lock);
    }
}

/* The alarm's call. The pool stays as long as it is overseen. */
static void look(sq__alarm_t *alarm) {
    sq__pool_t *pool = (sq__pool_t *)((char *)alarm - offsetof(sq__pool_t, alarm));
    sq__member_t *picked = NULL;
    sq__mutex_lock(&pool->lock);
    bool has_waited = pool->first != NULL && pool->taken < pool->seen;
    if (has_waited && pool->seated >= pool->seats && pool->seats < pool->most) {
        grow(pool);
    }
    if (pool->first == NULL && !pool->is_soon) {
        picked = shrink(pool);
    }
    seat_all(pool);
    pool->is_overseen = false;
    if (pool->first != NULL || pool->seats > pool->seats_at_rest || pool->members > pool->seats_at_rest) {
        sq__pool_oversee(pool, pool->first != NULL);
    }
    bool is_last = sq__pool_is_deserted(pool);
    sq__mutex_unlock(&pool->lock);
    if (is_last) {
        sq__pool_free(pool);
    }
    sq__crew_dismiss(picked);
}

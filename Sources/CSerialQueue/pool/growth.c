/* growth.c: when a pool gets more seats, and when it loses them.
 *
 * DESIGN. A check comes some milliseconds after an entry found no free seat, and again as long as entries wait. Growth must
 * help. If an entry that was waiting at the last check still waits:
 *
 *     - All members with a seat are blocked: nothing moves. The pool gets twice as many additional seats as it has.
 *     - Only some are blocked: entries are still taken, only later. A member that many checks have found blocked in the
 *       same entry is replaced, by one seat.
 *
 * Whatever waits, as long as no seat is free:
 *
 *     - Members block briefly, again and again: tasks end, and the processors are idle. If the members have used less than half a
 *       processor over several checks (a window), and most of them are asleep when it ends, seats are added as if all were
 *       blocked. A lock that they contend for is no such case: its owner runs.
 *     - Members that were blocked continue: if several checks in a row find more members running than the pool has seats at
 *       rest, the additional seats are taken back, even while entries wait, but for one for each member that is asleep at that
 *       moment. A member leaves its seat after its entry.
 *
 * A member counts as blocked if several checks in a row find it in the same entry, its thread has used no processor time in
 * between, and the system says that the thread is not waiting for a processor. A thread that waits for a contended lock, such
 * as malloc's, wakes now and then and uses a little time; another member would only wait for the same lock. Such a member
 * counts as blocked after many checks. So does one about which the system says nothing (no file can be opened, or there is no
 * /proc).
 *
 * Once a second, members that were idle the whole time are ended, down to the number at rest. While the pool has more seats or
 * members than at rest and no entry waits, a check comes every second. */
#include "pool/members.h"
#include "pool/pool_internal.h"

#include "platform/container.h"
#include "platform/thread.h"
#include "pool/ready.h"

/* A member that has used this much processor time since the last check is computing. Nanoseconds: a twentieth of the time between checks. */
static const uint64_t computing = 100000;

/* A member may count as blocked after this many checks in the same entry that found it using no processor time, */
#ifndef SQ__CHECKS_WITHOUT_USE
#define SQ__CHECKS_WITHOUT_USE 8
#endif
/* or after this many that found it using little. */
#ifndef SQ__CHECKS_WITH_LITTLE_USE
#define SQ__CHECKS_WITH_LITTLE_USE 32
#endif

enum { CHECKS_A_SECOND = 500 };

/* Checks in a row in which the pool may grow, or has grown. */
enum { WINDOW = SQ__CHECKS_WITHOUT_USE };

/* Members with a seat that are blocked. */
typedef struct blocked {
    unsigned now;      /* in all */
    unsigned for_long; /* of these, the ones in the same entry for SQ__CHECKS_WITH_LITTLE_USE checks */
    unsigned briefly;  /* those blocked now, and if all were looked at, those asleep at this moment */
    bool is_idle;      /* a window has ended in which members used little, and most of them are asleep */
} blocked_t;

/* ASLEEP: it is moving, but may be asleep at this moment. */
enum doubt { NONE, ASLEEP, NOW, FOR_LONG };

/* A member that is not inside an entry is on the way to its next one. It may wait for the pool's lock, so it does not count. */
static enum doubt doubt(sq__pool_t *pool, sq__member_t *member) {
    bool is_same = member->entry == member->entry_seen;
    member->entry_seen = member->entry;
    if (!member->is_seated || !sq__load_relaxed(&member->is_working)) {
        return NONE;
    }
    uint64_t used = sq__thread_processor_time(member->thread_id), more = used - member->used;
    member->used = used;
    pool->window_used += more;
    member->checks = is_same ? member->checks + 1 : 0;
    member->still = is_same && more == 0 ? member->still + 1 : 0;
    return member->checks >= SQ__CHECKS_WITH_LITTLE_USE && more < computing ? FOR_LONG
           : member->still >= SQ__CHECKS_WITHOUT_USE                        ? NOW
                                                                        : ASLEEP;
}

/* Called before the members are looked at; members_used_little after it. */
static void begin_window(sq__pool_t *pool) {
    if (pool->window_checks == 0) {
        pool->window_used = 0;
        pool->window_began = sq__alarms_now(pool->alarms);
    }
    pool->window_checks += 1;
}

/* True: a window has ended, and the members used less than half a processor in it. */
static bool members_used_little(sq__pool_t *pool) {
    if (pool->window_checks <= WINDOW) {
        return false;
    }
    pool->window_checks = 0;
    return pool->window_used < (sq__alarms_now(pool->alarms) - pool->window_began) / 2;
}

/* Called with the lock held; releases it while it asks the system about the threads. */
static blocked_t count_blocked(sq__pool_t *pool) {
    struct { uint64_t thread_id; enum doubt doubt; } members[SQ__MOST_MEMBERS]; /* of more members, only the first ones are asked about */
    blocked_t blocked = { .now = 0 };
    unsigned count = 0;
    begin_window(pool);
    for (sq__member_t *member = pool->all; member != NULL && count < SQ__MOST_MEMBERS; member = member->next) {
        enum doubt found = doubt(pool, member);
        if (found != NONE) {
            members[count].thread_id = member->thread_id;
            members[count++].doubt = found;
        }
    }
    bool used_little = members_used_little(pool), looks_at_all = used_little || pool->checks_with_surplus >= SQ__CHECKS_WITHOUT_USE;
    sq__mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < count; i += 1) {
        enum doubt found = members[i].doubt;
        if (found == ASLEEP && !looks_at_all) {
            continue;
        }
        sq__thread_state_t state = sq__thread_state(members[i].thread_id);
        bool is_blocked = state == SQ__THREAD_BLOCKED || (state == SQ__THREAD_UNKNOWN && found == FOR_LONG);
        blocked.briefly += is_blocked;
        blocked.now += is_blocked && found >= NOW;
        blocked.for_long += is_blocked && found == FOR_LONG;
    }
    sq__mutex_lock(&pool->lock);
    blocked.is_idle = used_little && blocked.briefly > 0 && blocked.briefly * 4 >= pool->seated * 3;
    return blocked;
}

/* Stuck: an entry that was waiting at the last check still waits. */
static void grow(sq__pool_t *pool, const blocked_t *blocked, bool is_stuck) {
    unsigned moving = pool->seated - blocked->for_long, more = 0;
    if (blocked->is_idle || (is_stuck && blocked->now == pool->seated)) {
        more = 2 * pool->seats;
    } else if (is_stuck && moving < pool->seats_at_rest) {
        more = pool->seats_at_rest - moving;
    }
    pool->seats = more < pool->most - pool->seats ? pool->seats + more : pool->most;
}

/* Takes back the seats that replaced members which are no longer blocked. */
static void take_back(sq__pool_t *pool, const blocked_t *blocked) {
    unsigned moving = pool->seated - blocked->now;
    if (moving > pool->seats_at_rest && pool->checks_with_surplus >= SQ__CHECKS_WITHOUT_USE) {
        unsigned needed = pool->seats_at_rest + blocked->briefly;
        pool->seats = needed < pool->seats ? needed : pool->seats;
        pool->checks_with_surplus = 0;
    } else {
        pool->checks_with_surplus = moving > pool->seats_at_rest ? pool->checks_with_surplus + 1 : 0;
    }
}

/* While entries wait. Called with the lock held; unlocks it for a time. */
static void adjust_seats(sq__pool_t *pool) {
    bool is_stuck = pool->taken < pool->seen, may_grow = pool->seated >= pool->seats && pool->seats < pool->most;
    if (!may_grow && pool->seats == pool->seats_at_rest) {
        pool->window_checks = 0;
        return;
    }
    blocked_t blocked = count_blocked(pool);
    if (blocked.now > pool->seated || blocked.for_long > pool->seated) {
        return; /* some have left their seats since they were counted */
    }
    if (may_grow) {
        grow(pool, &blocked, is_stuck);
    }
    take_back(pool, &blocked);
}

/* Once a second. Takes back all unused seats, if no entry waits, and returns the members to be dismissed. */
static sq__member_t *shrink(sq__pool_t *pool) {
    unsigned needed = pool->seated + pool->seats_at_rest;
    if (!sq__pool_has_ready(pool) && pool->seats > needed) {
        pool->seats = needed;
    }
    unsigned staying = pool->members - pool->leaving;
    unsigned surplus = staying > pool->seats_at_rest ? staying - pool->seats_at_rest : 0;
    sq__member_t *picked = sq__members_pick_idle(pool, surplus < pool->fewest_idle ? surplus : pool->fewest_idle);
    pool->fewest_idle = pool->idle_members;
    return picked;
}

/* Wakes or starts a member for each free seat, while entries wait. Called with the lock, which it releases in between. */
static void seat_all(sq__pool_t *pool) {
    unsigned free = pool->seats > pool->seated ? pool->seats - pool->seated : 0;
    for (; free > 0 && sq__pool_has_ready(pool); free -= 1) {
        sq__members_fill_seat_and_unlock(pool);
        sq__mutex_lock(&pool->lock);
    }
}

/* The pool is not freed before this function has ended: growth_is_scheduled stays set until then. */
void sq__growth_check(sq__alarm_t *alarm) {
    sq__pool_t *pool = SQ__CONTAINER(alarm, sq__pool_t, alarm);
    sq__member_t *picked = NULL;
    sq__mutex_lock(&pool->lock);
    if (sq__pool_has_ready(pool)) {
        adjust_seats(pool);
    } else {
        pool->window_checks = 0; /* the next window begins when entries wait again: what was idle in between says nothing */
    }
    seat_all(pool);
    pool->checks += pool->is_soon ? 1 : CHECKS_A_SECOND;
    if (pool->checks >= CHECKS_A_SECOND) {
        pool->checks = 0;
        picked = shrink(pool);
    }
    pool->growth_is_scheduled = false;
    if (sq__pool_has_ready(pool) || pool->seats > pool->seats_at_rest || pool->members > pool->seats_at_rest) {
        sq__growth_schedule(pool, sq__pool_has_ready(pool));
    }
    bool is_last = sq__pool_is_deserted(pool);
    sq__mutex_unlock(&pool->lock);
    if (is_last) {
        sq__pool_free(pool);
    }
    sq__members_dismiss(picked);
}

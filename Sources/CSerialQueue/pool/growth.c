/* growth.c: when a pool gets more seats, and when it loses them. Numbers of members and seats are those of all its parts.
 *
 * DESIGN. sq__growth_seats is the rule: from what a check finds it says how many seats the pool is to have. A check comes some milliseconds after an entry found no free seat, and again as long as entries wait. Growth must
 * help. If an entry that was waiting at the last check still waits:
 *
 *     - All members with a seat are blocked: nothing moves. The pool gets three times as many seats.
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
#include "pool/growth.h"
#include "pool/growth_alarm.h"
#include "pool/parts.h"
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

/* What a check finds, in all parts. */
typedef struct survey {
    sq__sample_t sample;
    bool waits;          /* entries wait */
    unsigned count;      /* members to ask the system about; of more, only the first ones */
    struct { uint64_t thread_id; enum doubt { NONE, ASLEEP, NOW, FOR_LONG } doubt; } members[SQ__MOST_MEMBERS]; /* ASLEEP: it is moving, but may be asleep */
} survey_t;

static unsigned count_seated(const sq__pool_t *pool) {
    unsigned seated = 0;
    for (unsigned i = 0; i < pool->count; i += 1) {
        seated += sq__load_relaxed(&pool->parts[i].seated);
    }
    return seated;
}

static void look(sq__part_t *part, survey_t *survey) {
    sq__mutex_lock(&part->lock);
    survey->waits |= sq__part_has_ready(part);
    survey->sample.is_stuck |= part->taken < part->seen;
    sq__mutex_unlock(&part->lock);
}

/* A member that is not inside an entry is on the way to its next one. It may wait for the part's lock, so it does not count. */
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

static void doubt_members(sq__part_t *part, survey_t *survey) {
    sq__mutex_lock(&part->lock);
    for (sq__member_t *member = part->all; member != NULL && survey->count < SQ__MOST_MEMBERS; member = member->next) {
        enum doubt found = doubt(part->pool, member);
        if (found != NONE) {
            survey->members[survey->count].thread_id = member->thread_id;
            survey->members[survey->count++].doubt = found;
        }
    }
    sq__mutex_unlock(&part->lock);
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

static void count_blocked(sq__pool_t *pool, survey_t *survey) {
    sq__sample_t *sample = &survey->sample;
    begin_window(pool);
    for (unsigned i = 0; i < pool->count; i += 1) {
        doubt_members(&pool->parts[i], survey);
    }
    bool used_little = members_used_little(pool), looks_at_all = used_little || pool->checks_with_surplus >= SQ__CHECKS_WITHOUT_USE;
    for (unsigned i = 0; i < survey->count; i += 1) {
        enum doubt found = survey->members[i].doubt;
        if (found == ASLEEP && !looks_at_all) {
            continue;
        }
        sq__thread_state_t state = sq__thread_state(survey->members[i].thread_id);
        bool is_blocked = state == SQ__THREAD_BLOCKED || (state == SQ__THREAD_UNKNOWN && found == FOR_LONG);
        sample->asleep += is_blocked;
        sample->blocked += is_blocked && found >= NOW;
        sample->for_long += is_blocked && found == FOR_LONG;
    }
    sample->seated = count_seated(pool);
    sample->used_little = used_little;
}

static void set_seats(sq__part_t *part, unsigned seats) {
    sq__count(&part->pool->seats, seats - part->seats);
    part->seats = seats;
}

/* Where a new seat is of use: where entries wait, or if there may be no new members, where idle ones are. */
static bool needs_seat(const sq__part_t *part) {
    return sq__load_relaxed(&part->pool->members) < SQ__MOST_MEMBERS ? sq__part_has_ready(part) : part->idle_members > 0;
}

static void add_seats(sq__pool_t *pool, unsigned more) {
    unsigned left = 0;
    for (unsigned i = 0; i < pool->count; i += 1) {
        sq__part_t *part = &pool->parts[i];
        sq__mutex_lock(&part->lock);
        left += needs_seat(part);
        sq__mutex_unlock(&part->lock);
    }
    bool is_for_all = left == 0;
    left = is_for_all ? pool->count : left;
    for (unsigned i = 0; i < pool->count && left > 0; i += 1) {
        sq__part_t *part = &pool->parts[i];
        sq__mutex_lock(&part->lock);
        if (is_for_all || needs_seat(part)) {
            unsigned share = (more + left - 1) / left;
            set_seats(part, part->seats + share);
            more -= share;
            left -= 1;
        }
        sq__part_unlock(part);
    }
}

static void take_seats_back(sq__pool_t *pool, unsigned surplus) {
    for (unsigned i = 0; i < pool->count && surplus > 0; i += 1) {
        sq__part_t *part = &pool->parts[i];
        sq__mutex_lock(&part->lock);
        unsigned more = part->seats - part->seats_at_rest, less = more < surplus ? more : surplus;
        set_seats(part, part->seats - less);
        surplus -= less;
        sq__part_unlock(part);
    }
}

unsigned sq__growth_seats(const sq__sample_t *sample) {
    unsigned seats = sample->seats, kept = sample->seats_at_rest + sample->asleep;
    if (sample->for_long > sample->seated) {
        return seats; /* some have left their seats since they were counted */
    }
    if (sample->seated >= seats) {
        bool is_idle = sample->used_little && sample->asleep * 4 >= sample->seated * 3;
        unsigned moving = sample->seated - sample->for_long;
        if (is_idle || (sample->is_stuck && sample->blocked == sample->seated)) {
            seats *= 3;
        } else if (sample->is_stuck && moving < sample->seats_at_rest) {
            seats += sample->seats_at_rest - moving;
        }
    }
    if (sample->has_surplus && kept < seats) {
        seats = kept;
    }
    return seats < sample->most ? seats : sample->most;
}

/* True: several checks in a row have found more members not blocked than seats at rest; then they are counted anew. */
static bool has_surplus(sq__pool_t *pool, const sq__sample_t *sample) {
    bool moves = sample->seated > pool->seats_at_rest + sample->blocked, is_long = moves && pool->checks_with_surplus >= SQ__CHECKS_WITHOUT_USE;
    pool->checks_with_surplus = moves && !is_long ? pool->checks_with_surplus + 1 : 0;
    return is_long;
}

/* While entries wait. */
static void adjust_seats(sq__pool_t *pool, survey_t *survey) {
    sq__sample_t *sample = &survey->sample;
    unsigned seats = sample->seats = sq__load_relaxed(&pool->seats);
    sample->seats_at_rest = pool->seats_at_rest;
    sample->most = pool->most;
    if (seats == pool->seats_at_rest && (count_seated(pool) < seats || seats == pool->most)) {
        pool->window_checks = 0; /* it neither may grow nor has grown */
        return;
    }
    count_blocked(pool, survey);
    sample->has_surplus = has_surplus(pool, sample);
    unsigned wanted = sq__growth_seats(sample);
    if (wanted > seats) {
        add_seats(pool, wanted - seats);
    } else if (wanted < seats) {
        take_seats_back(pool, seats - wanted);
    }
}

/* Once a second. Takes back all unused seats, if no entry waits, and returns the members to be dismissed. */
static sq__member_t *shrink(sq__part_t *part) {
    unsigned needed = sq__load_relaxed(&part->seated) + part->seats_at_rest;
    if (!sq__part_has_ready(part) && part->seats > needed) {
        set_seats(part, needed);
    }
    unsigned staying = part->members - part->leaving;
    unsigned surplus = staying > part->seats_at_rest ? staying - part->seats_at_rest : 0;
    sq__member_t *picked = sq__members_pick_idle(part, surplus < part->fewest_idle ? surplus : part->fewest_idle);
    part->fewest_idle = part->idle_members;
    return picked;
}

/* Wakes or starts a member for each free seat, while entries wait here or in another part. Called with the lock, which it releases in between. */
static void seat_all(sq__part_t *part) {
    unsigned free = part->seats > sq__load_relaxed(&part->seated) ? part->seats - sq__load_relaxed(&part->seated) : 0;
    for (; free > 0 && (sq__part_has_ready(part) || sq__part_others_wait(part)); free -= 1) {
        sq__members_fill_seat_and_unlock(part);
        sq__mutex_lock(&part->lock);
    }
}

static void finish(sq__part_t *part, bool came_soon) {
    sq__member_t *picked = NULL;
    sq__mutex_lock(&part->lock);
    part->lacks_thread = false; /* to try again */
    seat_all(part);
    part->checks += came_soon ? 1 : CHECKS_A_SECOND;
    if (part->checks >= CHECKS_A_SECOND) {
        part->checks = 0;
        picked = shrink(part);
    }
    part->seen = part->taken + sq__load_relaxed(&part->waiting);
    if (sq__part_has_ready(part) || part->seats > part->seats_at_rest || part->members > part->seats_at_rest) {
        sq__growth_schedule(part, sq__part_has_ready(part));
    }
    sq__part_unlock(part);
    sq__members_dismiss(picked);
}

void sq__growth_check(sq__alarm_t *alarm) {
    sq__pool_t *pool = SQ__CONTAINER(alarm, sq__pool_t, alarm);
    bool came_soon = sq__growth_begin_check(pool);
    survey_t survey = { .waits = false };
    for (unsigned i = 0; i < pool->count; i += 1) {
        look(&pool->parts[i], &survey);
    }
    if (survey.waits) {
        adjust_seats(pool, &survey);
    } else {
        pool->window_checks = 0; /* the next window begins when entries wait again: what was idle in between says nothing */
    }
    for (unsigned i = 0; i < pool->count; i += 1) {
        finish(&pool->parts[i], came_soon);
    }
    sq__part_left(pool);
}

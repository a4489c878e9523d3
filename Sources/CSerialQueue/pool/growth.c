/* growth.c: when a pool gets more permits, and when it loses them. Numbers of workers and permits are those of all its shards.
 *
 * DESIGN. sq__growth_permits is the rule: from what a check finds it says how many permits the pool is to have. A check comes some milliseconds after
 * an entry found no free permit, and again as long as entries wait. Growth must help. If an entry that was waiting at the last check still waits:
 *
 *     - All workers with a permit are blocked: nothing moves. The pool gets three times as many permits.
 *     - Only some are blocked: entries are still taken, only later. A worker that many checks have found blocked in the
 *       same entry is replaced, by one permit.
 *
 * Whatever waits, as long as no permit is free:
 *
 *     - Workers block briefly, again and again: tasks end, and the processors are idle. If the workers have used less than half a
 *       processor over several checks (a window), and most of them are asleep when it ends, permits are added as if all were
 *       blocked. A lock that they contend for is no such case: its owner runs.
 *     - Workers that were blocked continue. If several checks in a row find more workers running than the pool has base permits, it
 *       loses its additional permits, even while entries wait. It keeps one for each worker that is asleep then. A worker leaves its
 *       permit after its entry.
 *
 * A worker counts as blocked if several checks in a row find it in the same entry, its thread has used no processor time in
 * between, and the system says that the thread is not waiting for a processor. A thread that waits for a contended lock, such
 * as malloc's, wakes now and then and uses a little time; another worker would only wait for the same lock. Such a worker
 * counts as blocked after many checks. So does one about which the system says nothing (no file can be opened, or there is no
 * /proc).
 *
 * Once a second, workers that were idle the whole time are ended, down to the number at rest. While the pool has more permits or
 * workers than at rest and no entry waits, a check comes every second. */
#include "pool/workers.h"
#include "pool/growth.h"
#include "pool/growth_alarm.h"
#include "pool/search.h"
#include "pool/shards.h"
#include "pool/pool_internal.h"

#include "include/sq_private.h"
#include "platform/container.h"
#include "platform/thread.h"
#include "pool/ready.h"

/* A worker that has used this much processor time since the last check is computing. Nanoseconds: a twentieth of the time between checks. */
static const uint64_t computing = 100000;

/* A worker may count as blocked after this many checks in the same entry that found it using no processor time, */
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

/* What a check finds, in all shards. */
typedef struct survey {
    sq__sample_t sample;
    bool waits;          /* entries wait */
    unsigned count;      /* workers to ask the system about; of more, only the first ones */
    struct { uint64_t thread_id; enum doubt { NONE, ASLEEP, NOW, FOR_LONG } doubt; } workers[SQ__MOST_WORKERS]; /* ASLEEP: it is moving, but may be asleep */
} survey_t;

static unsigned count_in_use(const sq__pool_t *pool) {
    unsigned in_use = 0;
    for (unsigned i = 0; i < pool->count; i += 1) {
        in_use += sq__load_relaxed(&pool->shards[i].in_use);
    }
    return in_use;
}

static void look(sq__shard_t *shard, survey_t *survey) {
    sq__mutex_lock(&shard->lock);
    survey->waits |= sq__shard_has_ready(shard);
    survey->sample.is_stuck |= sq__load_relaxed(&shard->taken) < shard->seen;
    sq__mutex_unlock(&shard->lock);
}

/* With the worker's shard locked, once in each check. NONE: the worker has no permit, or is between two entries, where it may wait for the lock.
 * Otherwise counts the check, and adds the processor time to the pool's window. The result is how sure this check is. */
static enum doubt doubt(sq__pool_t *pool, sq__pool_worker_t *worker) {
    uint64_t entry = sq__load_relaxed(&worker->entry);
    bool is_same = entry == worker->entry_seen;
    worker->entry_seen = entry;
    if (worker->permit != SQ__PERMIT_TAKEN || !sq__load_relaxed(&worker->is_working)) {
        return NONE;
    }
    uint64_t used = sq__thread_processor_time(worker->thread_id), more = used - worker->used;
    worker->used = used;
    pool->window_used += more;
    worker->checks = is_same ? worker->checks + 1 : 0;
    worker->still = is_same && more == 0 ? worker->still + 1 : 0;
    return worker->checks >= SQ__CHECKS_WITH_LITTLE_USE && more < computing ? FOR_LONG
           : worker->still >= SQ__CHECKS_WITHOUT_USE                        ? NOW
                                                                        : ASLEEP;
}

/* For a check. Takes the lock. Adds the shard's workers that may be blocked to the survey, which has room for the first SQ__MOST_WORKERS of the
 * pool. */
static void doubt_workers(sq__shard_t *shard, survey_t *survey) {
    sq__mutex_lock(&shard->lock);
    for (sq__pool_worker_t *worker = shard->all; worker != NULL && survey->count < SQ__MOST_WORKERS; worker = worker->next) {
        enum doubt found = doubt(shard->pool, worker);
        if (found != NONE) {
            survey->workers[survey->count].thread_id = worker->thread_id;
            survey->workers[survey->count++].doubt = found;
        }
    }
    sq__mutex_unlock(&shard->lock);
}

/* Called before the workers are looked at; workers_used_little after it. */
static void begin_window(sq__pool_t *pool) {
    if (pool->window_checks == 0) {
        pool->window_used = 0;
        pool->window_began = sq__alarms_now(pool->alarms);
    }
    pool->window_checks += 1;
}

/* True: a window has ended, and the workers used less than half a processor in it. */
static bool workers_used_little(sq__pool_t *pool) {
    if (pool->window_checks <= WINDOW) {
        return false;
    }
    pool->window_checks = 0;
    return pool->window_used < (sq__alarms_now(pool->alarms) - pool->window_began) / 2;
}

/* For a check, while entries wait. Takes each shard's lock, and asks the system without one. Fills in in_use, blocked, for_long, asleep and
 * used_little of the sample. */
static void count_blocked(sq__pool_t *pool, survey_t *survey) {
    sq__sample_t *sample = &survey->sample;
    begin_window(pool);
    for (unsigned i = 0; i < pool->count; i += 1) {
        doubt_workers(&pool->shards[i], survey);
    }
    bool used_little = workers_used_little(pool), looks_at_all = used_little || pool->checks_with_surplus >= SQ__CHECKS_WITHOUT_USE;
    for (unsigned i = 0; i < survey->count; i += 1) {
        enum doubt found = survey->workers[i].doubt;
        if (found == ASLEEP && !looks_at_all) {
            continue;
        }
        sq__thread_state_t state = sq__thread_state(survey->workers[i].thread_id);
        bool is_blocked = state == SQ__THREAD_BLOCKED || (state == SQ__THREAD_UNKNOWN && found == FOR_LONG);
        sample->asleep += is_blocked;
        sample->blocked += is_blocked && found >= NOW;
        sample->for_long += is_blocked && found == FOR_LONG;
    }
    sample->in_use = count_in_use(pool);
    sample->used_little = used_little;
}

static void set_permits(sq__shard_t *shard, unsigned permits) {
    sq__count(&shard->pool->permits, permits - shard->permits);
    shard->permits = permits;
}

/* Where a new permit is of use: where entries wait, or if there may be no new workers, where idle ones are. */
static bool needs_permit(const sq__shard_t *shard) {
    return sq__load_relaxed(&shard->pool->workers) < SQ__MOST_WORKERS ? sq__shard_has_ready(shard) : shard->idle_workers > 0;
}

/* For a check. Gives `more` permits to the shards that need one, or to all if none does; fewer if a need has passed meanwhile. Takes each
 * shard's lock, one at a time. Wakes nobody: give_all_permits does. */
static void add_permits(sq__pool_t *pool, unsigned more) {
    unsigned left = 0;
    for (unsigned i = 0; i < pool->count; i += 1) {
        sq__shard_t *shard = &pool->shards[i];
        sq__mutex_lock(&shard->lock);
        left += needs_permit(shard);
        sq__mutex_unlock(&shard->lock);
    }
    bool is_for_all = left == 0;
    left = is_for_all ? pool->count : left;
    for (unsigned i = 0; i < pool->count && left > 0; i += 1) {
        sq__shard_t *shard = &pool->shards[i];
        sq__mutex_lock(&shard->lock);
        if (is_for_all || needs_permit(shard)) {
            unsigned share = (more + left - 1) / left;
            set_permits(shard, shard->permits + share);
            more -= share;
            left -= 1;
        }
        sq__shard_unlock(shard);
    }
}

/* For a check. Takes `surplus` of the permits that were added. A worker that has one of them leaves its permit after its entry. Takes each shard's
 * lock, one at a time. */
static void take_permits_back(sq__pool_t *pool, unsigned surplus) {
    for (unsigned i = 0; i < pool->count && surplus > 0; i += 1) {
        sq__shard_t *shard = &pool->shards[i];
        sq__mutex_lock(&shard->lock);
        unsigned more = shard->permits - shard->base_permits, less = more < surplus ? more : surplus;
        set_permits(shard, shard->permits - less);
        surplus -= less;
        sq__shard_end_search(shard); /* the searcher leaves its permit first */
        sq__shard_unlock(shard);
    }
}

unsigned sq__growth_permits(const sq__sample_t *sample) {
    unsigned permits = sample->permits, kept = sample->base_permits + sample->asleep;
    if (sample->for_long > sample->in_use) {
        return permits; /* some have left their permits since they were counted */
    }
    if (sample->in_use >= permits) {
        bool is_idle = sample->used_little && sample->asleep * 4 >= sample->in_use * 3;
        unsigned moving = sample->in_use - sample->for_long;
        if (is_idle || (sample->is_stuck && sample->blocked == sample->in_use)) {
            permits *= 3;
        } else if (sample->is_stuck && moving < sample->base_permits) {
            permits += sample->base_permits - moving;
        }
    }
    if (sample->has_surplus && kept < permits) {
        permits = kept;
    }
    return permits < sample->most ? permits : sample->most;
}

/* True: several checks in a row have found more workers not blocked than base permits; then they are counted anew. */
static bool has_surplus(sq__pool_t *pool, const sq__sample_t *sample) {
    bool moves = sample->in_use > pool->base_permits + sample->blocked, is_long = moves && pool->checks_with_surplus >= SQ__CHECKS_WITHOUT_USE;
    pool->checks_with_surplus = moves && !is_long ? pool->checks_with_surplus + 1 : 0;
    return is_long;
}

/* For a check, while entries wait; with no lock. Fills in the rest of the sample, and gives the pool as many permits as sq__growth_permits says.
 * Wakes nobody: give_all_permits does. */
static void adjust_permits(sq__pool_t *pool, survey_t *survey) {
    sq__sample_t *sample = &survey->sample;
    unsigned permits = sample->permits = sq__load_relaxed(&pool->permits);
    sample->base_permits = pool->base_permits;
    sample->most = pool->most;
    if (permits == pool->base_permits && (count_in_use(pool) < permits || permits == pool->most)) {
        pool->window_checks = 0; /* it neither may grow nor has grown */
        return;
    }
    count_blocked(pool, survey);
    sample->has_surplus = has_surplus(pool, sample);
    unsigned wanted = sq__growth_permits(sample);
    if (wanted > permits) {
        add_permits(pool, wanted - permits);
    } else if (wanted < permits) {
        take_permits_back(pool, permits - wanted);
    }
}

/* With the lock, once a second. If no entry waits, keeps only as many free permits as the shard has at rest. Returns the workers to be dismissed, or
 * NULL; the caller passes them to sq__workers_dismiss, after the unlock. */
static sq__pool_worker_t *shrink(sq__shard_t *shard) {
    unsigned needed = sq__load_relaxed(&shard->in_use) + shard->base_permits;
    if (!sq__shard_has_ready(shard) && shard->permits > needed) {
        set_permits(shard, needed);
    }
    unsigned staying = shard->workers - shard->leaving;
    unsigned surplus = staying > shard->base_permits ? staying - shard->base_permits : 0;
    sq__pool_worker_t *picked = sq__workers_pick_idle(shard, surplus < shard->fewest_idle ? surplus : shard->fewest_idle);
    shard->fewest_idle = shard->idle_workers;
    return picked;
}

/* Wakes or starts a worker for each free permit, while entries wait here or in another shard. Called with the lock, which it releases in between. */
static void give_all_permits(sq__shard_t *shard) {
    unsigned free = shard->permits > sq__load_relaxed(&shard->in_use) ? shard->permits - sq__load_relaxed(&shard->in_use) : 0;
    for (; free > 0 && (sq__shard_has_ready(shard) || sq__shard_others_wait(shard)); free -= 1) {
        sq__workers_use_permit_and_unlock(shard);
        sq__mutex_lock(&shard->lock);
    }
}

/* The end of a check, for each shard; takes its lock. Wakes or starts workers, once a second ends idle ones, and schedules the next check if one is
 * needed. `came_soon`: this check came milliseconds after it was scheduled, otherwise about a second. */
static void finish(sq__shard_t *shard, bool came_soon) {
    sq__pool_worker_t *picked = NULL;
    sq__mutex_lock(&shard->lock);
    shard->lacks_thread = false; /* to try again */
    give_all_permits(shard);
    shard->checks += came_soon ? 1 : CHECKS_A_SECOND;
    if (shard->checks >= CHECKS_A_SECOND) {
        shard->checks = 0;
        picked = shrink(shard);
    }
    shard->seen = sq__load_relaxed(&shard->taken) + sq__load_relaxed(&shard->waiting);
    if (sq__shard_has_ready(shard) || shard->permits > shard->base_permits || shard->workers > shard->base_permits) {
        sq__growth_schedule(shard, sq__shard_has_ready(shard));
    }
    sq__shard_unlock(shard);
    sq__workers_dismiss(picked);
}

void sq__growth_check(sq__alarm_t *alarm) {
    sq__pool_t *pool = SQ__CONTAINER(alarm, sq__pool_t, alarm);
    bool came_soon = sq__growth_begin_check(pool);
    survey_t survey = { .waits = false };
    for (unsigned i = 0; i < pool->count; i += 1) {
        look(&pool->shards[i], &survey);
    }
    if (survey.waits) {
        adjust_permits(pool, &survey);
    } else {
        pool->window_checks = 0; /* the next window begins when entries wait again: what was idle in between says nothing */
    }
    for (unsigned i = 0; i < pool->count; i += 1) {
        finish(&pool->shards[i], came_soon);
    }
    sq__shard_left(pool);
}

#include "pool/workers.h"

#include "alarm/alarm.h"
#include "platform/memory.h"
#include "platform/container.h"
#include "platform/probe.h"
#include "platform/thread.h"
#include "pool/growth_alarm.h"
#include "pool/search.h"
#include "pool/shards.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "runner/runner_inline.h"
#include "thread/self.h"
#include "trace/trace.h"

#include <errno.h>

static bool serve(void *argument);

/* Workers begin and end */

/* Adds `more`, or subtracts one if it is -1u, and shows the count to probes and traces. */
static void count_workers(sq__pool_t *pool, unsigned more) {
    unsigned workers = sq__add_relaxed(&pool->workers, more) + more, permits = sq__load_relaxed(&pool->permits);
    SQ__PROBE4(pool, pool, offsetof(struct sq_pool, label), workers, permits);
    if (sq__trace_is_on()) {
        sq__trace_text(pool->label);
        sq__trace_event(SQ__EVENT_POOL, 0, 0, workers, permits);
    }
}

/* Without the lock. The caller has counted the new worker in shard->workers, so that the pool is not freed meanwhile, and its permit, if that is
 * TAKEN. Returns 0 and *result, which waits for its first post; or ENOMEM: the caller takes its counts back. */
static int recruit(sq__shard_t *shard, sq__permit_t permit, sq__pool_worker_t **result) {
    const sq__pool_t *pool = shard->pool;
    sq__pool_worker_t *worker = sq__memory(sizeof *worker);
    if (worker == NULL) {
        return ENOMEM;
    }
    *worker = (sq__pool_worker_t){ .shard = shard, .permit = permit };
    const sq__thread_kind_t kind = { .name = pool->label, .stack_size = pool->stack_size, .service = pool->service };
    int error = sq__worker_start(&worker->thread, serve, worker, &kind);
    if (error) {
        sq__memory_free(worker);
        return error;
    }
    sq__mutex_lock(&shard->lock);
    worker->next = shard->all;
    shard->all = worker;
    sq__mutex_unlock(&shard->lock);
    *result = worker;
    return 0;
}

/* With the lock. */
static void strike_off(sq__shard_t *shard, const sq__pool_worker_t *worker) {
    sq__pool_worker_t **link = &shard->all;
    while (*link != worker) {
        link = &(*link)->next;
    }
    *link = worker->next;
}

/* With the lock, which it releases: counts one worker less. The last one of all frees the pool. */
static void leave_and_unlock(sq__shard_t *shard) {
    shard->workers -= 1;
    count_workers(shard->pool, -1u);
    sq__shard_leave_and_unlock(shard);
}

/* With the lock. */
static void change_permit(sq__shard_t *shard, sq__pool_worker_t *worker, sq__permit_event_t event) {
    const sq__permit_step_t step = sq__permit_step(worker->permit, event);
    worker->permit = step.permit;
    sq__count(&shard->in_use, (unsigned)step.more);
}

static void make_idle(sq__shard_t *shard, sq__pool_worker_t *worker) {
    worker->next_idle = shard->idle;
    shard->idle = worker;
    shard->idle_workers += 1;
    shard->lacks_thread = false;
}

/* With the lock. Takes the worker that became idle last from the list; its permit is still NONE. NULL: none is idle. */
static sq__pool_worker_t *take_idle(sq__shard_t *shard) {
    sq__pool_worker_t *worker = shard->idle;
    if (worker != NULL) {
        shard->idle = worker->next_idle;
        shard->idle_workers -= 1;
        if (shard->idle_workers < shard->fewest_idle) {
            shard->fewest_idle = shard->idle_workers;
        }
    }
    return worker;
}

int sq__workers_begin(sq__pool_t *pool) {
    int error = sq__alarms_shared(&pool->alarms);
    if (error) {
        return error;
    }
    sq__pool_worker_t *worker;
    sq__shard_t *shard = sq__shard_own(pool); /* which the caller will post to */
    shard->workers = 1;
    count_workers(pool, 1);
    error = recruit(shard, SQ__PERMIT_NONE, &worker);
    if (error) {
        sq__alarms_release(pool->alarms);
        return error;
    }
    make_idle(shard, worker); /* it waits for its first post; nobody else knows the pool yet */
    return 0;
}

static bool has_work(sq__shard_t *shard) {
    return sq__shard_wants_worker(shard) || sq__shard_others_wait(shard);
}

/* With a shard's lock; takes lists_lock. True: all workers of the pool sleep in the library, or idle. Of several that go to sleep at a time, the last
 * one to look sees that the others have lent their permits. */
static bool no_permit_is_in_use(sq__pool_t *pool) {
    unsigned in_use = 0;
    sq__mutex_lock(&pool->lists_lock);
    for (unsigned i = 0; i < pool->count; i += 1) {
        in_use += sq__load_relaxed(&pool->shards[i].in_use);
    }
    sq__mutex_unlock(&pool->lists_lock);
    return in_use == 0;
}

/* With the lock. True: there may be one worker more. Also beyond the limit, if all workers sleep in the library: what
 * they wait for may be among the entries. */
static bool may_recruit(sq__shard_t *shard) {
    unsigned workers = sq__load_relaxed(&shard->pool->workers);
    return workers < SQ__MOST_WORKERS || workers < shard->pool->base_permits
           || (has_work(shard) && no_permit_is_in_use(shard->pool));
}

/* With the lock, which it releases, while a permit is free: wakes or starts a worker for it. Returns NULL, and the pool may be freed; or another
 * shard that has to take what waits here. It is from sq__shard_find_free, so the caller calls sq__shard_left. */
static sq__shard_t *fill_and_unlock(sq__shard_t *shard) {
    sq__shard_t *other = NULL;
    sq__pool_worker_t *worker = take_idle(shard);
    bool recruits = worker == NULL && may_recruit(shard);
    if (worker != NULL) {
        sq__search_begin(shard, worker);
        change_permit(shard, worker, SQ__PERMIT_GET); /* from now on, not from when it runs: a growth check must not count it as blocked */
    }
    if (recruits) {
        shard->workers += 1;
        count_workers(shard->pool, 1);
        sq__count(&shard->in_use, 1);
    }
    shard->lacks_thread = worker == NULL && !recruits;
    if (shard->lacks_thread) {
        other = sq__shard_find_free(shard);
    }
    if (shard->workers > shard->base_permits) {
        sq__growth_schedule(shard, false); /* so that it is ended when it is no longer needed */
    }
    sq__shard_unlock(shard);
    if (recruits && recruit(shard, SQ__PERMIT_TAKEN, &worker) != 0) {
        sq__mutex_lock(&shard->lock);
        sq__count(&shard->in_use, -1u);
        shard->lacks_thread = true;
        other = sq__shard_find_free(shard);
        sq__growth_schedule(shard, true); /* to try again */
        leave_and_unlock(shard);
    }
    if (worker != NULL) {
        sq__worker_post(worker->thread); /* its permit was taken for it above */
    }
    return other;
}

/* The same, if something is ready and a permit is free. If none is free, it may return another shard as well. */
static sq__shard_t *use_permit_and_unlock(sq__shard_t *shard) {
    sq__shard_t *other = NULL;
    if (has_work(shard)) {
        if (sq__load_relaxed(&shard->in_use) < shard->permits) {
            return fill_and_unlock(shard);
        }
        if (sq__shard_has_ready(shard) && sq__load_relaxed(&shard->pool->permits) < shard->pool->most) {
            sq__growth_schedule(shard, true);
        }
        other = shard->pool->count > 1 ? sq__shard_find_free(shard) : NULL; /* also for what waits elsewhere: see shards.h */
    }
    sq__shard_unlock(shard);
    return other;
}

void sq__workers_use_permit_and_unlock(sq__shard_t *shard) {
    sq__shard_t *other = use_permit_and_unlock(shard);
    while (other != NULL) {
        sq__pool_t *pool = other->pool;
        sq__mutex_lock(&other->lock);
        other = use_permit_and_unlock(other);
        sq__shard_left(pool);
    }
}

/* A worker's work */

/* With the lock, which it may release in between, by a worker with a permit. NULL: there is none. */
static sq__ready_t *take_entry(sq__shard_t *shard, sq__level_t *level) {
    sq__shard_t *other = shard->pool->count > 1 ? sq__shard_to_help(shard) : NULL;
    sq__ready_t *entry = other != NULL ? sq__shard_take_from(shard, other, level) : NULL;
    return entry != NULL ? entry : sq__shard_take_first(shard, level);
}

/* With the lock, which it may release in between: the next entry, of level *level, of a worker that has a permit. NULL: it has left its permit. */
static sq__ready_t *next_entry(sq__shard_t *shard, sq__pool_worker_t *worker, sq__level_t *level) {
    sq__ready_t *entry = NULL;
    const sq__pool_t *pool = shard->pool;
    bool stays = sq__load_relaxed(&shard->in_use) <= shard->permits;
    sq__slot_move(shard);
    if (!stays && sq__shard_has_ready(shard) && sq__load_relaxed(&pool->permits) < pool->most) {
        sq__growth_schedule(shard, true); /* it leaves its permit to a worker that has taken its own back: an entry waits again */
    }
    while (stays && (entry = take_entry(shard, level)) == NULL && sq__shard_search(shard, worker)) {
        stays = sq__load_relaxed(&shard->in_use) <= shard->permits;
    }
    sq__count(&worker->entry, 1);
    if (entry == NULL) {
        change_permit(shard, worker, SQ__PERMIT_LEAVE);
    }
    return entry;
}

/* Without the lock, by a worker with a permit. SQ__READY_MORE: the caller puts the entry back. SQ__READY_GONE: the entry may be freed. */
static sq__ready_end_t run_entry(const sq__pool_t *pool, sq__level_t level, sq__ready_t *entry) {
    size_t ran = 0;
    if (level == SQ__LEVEL_HELP) {
        sq__help_t *help = SQ__CONTAINER(entry, sq__help_t, ready);
        return help->call(help);
    }
    return pool->call(entry, SQ__BATCH, &ran);
}

/* With the lock, after run_entry: the entry has more to do. */
static void put_back(sq__shard_t *shard, sq__level_t level, sq__ready_t *entry) {
    sq__slot_move(shard); /* it was posted before */
    if (sq__load_relaxed(&shard->pool->listed) == 0 || !sq__pool_give_to_caller(shard->pool, entry)) {
        sq__shard_append(shard, level, entry);
    }
}

/* The thread's function. The worker has a permit when it is called, or is to be dismissed. True: the worker idles, without a permit. False: the
 * thread ends; the worker is freed, and perhaps the pool. In the child of a fork they are left as they are. */
static bool serve(void *argument) {
    sq__pool_worker_t *worker = argument;
    sq__shard_t *shard = worker->shard;
    sq__pool_t *pool = shard->pool;
    sq__ready_t *entry;
    sq__level_t level;
    sq__self()->pool_worker = worker;
    sq__self()->runner = sq__runner(pool, SQ__LEVEL_NORMAL);
    sq__mutex_lock(&shard->lock);
    sq__search_end(shard, worker);
    if (worker->thread_id == 0) {
        worker->thread_id = sq__thread_id();
    }
    while (worker->permit != SQ__PERMIT_LOST && (entry = next_entry(shard, worker, &level)) != NULL) {
        sq__store_relaxed(&worker->is_working, true);
        if (sq__shard_has_ready(shard)) {
            sq__workers_use_permit_and_unlock(shard); /* one more worker, for what was put back or was in the slot */
        } else {
            sq__shard_unlock(shard);
        }
        sq__ready_end_t end = run_entry(pool, level, entry);
        while (end == SQ__READY_GONE && sq__slot_is_filled(shard) && !sq__pool_is_stale(pool) && (entry = sq__slot_take(shard, &level)) != NULL) {
            sq__count(&worker->entry, 1);
            end = run_entry(pool, level, entry);
        }
        sq__store_relaxed(&worker->is_working, false);
        if (sq__pool_is_stale(pool)) { /* a task has forked, and this is the child: the entries are the parent's */
            return false;
        }
        sq__mutex_lock(&shard->lock);
        if (end == SQ__READY_MORE) {
            put_back(shard, level, entry);
        }
    }
    bool is_dismissed = worker->permit == SQ__PERMIT_LOST;
    if (is_dismissed || shard->has_ended) {
        strike_off(shard, worker);
        shard->leaving -= is_dismissed;
        sq__self()->pool_worker = NULL;
        sq__self()->runner = 0;
        leave_and_unlock(shard);
        sq__memory_free(worker);
        return false;
    }
    make_idle(shard, worker);
    if (pool->count > 1) {
        sq__workers_use_permit_and_unlock(shard); /* calls itself, if entries wait in another shard */
    } else {
        sq__mutex_unlock(&shard->lock);
    }
    return true;
}

void sq__pool_lend_permit(sq__pool_worker_t *worker) {
    sq__shard_t *shard = worker->shard;
    if (sq__pool_is_stale(shard->pool)) {
        return;
    }
    sq__mutex_lock(&shard->lock);
    shard->lacks_thread = false; /* to try again: a poster at the limit of workers may have seen this one in_use, and ends at a free shard */
    change_permit(shard, worker, SQ__PERMIT_LEND);
    sq__shard_end_search(shard); /* the entry that this task has put into the slot is taken now */
    sq__workers_use_permit_and_unlock(shard);
}

void sq__pool_take_permit(sq__pool_worker_t *worker) {
    sq__shard_t *shard = worker->shard;
    if (sq__pool_is_stale(shard->pool)) {
        return;
    }
    sq__mutex_lock(&shard->lock);
    change_permit(shard, worker, SQ__PERMIT_TAKE_BACK);
    sq__shard_end_search(shard); /* if there is one permit too many, it leaves its own */
    sq__shard_unlock(shard);
}

/* The end of workers */

sq__pool_worker_t *sq__workers_pick_idle(sq__shard_t *shard, unsigned workers) {
    sq__pool_worker_t *picked = NULL;
    for (sq__pool_worker_t *worker; workers > 0 && (worker = take_idle(shard)) != NULL; workers -= 1) {
        change_permit(shard, worker, SQ__PERMIT_DISMISS);
        shard->leaving += 1;
        worker->next_idle = picked;
        picked = worker;
    }
    return picked;
}

void sq__workers_dismiss(sq__pool_worker_t *picked) {
    while (picked != NULL) {
        sq__pool_worker_t *next = picked->next_idle; /* read first: after the post the worker may be freed */
        sq__worker_post(picked->thread);
        picked = next;
    }
}

static void end_shard(sq__shard_t *shard) {
    sq__mutex_lock(&shard->lock);
    shard->has_ended = true;
    sq__shard_end_search(shard);
    sq__pool_worker_t *picked = sq__workers_pick_idle(shard, shard->workers);
    sq__shard_leave_and_unlock(shard); /* frees the pool if no shard has a worker */
    sq__workers_dismiss(picked);
}

void sq__workers_end(sq__pool_t *pool) {
    sq__shard_t *shards = pool->shards;
    sq__growth_end(pool);
    for (unsigned i = 0, count = pool->count; i < count; i += 1) {
        end_shard(&shards[i]); /* the last one may free the pool */
    }
}

#include "pool/caller_runs.h"

#include "pool/pool.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "runner/runner_inline.h"
#include "thread/self.h"

/* The order of the classes; higher is sooner. */
static int rank(sq_service_t service) {
    switch (service) {
    case SQ_SERVICE_INTERACTIVE:
        return 3;
    case SQ_SERVICE_DEFAULT:
        return 2;
    case SQ_SERVICE_UTILITY:
        return 1;
    default:
        return 0;
    }
}

static bool is_of_lower_class(const sq__pool_t *pool) {
    const sq__pool_worker_t *worker = sq__self()->pool_worker;
    sq_service_t own = worker != NULL ? worker->shard->pool->service : SQ_SERVICE_DEFAULT;
    return rank(pool->service) < rank(own);
}

bool sq__caller_serves(sq__runner_t runner, bool is_turn) { return is_turn && runner & SQ__HELPED && is_of_lower_class(sq__runner_object(runner)); }

/* By the thread that waits, with no lock. True: it has run one task; is_given: the entry has more, and is still the thread's. False: the entry was
 * neither ready nor given, or this is the child of a fork; also if not `runs`, which nobody asks of a pool. */
bool sq__caller_run(sq__runner_t runner, sq__caller_run_t *caller_run, bool runs) {
    sq__pool_t *pool = sq__runner_object(runner);
    size_t ran = 0;
    if (!runs || sq__pool_is_stale(pool)) { /* a task has forked, and this is the child */
        return false;
    }
    if (!caller_run->is_given && !sq__pool_withdraw(pool, sq__runner_level(runner), caller_run->entry)) {
        return false;
    }
    caller_run->is_given = pool->call(caller_run->entry, 1, &ran) == SQ__READY_MORE;
    return true;
}

/* Not in the child of a fork: that wait has ended before, with ESTALE. Takes lists_lock, then each shard's lock, one at a time. Lists the thread
 * until it is given the entry, or calls unlist. True: the entry is ready, so the thread
 * must not sleep. */
static bool list(sq__pool_t *pool, sq__caller_run_t *caller_run) {
    bool is_ready = false;
    sq__level_t level;
    sq__mutex_lock(&pool->lists_lock);
    caller_run->next = pool->callers;
    pool->callers = caller_run;
    sq__count(&pool->listed, 1);
    sq__mutex_unlock(&pool->lists_lock);
    for (unsigned i = 0; i < pool->count && !is_ready; i += 1) {
        sq__shard_t *shard = &pool->shards[i];
        sq__mutex_lock(&shard->lock);
        is_ready = sq__ready_find(&shard->ready, caller_run->entry, &level);
        sq__mutex_unlock(&shard->lock);
    }
    return is_ready;
}

/* By the thread that waits, which is awake. Removes it from the list, unless it was given the entry, and forgets earlier wakes of its token. */
static void unlist(sq__pool_t *pool, const sq__caller_run_t *caller_run) {
    sq__mutex_lock(&pool->lists_lock);
    for (sq__caller_run_t **link = &pool->callers; *link != NULL; link = &(*link)->next) {
        if (*link == caller_run) {
            sq__pool_unlist(pool, link);
            break;
        }
    }
    sq__mutex_unlock(&pool->lists_lock);
    sq__token_forget_wake(caller_run->token); /* else the next sleep of this wait would end at once */
}

bool sq__caller_listen(sq__runner_t runner, sq__caller_run_t *caller_run, bool listens) {
    if (listens) {
        return list(sq__runner_object(runner), caller_run);
    }
    unlist(sq__runner_object(runner), caller_run);
    return false;
}

void sq__caller_leave(sq__runner_t runner, sq__caller_run_t *caller_run) {
    sq__pool_t *pool = sq__runner_object(runner);
    if (caller_run->is_given && !sq__pool_is_stale(pool)) {
        sq__pool_post(pool, sq__runner_level(runner), caller_run->entry);
    }
}

bool sq__pool_has_listed(const sq__pool_t *pool) { return sq__load_relaxed(&pool->listed) != 0; }

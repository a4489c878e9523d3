#include "pool/caller_runs.h"

#include "pool/post.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
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

bool sq__pool_is_of_lower_class(const sq__pool_t *pool) {
    const sq__member_t *member = sq__self()->member;
    sq_service_t own = member != NULL ? member->part->pool->service : SQ_SERVICE_DEFAULT;
    return rank(pool->service) < rank(own);
}

bool sq__pool_caller_run(sq__pool_t *pool, sq__band_t band, sq__caller_run_t *caller_run) {
    size_t ran = 0;
    if (sq__pool_is_stale(pool)) { /* a task has forked, and this is the child */
        return false;
    }
    if (!caller_run->is_given && !sq__pool_withdraw(pool, band, caller_run->entry)) {
        return false;
    }
    caller_run->is_given = pool->call(caller_run->entry, 1, &ran) == SQ__READY_MORE;
    return true;
}

bool sq__pool_list_caller(sq__pool_t *pool, sq__caller_run_t *caller_run) {
    bool is_ready = false;
    sq__band_t band;
    sq__mutex_lock(&pool->lists_lock);
    caller_run->next = pool->caller_run;
    pool->caller_run = caller_run;
    sq__count(&pool->listed, 1);
    sq__mutex_unlock(&pool->lists_lock);
    for (unsigned i = 0; i < pool->count && !is_ready; i += 1) {
        sq__part_t *part = &pool->parts[i];
        sq__mutex_lock(&part->lock);
        is_ready = sq__ready_find(&part->ready, caller_run->entry, &band);
        sq__mutex_unlock(&part->lock);
    }
    return is_ready;
}

void sq__pool_unlist_caller(sq__pool_t *pool, sq__caller_run_t *caller_run) {
    sq__mutex_lock(&pool->lists_lock);
    for (sq__caller_run_t **link = &pool->caller_run; *link != NULL; link = &(*link)->next) {
        if (*link == caller_run) {
            sq__pool_unlist(pool, link);
            break;
        }
    }
    sq__mutex_unlock(&pool->lists_lock);
    sq__token_forget_nudge(caller_run->token); /* else the next sleep of this wait would end at once */
}

void sq__pool_end_caller(sq__pool_t *pool, sq__band_t band, sq__caller_run_t *caller_run) {
    if (caller_run->is_given && !sq__pool_is_stale(pool)) {
        sq__pool_post(pool, band, caller_run->entry);
    }
}

bool sq__pool_has_listed(const sq__pool_t *pool) { return sq__load_relaxed(&pool->listed) != 0; }

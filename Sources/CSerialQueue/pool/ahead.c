#include "pool/ahead.h"

#include "pool/pool.h"
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
    sq_service_t own = member != NULL ? member->pool->service : SQ_SERVICE_DEFAULT;
    return rank(pool->service) < rank(own);
}

bool sq__pool_run_ahead(sq__pool_t *pool, sq__ahead_t *ahead) {
    size_t ran = 0;
    if (!ahead->is_given) {
        sq__mutex_lock(&pool->lock);
        bool is_ready = sq__pool_take_out(pool, ahead->band, ahead->entry);
        sq__mutex_unlock(&pool->lock);
        if (!is_ready) {
            return false;
        }
    }
    ahead->is_given = pool->call(ahead->entry, 1, &ran) == SQ__READY_MORE;
    return true;
}

bool sq__pool_list_ahead(sq__pool_t *pool, sq__ahead_t *ahead) {
    sq__mutex_lock(&pool->lock);
    bool is_ready = sq__pool_is_ready(pool, ahead->band, ahead->entry);
    if (!is_ready) {
        ahead->next = pool->ahead;
        pool->ahead = ahead;
        sq__count(&pool->listed, 1);
    }
    sq__mutex_unlock(&pool->lock);
    return !is_ready;
}

void sq__pool_unlist_ahead(sq__pool_t *pool, sq__ahead_t *ahead) {
    sq__mutex_lock(&pool->lock);
    for (sq__ahead_t **link = &pool->ahead; *link != NULL; link = &(*link)->next) {
        if (*link == ahead) {
            sq__pool_unlist(pool, link);
            break;
        }
    }
    sq__mutex_unlock(&pool->lock);
    sq__token_forget_nudge(ahead->token); /* else the next sleep of this wait would end at once */
}

void sq__pool_end_ahead(sq__pool_t *pool, sq__ahead_t *ahead) {
    if (ahead->is_given && !sq__pool_is_stale(pool)) {
        sq__pool_post(pool, ahead->band, ahead->entry);
    }
}

bool sq__pool_has_listed(const sq__pool_t *pool) { return sq__load_relaxed(&pool->listed) != 0; }

#include "pool/offers.h"

#include "platform/list.h"
#include "platform/memory.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "thread/self.h"

/* With lists_lock. */
static void list(sq__pool_t *pool, sq__offer_t *offer) {
    SQ__LIST_APPEND(pool->helps_end, offer);
    sq__count(&pool->offered, 1);
}

static void unlist(sq__pool_t *pool, sq__offer_t *offer) {
    if (offer->link != NULL) {
        SQ__LIST_REMOVE_FROM(pool->helps_end, offer);
        sq__count(&pool->offered, (size_t)-1);
    }
}

/* With lists_lock, which it releases. The last one to leave frees the offer. */
static void leave_and_unlock(sq__pool_t *pool, sq__offer_t *offer) {
    offer->users -= 1;
    bool is_last = offer->users == 0;
    sq__mutex_unlock(&pool->lists_lock);
    if (is_last) {
        sq__memory_free(offer);
    }
}

unsigned sq__pool_helpers(const sq__pool_t *pool) {
    if (sq__pool_is_stale(pool)) {
        return 0;
    }
    const sq__member_t *member = sq__self()->member;
    bool has_seat = member != NULL && member->part->pool == pool;
    bool is_by_processors = pool->most > pool->seats_at_rest; /* then the caller has one of them */
    return pool->seats_at_rest - (has_seat || is_by_processors); /* a manual pool has no seats */
}

void sq__offer_list(sq__pool_t *pool, sq__offer_t *offer) {
    sq__mutex_lock(&pool->lists_lock);
    list(pool, offer);
    sq__mutex_unlock(&pool->lists_lock);
}

sq__offer_t *sq__offer_take(sq__pool_t *pool) {
    sq__mutex_lock(&pool->lists_lock);
    sq__offer_t *offer = pool->helps;
    if (offer != NULL) {
        offer->users += 1;
        offer->wanted -= 1;
        unlist(pool, offer);
        if (offer->wanted > 0) {
            list(pool, offer); /* behind the others */
        }
    }
    sq__mutex_unlock(&pool->lists_lock);
    return offer;
}

void sq__offer_leave(sq__pool_t *pool, sq__offer_t *offer, bool has_more) {
    sq__mutex_lock(&pool->lists_lock);
    if (!has_more || offer->is_over) {
        unlist(pool, offer); /* there is nothing to do for those that it still wants */
    } else {
        offer->wanted += 1;
        if (offer->link == NULL) {
            list(pool, offer);
        }
    }
    leave_and_unlock(pool, offer);
}

void sq__pool_take_back(sq__pool_t *pool, sq__offer_t *offer) {
    sq__mutex_lock(&pool->lists_lock);
    offer->is_over = true;
    unlist(pool, offer);
    leave_and_unlock(pool, offer);
}

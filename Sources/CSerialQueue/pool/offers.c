#include "pool/offers.h"

#include "platform/list.h"
#include "platform/memory.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "thread/self.h"

/* Each with the lock. */

void sq__offer_list(sq__pool_t *pool, sq__offer_t *offer) {
    SQ__LIST_APPEND(pool->helps_end, offer);
}

static void unlist(sq__pool_t *pool, sq__offer_t *offer) {
    SQ__LIST_REMOVE_FROM(pool->helps_end, offer);
}

/* True: the caller was the last, and frees it. */
static bool leave(sq__offer_t *offer) {
    offer->users -= 1;
    return offer->users == 0;
}

unsigned sq__pool_helpers(const sq__pool_t *pool) {
    if (sq__pool_is_stale(pool)) {
        return 0;
    }
    const sq__member_t *member = sq__self()->member;
    bool has_seat = member != NULL && member->pool == pool;
    bool is_by_processors = pool->most > pool->seats_at_rest; /* then the caller has one of them */
    return pool->seats_at_rest - (has_seat || is_by_processors); /* a manual pool has no seats */
}

sq__offer_t *sq__offer_take(sq__pool_t *pool) {
    sq__offer_t *offer = pool->helps;
    offer->users += 1;
    offer->wanted -= 1;
    unlist(pool, offer);
    if (offer->wanted > 0) {
        sq__offer_list(pool, offer); /* behind the others */
    }
    pool->helped += 1;
    return offer;
}

void sq__offer_leave(sq__pool_t *pool, sq__offer_t *offer, bool has_more) {
    if (has_more && !offer->is_over) {
        offer->wanted += 1;
        if (offer->link == NULL) {
            sq__offer_list(pool, offer);
        }
    } else if (offer->link != NULL) { /* there is nothing to do for those that it still wants */
        unlist(pool, offer);
    }
    if (leave(offer)) {
        sq__memory_free(offer);
    }
}

void sq__pool_take_back(sq__pool_t *pool, sq__offer_t *offer) {
    sq__mutex_lock(&pool->lock);
    offer->is_over = true;
    if (offer->link != NULL) {
        unlist(pool, offer);
    }
    bool is_last = leave(offer);
    sq__mutex_unlock(&pool->lock);
    if (is_last) {
        sq__memory_free(offer);
    }
}

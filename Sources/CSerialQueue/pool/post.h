/* post.h: what comes into a pool's lists from outside, and out of them again. */
#pragma once

#include "pool/pool_types.h"

/* Makes the entry ready, so that the pool will run it. The pool may be freed on return. */
void sq__pool_post(sq__pool_t *pool, sq__band_t band, sq__ready_t *entry);

/* Offers the offer to `wanted` members, at least 1. */
void sq__pool_offer(sq__pool_t *pool, sq__offer_t *offer, unsigned wanted);

/* Removes a posted entry. False: a thread has taken it; it may have put it back since. */
bool sq__pool_withdraw(sq__pool_t *pool, sq__band_t band, const sq__ready_t *entry);

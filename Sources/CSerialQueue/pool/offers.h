/* offers.h: work that a pool's members share with the thread that offers it.
 *
 * DESIGN. The thread does the work itself, and offers it to the pool at the same time. An offer is in a list of its own, next to the ready
 * entries, and says how many members it wants. A member with a seat takes an offer or an entry, alternately while there are
 * both, and wakes a further member if the offer wants more. The thread does not wait for members: if all of them are busy or
 * blocked, it does all the work itself, and the pool does not grow for it.
 *
 * The offer is a block of memory. Its thread and each member that took it use it; the last of them to leave frees it.
 * A member that comes too late finds an offer without work, or none. */
#pragma once

#include "pool/pool_types.h"

/* How many members might help the calling thread: 0 on a manual pool, and in the child of a fork. */
unsigned sq__pool_helpers(const sq__pool_t *pool);

/* By the thread that has offered it, once there is no work left: no member comes any more. May free it. */
void sq__pool_take_back(sq__pool_t *pool, sq__offer_t *offer);

/* list: members may take it from now on. take: a member takes the first offer; NULL: there is none. leave: a member has stopped using the offer, which may free it. */
void sq__offer_list(sq__pool_t *pool, sq__offer_t *offer);
sq__offer_t *sq__offer_take(sq__pool_t *pool);
void sq__offer_leave(sq__pool_t *pool, sq__offer_t *offer, bool has_more);

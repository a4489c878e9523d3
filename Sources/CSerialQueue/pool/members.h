/* members.h: the threads of a pool, and their seats. pool.h has the design. */
#pragma once

#include "pool/pool_internal.h"

/* Starts the first member. Returns 0 or ENOMEM. */
int sq__members_begin(sq__pool_t *pool);

/* After the last release: ends the members. The last one frees the pool. */
void sq__members_end(sq__pool_t *pool);

/* With the lock, which it releases: if an entry is ready and a seat is free, here or in another part, wakes or starts a member to
 * take it. May visit several parts; the caller has the lock of this one alone. The pool may be freed on return. */
void sq__members_fill_seat_and_unlock(sq__part_t *part);

/* Both together end up to `members` idle members. The first takes them from the idle list, with the lock; the second stops their
 * threads, without the lock. */
sq__member_t *sq__members_pick_idle(sq__part_t *part, unsigned members);
void sq__members_dismiss(sq__member_t *picked);

/* Called before and after a member sleeps in the middle of an entry. `member` is the calling thread's record, not NULL. */
void sq__pool_lend_seat(sq__member_t *member);
void sq__pool_take_seat(sq__member_t *member);

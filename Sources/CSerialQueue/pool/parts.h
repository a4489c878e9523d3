/* parts.h: the parts of a pool, and what each tells the others.
 *
 * DESIGN. A list under one lock serves a few threads well. Many threads spend their time passing its cache line around
 * (Documentation/Scaling.md). So a pool of more than SQ__PART_SEATS seats has several parts, each with a lock, a list, seats and members of
 * its own. A member posts to its own part, so tasks that submit to each other stay with the same few threads; any other thread posts to the
 * part that its number selects.
 *
 * A member takes entries from its own part first. It takes one from another part if its own has none, if the other has one of a higher
 * band, and every few milliseconds: no entry waits forever for members that are blocked.
 *
 * One word says of each part whether it is FREE, which is to say that it has a free seat and a thread for it, and whether it WAITS, which is to
 * say that it has entries and is not FREE. A part's two bits change under its lock.
 *
 *     (p) post     appends an entry, or puts one back; its part WAITS now; reads the word: if a part is FREE, calls a member of that part
 *     (m) member   finds nothing and leaves its seat; its part is FREE now; reads the word: if a part WAITS, calls an idle member of its own part
 *
 * A thread that comes to a part by (p) and finds its seats taken reads the word again, as long as a part WAITS and another one is FREE. So an entry
 * does not wait while a seat is free:
 *
 *     p m     The change of p comes before that of m in the word. m reads its own change or a later value, and sees WAITS.
 *     m p     p sees FREE.
 *
 * A thread whose bits are right already changes nothing. They were set by a thread that held the same lock before, so it reads that thread's
 * change or a later value, and the same holds. */
#pragma once

#include "pool/pool_internal.h"

/* Initialises the parts, each with at most so many seats if there are few enough. Returns 0 or ENOMEM. */
int sq__parts_create(sq__pool_t *pool, unsigned part_seats);
void sq__parts_destroy(sq__pool_t *pool);

/* The part of the calling thread: a member's, or the one that its number selects; and the one that it posts to now. */
sq__part_t *sq__part_own(const sq__pool_t *pool);
sq__part_t *sq__part_to_post_to(const sq__pool_t *pool);

/* A hint. True: entries wait, here or in another part. */
bool sq__part_is_crowded(const sq__part_t *part);

/* Releases the lock of a part whose list or seats may have changed. */
void sq__part_unlock(sq__part_t *part);

/* The same after a member has left the part; the last one of all frees the pool. */
void sq__part_leave_and_unlock(sq__part_t *part);

/* With the lock. True: entries wait in other parts, which now know what this one has. */
bool sq__part_others_wait(sq__part_t *part);

/* With the lock, by a member with a seat: the part that it takes its next entry from; NULL: its own. */
sq__part_t *sq__part_to_help(sq__part_t *part);

/* With the lock: takes an entry of another part. Releases the lock in between. NULL: there is none any more. */
sq__ready_t *sq__part_take_from(sq__part_t *part, sq__part_t *other, sq__band_t *band);

/* With the lock: a part that is FREE, or NULL. The pool is not freed until sq__part_left. */
sq__part_t *sq__part_find_free(sq__part_t *part);

/* One use of the pool is over (see `uses`); the last one frees it. */
void sq__part_left(sq__pool_t *pool);

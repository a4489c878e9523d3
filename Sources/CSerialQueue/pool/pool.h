/* pool.h: threads that take ready entries from a list.
 *
 * DESIGN. A pool has a list of ready entries (a large one has several: parts.h), and workers (worker.h), its members, that take them in order. An entry is a node
 * in the object that it stands for, a queue. It is in the list at most once, and is posted again only after it was run.
 *
 * A member runs an entry only while it has one of the pool's seats. The thread that posts an entry takes a free seat, if there
 * is one, for an idle member or a new one. A member keeps its seat as long as it finds entries. So all seats are taken
 * while entries are ready. No wake-up is lost, because seats, list and idle members are under one lock.
 *
 * A member that is about to sleep in a call of this library, inside an entry, releases its seat, and takes one again when it
 * wakes, free or not: what it waits for may need the seat. Then there may be one member too many for a moment; the next
 * member that finishes its entry leaves its seat.
 *
 * A member that blocks in any other way keeps its seat. So a pool that may grow is checked: while entries have been ready for
 * some milliseconds, an alarm (alarm.h) finds out how many members are blocked, and adds seats. It removes them when they
 * are no longer needed, and ends members that were idle for a second.
 *
 * The list has three bands; members take the entries of a higher one first, and each band in order. An entry of a lower band is
 * taken at the latest after SQ__BATCH - 1 entries of higher bands, so that its wait is bounded.
 *
 * Below them is the band of parallel loops (sq__help_t). The thread that posts such an entry does the work itself, and waits for no member. So members help
 * when they have nothing else to do, or when the bound on its wait says so. A loop that wants several members posts its entry again with each that
 * comes: each call wakes the next member. A member stays while nothing else waits; otherwise its run ends soon (objects/apply.c), and the entry goes
 * to the back, as that of a queue does. An entry that no member has come for is withdrawn.
 *
 * A manual pool has neither members nor seats: its entries run in the thread that runs the pool. Neither has a loop (loop.h): its
 * entries run in the thread that owns it. */
#pragma once

#include "include/sq_private.h" /* sq__pool_clock */
#include "pool/pool_types.h"
#include "pool/ready.h"

/* Returns 0 and *pool with one reference and one member; or ENOMEM; for a loop also EMFILE or ENFILE. */
int sq__pool_create(sq__pool_t **pool, const sq__pool_plan_t *plan);

sq__pool_t *sq__pool_retain(sq__pool_t *pool);
void sq__pool_release(sq__pool_t *pool);

/* Makes the entry ready, so that the pool will run it. The pool may be freed on return. */
void sq__pool_post(sq__pool_t *pool, sq__band_t band, sq__ready_t *entry);

/* How many members might help the calling thread: 0 on a manual pool, and in the child of a fork. */
unsigned sq__pool_helpers(const sq__pool_t *pool);

/* Removes a posted entry. False: a thread has taken it; it may have put it back since. */
bool sq__pool_withdraw(sq__pool_t *pool, sq__band_t band, const sq__ready_t *entry);

/* True: the pool has threads of its own, so it is neither manual nor a loop. */
bool sq__pool_has_members(const sq__pool_t *pool);

/* With the lock of a loop, which it releases: makes the descriptor readable, if it is not. */
void sq__pool_ring_and_unlock(sq__pool_t *pool);

/* A hint. True: entries are waiting for a member. */
bool sq__pool_is_crowded(const sq__pool_t *pool);

/* The label that it was created with. */
const char *sq__pool_label(const sq__pool_t *pool);

/* The class of its threads. */
sq_service_t sq__pool_service(const sq__pool_t *pool);

/* Lets this explorer run a manual pool; NULL: the pool is run as usual again. No other thread may use the pool meanwhile. */
void sq__pool_explore(sq__pool_t *pool, sq__explorer_t *explorer);

/* NULL: the pool is not being explored. */
sq__explorer_t *sq__pool_explorer(const sq__pool_t *pool);

/* Runs the ready entries of a manual pool in order, a batch of tasks each, until none is ready. Returns how many tasks were run. */
size_t sq__pool_run(sq__pool_t *pool);

/* Runs one task of this entry, if the entry is ready: on a manual pool, or on a loop by its owner. False: it is not ready, or the pool is being
 * explored. The entry is only compared by address until it is found ready, so it may have been freed. */
bool sq__pool_run_one(sq__pool_t *pool, sq__ready_t *entry);

/* True: this entry is ready. As above, it is only compared by address. */
bool sq__pool_has_entry(sq__pool_t *pool, const sq__ready_t *entry);

/* Runs one task of the first ready entry of a manual pool. False: none is ready, or the pool is being explored. */
bool sq__pool_run_next(sq__pool_t *pool);

/* The same: a batch of tasks. */
bool sq__pool_run_batch(sq__pool_t *pool);

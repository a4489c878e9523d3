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
 * are no longer needed, and ends members that were idle for a second. */
#pragma once

#include "pool/pool_types.h"
#include "pool/post.h"
#include "pool/ready.h"

/* Returns 0 and *pool with one reference and one member; or ENOMEM. */
int sq__pool_create(sq__pool_t **pool, const sq__pool_plan_t *plan);

void sq__pool_release(sq__pool_t *pool);

/* A hint. True: entries are waiting for a member. */
bool sq__pool_is_crowded(const sq__pool_t *pool);

/* The label that it was created with. */
const char *sq__pool_label(const sq__pool_t *pool);

/* The class of its threads. */
sq_service_t sq__pool_service(const sq__pool_t *pool);

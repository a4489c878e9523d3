/* sites.h: where the tasks that wait and run were submitted from.
 *
 * DESIGN. A call site is a return address. Each public call that submits or waits takes its own at its entry, and passes it down as a
 * parameter, `caller`; the Swift layer passes that of its own public call (include/sq_private.h). There is no other way. The submission
 * stores the site of a queue that is traced or watched in a table, under the place in the queue where the task
 * waits. The baton's holder takes it out with the task; a dump finds it next to the frame of the task (kernel/run_task.h), and a
 * watcher gets it from there.
 *
 * The table has no lock: one of an entry's two words is the key combined with the other word, so an entry that two threads write at a
 * time has no valid key. Of more than SQ__SITES waiting tasks some lose their site, and are shown without.
 *
 * A queue records in eras: an era begins when it begins to be traced or watched, and was neither. Within an era each submission
 * stores its site, if only to say that it is not known, so what is found under a place is never an earlier task's. The key contains the
 * era's number, which is never used again. */
#pragma once

#include "platform/atomic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SQ__SITES
#define SQ__SITES 4096 /* a power of two */
#endif

typedef uint32_t sq__era_t;

/* A return address is behind the call; this is an address of the call itself, which belongs to its function and line. */
static inline uintptr_t sq__site_of_call(const void *site) { return (uintptr_t)site - 1; }

/* A number that no queue has used. */
sq__era_t sq__sites_new_era(void);

/* A task comes to this place of the queue. Before the task can be seen. */
void sq__sites_put(sq__era_t era, const void *queue, uintptr_t where, const void *site);

/* Returns the site of the task in this place, for a dump; NULL: not known. */
const void *sq__sites_look(sq__era_t era, const void *queue, uintptr_t where);

/* Removes and returns the site of the task that was in this place; NULL: not known. */
const void *sq__sites_take(sq__era_t era, const void *queue, uintptr_t where);

/* ready.h: the list of a part's ready entries. */
#pragma once

#include "pool/pool_internal.h"

/* The list of a part, with the lock. take_first: NULL if nothing is ready; else *band is the entry's. take_out: false if the entry is not ready. */
void sq__part_append(sq__part_t *part, sq__band_t band, sq__ready_t *entry);
sq__ready_t *sq__part_take_first(sq__part_t *part, sq__band_t *band);
bool sq__part_take_out(sq__part_t *part, sq__band_t band, const sq__ready_t *entry);

/* With the lock of the part that the entry would be appended to: if a thread waits to run it itself, gives it the entry and returns true;
 * then the entry is not appended. */
bool sq__pool_give_to_caller(sq__pool_t *pool, const sq__ready_t *entry);

/* With lists_lock: takes such a thread from the list. */
void sq__pool_unlist(sq__pool_t *pool, struct sq__caller_run **link);

/* True: the pool was created before a fork, and this process is the child. */
bool sq__pool_is_stale(const sq__pool_t *pool);

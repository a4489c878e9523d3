/* ready.h: the list of a pool's ready entries, and when the pool is freed. */
#ifndef SQ__POOL_READY_H
#define SQ__POOL_READY_H

#include "pool/pool_types.h"

/* The list, with the lock. take_first: NULL if nothing is ready; else *band is the entry's. take_out: false if the entry is not
 * ready. */
void sq__pool_append(sq__pool_t *pool, sq__band_t band, sq__ready_t *entry);
void sq__pool_put_first(sq__pool_t *pool, sq__band_t band, sq__ready_t *entry);
sq__ready_t *sq__pool_take_first(sq__pool_t *pool, sq__band_t *band);
bool sq__pool_take_out(sq__pool_t *pool, sq__band_t band, const sq__ready_t *entry);

/* With the lock. give_to_caller: if a thread waits for this entry to run it itself, gives it the entry and returns true; then the entry is
 * not appended. unlist: takes such a thread from the list. */
bool sq__pool_give_to_caller(sq__pool_t *pool, const sq__ready_t *entry);
void sq__pool_unlist(sq__pool_t *pool, struct sq__caller_run **link);

/* With the lock. The second one searches all bands; *band is the entry's if it is ready. */
bool sq__pool_is_ready(sq__pool_t *pool, sq__band_t band, const sq__ready_t *entry);
bool sq__pool_find(sq__pool_t *pool, const sq__ready_t *entry, sq__band_t *band);

/* With the lock: schedules a growth check, soon or within a second. */
void sq__growth_schedule(sq__pool_t *pool, bool is_soon);

/* True: the pool was created before a fork, and this process is the child. */
bool sq__pool_is_stale(const sq__pool_t *pool);

/* The pool is deserted, and nobody has a reference. */
void sq__pool_free(sq__pool_t *pool);

#endif

/* ready.h: the list of a shard's ready entries. */
#pragma once

#include "pool/pool_internal.h"

/* The list of a shard, with the lock. take_first: NULL if nothing is ready; else *level is the entry's. take_out: false if the entry is not ready. */
void sq__shard_append(sq__shard_t *shard, sq__level_t level, sq__ready_t *entry);
sq__ready_t *sq__shard_take_first(sq__shard_t *shard, sq__level_t *level);
bool sq__shard_take_out(sq__shard_t *shard, sq__level_t level, const sq__ready_t *entry);

/* With the lock of the shard that the entry would be appended to: if a thread waits to run it itself, gives it the entry and returns true;
 * then the entry is not appended. */
bool sq__pool_give_to_caller(sq__pool_t *pool, const sq__ready_t *entry);

/* With lists_lock: takes such a thread from the list. */
void sq__pool_unlist(sq__pool_t *pool, struct sq__caller_run **link);

/* True: the pool was created before a fork, and this process is the child. */
bool sq__pool_is_stale(const sq__pool_t *pool);

/* growth_alarm.h: when a pool's growth is checked. growth.c says what a check does. */
#pragma once

#include "pool/pool_internal.h"

/* With the lock of a shard: schedules a check of all shards, in 2 ms or in about a second. No effect if one comes as soon already, or after
 * sq__growth_end. The check has one use of the pool. */
void sq__growth_schedule(sq__shard_t *shard, bool is_soon);

/* A check begins: from now on the next one can be scheduled. Returns whether it came soon. The pool is not freed until sq__shard_left. */
bool sq__growth_begin_check(sq__pool_t *pool);

/* After the last release of the pool, while its shards have not ended: no further check begins. A check that has begun may still run. */
void sq__growth_end(sq__pool_t *pool);

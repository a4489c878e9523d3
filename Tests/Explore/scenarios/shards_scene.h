/* shards_scene.h: a pool in shards (pool/shards.h) with ready entries of the scenario's own: what no queue can bring about within a search that ends.
 * An entry that waits in the library lends its worker's permit, and passes a gate instead of sleeping on a token. */
#ifndef PARTS_SCENE_H
#define PARTS_SCENE_H

#include "scenario.h"

#include "pool/workers.h"
#include "pool/pool.h"
#include "pool/pool_internal.h"
#include "thread/self.h"

extern sq__pool_t *pool;

/* Of so many permits, so many in a shard. A check of growth would find an entry that nobody came for, a second later: there is none. */
void shards_begin(size_t permits, size_t shard_permits);

/* All entries have ended, or are about to return. */
void shards_end(void);

/* The pool is freed, or about to be. */
void shards_end_stage(void);

/* A pool counts the workers of all its shards, and may have no more than it says. */
void shards_check_workers(unsigned most);

/* The entry that is posted next. */
sq__ready_t *shards_next_entry(void);

void shards_post(sq__level_t level, void (*run)(void));
void shards_post_turns(sq__level_t level, void (*run)(void), void (*then)(void)); /* `then` in another turn, unless it is NULL */
void shards_post_and_await(unsigned gate, void (*run)(void));
void shards_open_and_await(unsigned gate, unsigned answer);

#endif

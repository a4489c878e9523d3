/* pool_lock.h: the lock that a fork may find held: of a pool of any kind; of the first shard of one with workers. */
#pragma once

#include "pool/pool_internal.h"
#include "runner/hosted.h"
#include "runner/runner_inline.h"

static inline sq__mutex_t *pool_lock_of(sq_pool_t *pool) {
    return sq__runner_is_threadless(sq__runner(pool, SQ__LEVEL_NORMAL)) ? &((sq__hosted_t *)pool)->lock : &pool->shards->lock;
}

/* post.c: posting an entry to a pool, and withdrawing it. */
#include "pool/pool.h"

#include "pool/workers.h"
#include "pool/shards.h"
#include "pool/pool_internal.h"
#include "pool/ready.h"
#include "pool/search.h"

void sq__pool_post(sq__pool_t *pool, sq__level_t level, sq__ready_t *entry) {
    sq__shard_t *shard = sq__shard_to_post_to(pool);
    sq__mutex_lock(&shard->lock);
    if (__builtin_expect(sq__load_relaxed(&pool->listed) != 0, 0) && sq__pool_give_to_caller(pool, entry)) {
        sq__mutex_unlock(&shard->lock);
        return;
    }
    sq__shard_append(shard, level, entry);
    sq__shard_call_searcher(shard, level);
    sq__workers_use_permit_and_unlock(shard);
}

bool sq__pool_withdraw(sq__pool_t *pool, sq__level_t level, const sq__ready_t *entry) {
    bool is_ready = false;
    for (unsigned i = 0; i < pool->count && !is_ready; i += 1) {
        sq__shard_t *shard = &pool->shards[i];
        sq__mutex_lock(&shard->lock);
        is_ready = sq__shard_take_out(shard, level, entry);
        sq__shard_unlock(shard);
    }
    return is_ready;
}

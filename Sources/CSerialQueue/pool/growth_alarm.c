#include "pool/growth_alarm.h"

#include "alarm/alarm.h"
#include "pool/shards.h"
#include "pool/pool_internal.h"

/* How long until the next check. Nanoseconds. */
static const uint64_t soon = 2000000, second = 1000000000;

void sq__growth_schedule(sq__shard_t *shard, bool is_soon) {
    sq__pool_t *pool = shard->pool;
    if (sq__load_relaxed(is_soon ? &pool->checks_soon : &pool->checks)) {
        return;
    }
    sq__mutex_lock(&pool->lists_lock);
    bool is_set = sq__load_relaxed(&pool->checks);
    if (is_set ? is_soon && !sq__load_relaxed(&pool->checks_soon) && sq__alarm_cancel(pool->alarms, &pool->alarm) : !pool->growth_has_ended) {
        shard->seen = sq__load_relaxed(&shard->taken) + sq__load_relaxed(&shard->waiting);
        sq__add_relaxed(&pool->uses, !is_set);
        sq__store_relaxed(&pool->checks, true);
        sq__store_relaxed(&pool->checks_soon, is_soon);
        sq__alarm_set(pool->alarms, &pool->alarm, sq__alarms_now(pool->alarms) + (is_soon ? soon : second), is_soon ? 0 : second / 4);
    }
    sq__mutex_unlock(&pool->lists_lock);
}

bool sq__growth_begin_check(sq__pool_t *pool) {
    sq__mutex_lock(&pool->lists_lock);
    bool is_soon = sq__load_relaxed(&pool->checks_soon);
    sq__store_relaxed(&pool->checks, false);
    sq__store_relaxed(&pool->checks_soon, false);
    sq__mutex_unlock(&pool->lists_lock);
    return is_soon;
}

void sq__growth_end(sq__pool_t *pool) {
    sq__mutex_lock(&pool->lists_lock);
    pool->growth_has_ended = true;
    bool is_cancelled = sq__load_relaxed(&pool->checks) && sq__alarm_cancel(pool->alarms, &pool->alarm);
    sq__store_relaxed(&pool->checks, false);
    sq__mutex_unlock(&pool->lists_lock);
    if (is_cancelled) {
        sq__shard_left(pool);
    }
}

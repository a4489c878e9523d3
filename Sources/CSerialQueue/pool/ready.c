/* ready.c: what the other files of a pool share: a shard's list of ready entries. */
#include "pool/pool_internal.h"
#include "runner/runner_inline.h"
#include "thread/process.h"

void sq__shard_append(sq__shard_t *shard, sq__level_t level, sq__ready_t *entry) {
    sq__ready_append(&shard->ready, level, entry);
    sq__count(&shard->waiting, 1);
}

static void count_taken(sq__shard_t *shard) {
    sq__count(&shard->waiting, (size_t)-1);
    sq__count(&shard->taken, 1);
}

sq__ready_t *sq__shard_take_first(sq__shard_t *shard, sq__level_t *level) {
    sq__ready_t *entry = sq__shard_has_ready(shard) ? sq__ready_take_first(&shard->ready, level) : NULL;
    if (entry != NULL) {
        count_taken(shard);
    }
    return entry;
}

bool sq__shard_take_out(sq__shard_t *shard, sq__level_t level, const sq__ready_t *entry) {
    bool is_ready = sq__ready_take_out(&shard->ready, level, entry);
    if (is_ready) {
        count_taken(shard);
    }
    return is_ready;
}

void sq__pool_unlist(sq__pool_t *pool, sq__caller_run_t **link) {
    *link = (*link)->next;
    sq__count(&pool->listed, (size_t)-1);
}

bool sq__pool_give_to_caller(sq__pool_t *pool, const sq__ready_t *entry) {
    bool is_given = false;
    sq__mutex_lock(&pool->lists_lock);
    for (sq__caller_run_t **link = &pool->callers; *link != NULL; link = &(*link)->next) {
        sq__caller_run_t *caller_run = *link;
        if (caller_run->entry == entry) {
            sq__pool_unlist(pool, link);
            caller_run->is_given = is_given = true;
            sq__token_wake(caller_run->token);
            break;
        }
    }
    sq__mutex_unlock(&pool->lists_lock);
    return is_given;
}

bool sq__pool_is_stale(const sq__pool_t *pool) { return sq__pool_listed_is_stale(&pool->at); }

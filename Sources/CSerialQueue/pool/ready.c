/* ready.c: what the other files of a pool share: a part's list of ready entries. */
#include "pool/pool_internal.h"
#include "runner/runner_inline.h"
#include "thread/process.h"

void sq__part_append(sq__part_t *part, sq__band_t band, sq__ready_t *entry) {
    sq__ready_append(&part->ready, band, entry);
    sq__count(&part->waiting, 1);
}

static void count_taken(sq__part_t *part) {
    sq__count(&part->waiting, (size_t)-1);
    part->taken += 1;
}

sq__ready_t *sq__part_take_first(sq__part_t *part, sq__band_t *band) {
    sq__ready_t *entry = sq__part_has_ready(part) ? sq__ready_take_first(&part->ready, band) : NULL;
    if (entry != NULL) {
        count_taken(part);
    }
    return entry;
}

bool sq__part_take_out(sq__part_t *part, sq__band_t band, const sq__ready_t *entry) {
    bool is_ready = sq__ready_take_out(&part->ready, band, entry);
    if (is_ready) {
        count_taken(part);
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
            sq__token_nudge(caller_run->token);
            break;
        }
    }
    sq__mutex_unlock(&pool->lists_lock);
    return is_given;
}

bool sq__pool_is_stale(const sq__pool_t *pool) { return sq__pool_listed_is_stale(&pool->at); }

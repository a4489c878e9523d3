/* ready.c: what the other files of a pool share: the list of ready entries, scheduling a growth check, and freeing the pool. */
#include "alarm/alarm_manual.h"
#include "platform/event.h"
#include "platform/memory.h"
#include "pool/pool_list.h"
#include "pool/pool_internal.h"
#include "thread/process.h"

/* How long until the next growth check. Nanoseconds. */
static const uint64_t soon = 2000000, second = 1000000000;

void sq__pool_append(sq__pool_t *pool, sq__band_t band, sq__ready_t *entry) {
    sq__line_t *line = &pool->lines[band];
    entry->next = NULL;
    if (line->first == NULL) {
        line->end = &line->first;
    }
    *line->end = entry;
    line->end = &entry->next;
    sq__count(&pool->waiting, 1);
}

void sq__pool_put_first(sq__pool_t *pool, sq__band_t band, sq__ready_t *entry) {
    sq__line_t *line = &pool->lines[band];
    if (line->first == NULL) {
        sq__pool_append(pool, band, entry);
        return;
    }
    entry->next = line->first;
    line->first = entry;
    sq__count(&pool->waiting, 1);
}

/* `link` is what points to the entry. */
static sq__ready_t *take(sq__pool_t *pool, sq__line_t *line, sq__ready_t **link) {
    sq__ready_t *entry = *link;
    *link = entry->next;
    if (line->end == &entry->next) {
        line->end = link;
    }
    sq__count(&pool->waiting, (size_t)-1);
    pool->taken += 1;
    return entry;
}

/* The highest band with a ready entry, unless a lower one has waited long enough: then the lowest of those. */
static sq__band_t next_band(const sq__pool_t *pool) {
    for (sq__band_t band = SQ__BAND_LOW; band > SQ__BAND_HIGH; band -= 1) {
        if (pool->lines[band].first != NULL && pool->lines[band].overtaken >= SQ__BATCH - 1) {
            return band;
        }
    }
    sq__band_t band = SQ__BAND_HIGH;
    while (pool->lines[band].first == NULL) {
        band += 1;
    }
    return band;
}

sq__ready_t *sq__pool_take_first(sq__pool_t *pool, sq__band_t *band) {
    if (!sq__pool_has_ready(pool)) {
        return NULL;
    }
    *band = next_band(pool);
    sq__line_t *line = &pool->lines[*band];
    line->overtaken = 0;
    for (sq__band_t lower = *band + 1; lower < SQ__BANDS; lower += 1) {
        pool->lines[lower].overtaken += pool->lines[lower].first != NULL;
    }
    return take(pool, line, &line->first);
}

/* What points to the entry; NULL: it is not ready. */
static sq__ready_t **find(sq__line_t *line, const sq__ready_t *entry) {
    sq__ready_t **link = &line->first;
    while (*link != NULL && *link != entry) {
        link = &(*link)->next;
    }
    return *link != NULL ? link : NULL;
}

bool sq__pool_is_ready(sq__pool_t *pool, sq__band_t band, const sq__ready_t *entry) {
    return find(&pool->lines[band], entry) != NULL;
}

bool sq__pool_find(sq__pool_t *pool, const sq__ready_t *entry, sq__band_t *band) {
    *band = SQ__BAND_HIGH;
    while (*band < SQ__BANDS && !sq__pool_is_ready(pool, *band, entry)) {
        *band += 1;
    }
    return *band < SQ__BANDS;
}

bool sq__pool_take_out(sq__pool_t *pool, sq__band_t band, const sq__ready_t *entry) {
    sq__ready_t **link = find(&pool->lines[band], entry);
    if (link != NULL) {
        (void)take(pool, &pool->lines[band], link);
    }
    return link != NULL;
}

void sq__pool_unlist(sq__pool_t *pool, sq__caller_run_t **link) {
    *link = (*link)->next;
    sq__count(&pool->listed, (size_t)-1);
}

bool sq__pool_give_to_caller(sq__pool_t *pool, const sq__ready_t *entry) {
    for (sq__caller_run_t **link = &pool->caller_run; *link != NULL; link = &(*link)->next) {
        sq__caller_run_t *caller_run = *link;
        if (caller_run->entry == entry) {
            sq__pool_unlist(pool, link);
            caller_run->is_given = true;
            sq__token_nudge(caller_run->token);
            return true;
        }
    }
    return false;
}

static void set_alarm(sq__pool_t *pool, bool is_soon) {
    pool->growth_is_scheduled = true;
    pool->is_soon = is_soon;
    sq__alarm_set(pool->alarms, &pool->alarm, sq__alarms_now(pool->alarms) + (is_soon ? soon : second), is_soon ? 0 : second / 4);
}

void sq__growth_schedule(sq__pool_t *pool, bool is_soon) {
    if (pool->has_ended) {
        return;
    }
    if (!pool->growth_is_scheduled) {
        pool->seen = pool->taken + sq__load_relaxed(&pool->waiting);
        set_alarm(pool, is_soon);
    } else if (is_soon && !pool->is_soon && sq__alarm_cancel(pool->alarms, &pool->alarm)) {
        pool->seen = pool->taken + sq__load_relaxed(&pool->waiting);
        set_alarm(pool, true);
    }
}

bool sq__pool_is_stale(const sq__pool_t *pool) { return pool->process != sq__process(); }

void sq__pool_free(sq__pool_t *pool) {
    sq__pools_remove(pool);
    if (pool->is_loop) {
        sq__event_close(pool->event);
        sq__owner_release(sq__load_relaxed(&pool->owner));
    } else if (pool->clock != NULL) {
        sq__alarms_destroy(pool->clock);
    } else {
        sq__alarms_release(pool->alarms);
    }
    sq__mutex_destroy(&pool->lock);
    sq__memory_free(pool);
}

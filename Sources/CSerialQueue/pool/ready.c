/* ready.c: a pool's list of ready entries, when its next growth check comes, and its memory: what its other files share. */
#include "platform/event.h"
#include "platform/memory.h"
#include "pool/look.h"
#include "pool/pool_internal.h"
#include "thread/process.h"

/* When a growth check comes. Nanoseconds. */
static const uint64_t soon = 2000000, second = 1000000000;

void sq__pool_append(sq__pool_t *pool, sq__ready_t *entry) {
    entry->next = NULL;
    *pool->end = entry;
    pool->end = &entry->next;
    sq__count(&pool->waiting, 1);
}

void sq__pool_take_out(sq__pool_t *pool, sq__ready_t **link) {
    sq__ready_t *entry = *link;
    *link = entry->next;
    if (pool->end == &entry->next) {
        pool->end = link;
    }
    sq__count(&pool->waiting, (size_t)-1);
    pool->taken += 1;
}

sq__ready_t *sq__pool_take_first(sq__pool_t *pool) {
    sq__ready_t *entry = pool->first;
    if (entry != NULL) {
        sq__pool_take_out(pool, &pool->first);
    }
    return entry;
}

sq__ready_t **sq__pool_find(sq__pool_t *pool, const sq__ready_t *entry) {
    sq__ready_t **link = &pool->first;
    while (*link != NULL && *link != entry) {
        link = &(*link)->next;
    }
    return *link != NULL ? link : NULL;
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
        sq__alarms_let_go(pool->alarms);
    }
    sq__mutex_destroy(&pool->lock);
    sq__memory_free(pool);
}

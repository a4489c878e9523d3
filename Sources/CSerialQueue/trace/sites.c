#include "trace/sites.h"

#include "thread/self.h"

typedef struct entry {
    SQ__ATOMIC(uint64_t) check; /* A  the key, combined with `site` */
    SQ__ATOMIC(uint64_t) site;  /* A */
} entry_t;

SQ__ATOMIC(uint32_t) sq__sites_wanted;
static entry_t entries[SQ__SITES];
static SQ__ATOMIC(sq__era_t) last_era;

/* The thread's note */

void sq__sites_note(const void *queue, sq__site_t site, bool is_outermost) {
    sq__self_t *self = sq__self();
    if (is_outermost || self->noted_queue != queue) {
        self->noted_queue = queue;
        self->noted_site = site;
    }
}

sq__site_t sq__sites_noted(const void *queue) {
    sq__self_t *self = sq__self();
    if (self->noted_queue != queue) {
        return 0;
    }
    self->noted_queue = NULL;
    return self->noted_site;
}

/* The table */

sq__era_t sq__sites_new_era(void) { return sq__add_relaxed(&last_era, 1) + 1; }

/* Different for each place, and for each era. */
static uint64_t key_of(sq__era_t era, const void *queue, uintptr_t where) {
    uint64_t key = (uint64_t)(uintptr_t)queue ^ (uint64_t)where << 1 ^ (uint64_t)era << 32;
    return (key ^ key >> 29) * UINT64_C(0x9E3779B97F4A7C15);
}

static entry_t *entry_of(uint64_t key) { return &entries[key >> 32 & (SQ__SITES - 1)]; }

/* Relaxed: the task is published afterwards, with release. `check` distinguishes other entries. */
void sq__sites_put(sq__era_t era, const void *queue, uintptr_t where, sq__site_t site) {
    uint64_t key = key_of(era, queue, where);
    entry_t *entry = entry_of(key);
    sq__store_relaxed(&entry->site, site);
    sq__store_relaxed(&entry->check, key ^ site);
}

sq__site_t sq__sites_look(sq__era_t era, const void *queue, uintptr_t where) {
    uint64_t key = key_of(era, queue, where);
    const entry_t *entry = entry_of(key);
    sq__site_t site = sq__load_relaxed(&entry->site);
    return (sq__load_relaxed(&entry->check) ^ site) == key ? site : 0;
}

sq__site_t sq__sites_take(sq__era_t era, const void *queue, uintptr_t where) {
    sq__site_t site = sq__sites_look(era, queue, where);
    entry_t *entry = entry_of(key_of(era, queue, where));
    if (site != 0) {
        sq__store_relaxed(&entry->site, 0); /* a place that is used again has no site until it is stored */
    }
    return site;
}

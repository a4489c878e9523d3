#include "trace/sites.h"

typedef struct entry {
    SQ__ATOMIC(uint64_t) check; /* A  the key, combined with `site` */
    SQ__ATOMIC(uint64_t) site;  /* A  a return address */
} entry_t;

static entry_t entries[SQ__SITES];
static SQ__ATOMIC(sq__era_t) last_era;

sq__era_t sq__sites_new_era(void) { return sq__add_relaxed(&last_era, 1) + 1; }

/* Different for each place, and for each era. */
static uint64_t key_of(sq__era_t era, const void *queue, uintptr_t where) {
    uint64_t key = (uint64_t)(uintptr_t)queue ^ (uint64_t)where << 1 ^ (uint64_t)era << 32;
    return (key ^ key >> 29) * UINT64_C(0x9E3779B97F4A7C15);
}

static entry_t *entry_of(uint64_t key) { return &entries[key >> 32 & (SQ__SITES - 1)]; }

/* Relaxed: the task is published afterwards, with release. `check` distinguishes other entries. */
void sq__sites_put(sq__era_t era, const void *queue, uintptr_t where, const void *site) {
    uint64_t key = key_of(era, queue, where), word = (uintptr_t)site;
    entry_t *entry = entry_of(key);
    sq__store_relaxed(&entry->site, word);
    sq__store_relaxed(&entry->check, key ^ word);
}

const void *sq__sites_look(sq__era_t era, const void *queue, uintptr_t where) {
    uint64_t key = key_of(era, queue, where);
    const entry_t *entry = entry_of(key);
    uint64_t word = sq__load_relaxed(&entry->site);
    return (sq__load_relaxed(&entry->check) ^ word) == key ? (const void *)(uintptr_t)word : NULL;
}

const void *sq__sites_take(sq__era_t era, const void *queue, uintptr_t where) {
    const void *site = sq__sites_look(era, queue, where);
    entry_t *entry = entry_of(key_of(era, queue, where));
    if (site != NULL) {
        sq__store_relaxed(&entry->site, 0); /* a place that is used again has no site until it is stored */
    }
    return site;
}

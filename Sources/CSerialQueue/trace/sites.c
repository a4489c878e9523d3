#include "trace/sites.h"

#include "trace/recorder.h"

typedef struct entry {
    SQ__ATOMIC(uint64_t) check; /* A  the key, combined with `site` */
    SQ__ATOMIC(uint64_t) site;  /* A */
} entry_t;

static entry_t entries[SQ__SITES];

/* Different for each place, and for each trace. */
static uint64_t key_of(const void *queue, uintptr_t where) {
    uint64_t key = (uint64_t)(uintptr_t)queue ^ (uint64_t)where << 1 ^ (uint64_t)sq__load_relaxed(&sq__trace_session) << 32;
    return (key ^ key >> 29) * UINT64_C(0x9E3779B97F4A7C15);
}

static entry_t *entry_of(uint64_t key) { return &entries[key >> 32 & (SQ__SITES - 1)]; }

/* Relaxed: the task is published afterwards, with release. `check` distinguishes other entries. */
void sq__sites_put(const void *queue, uintptr_t where, sq__site_t site) {
    uint64_t key = key_of(queue, where);
    entry_t *entry = entry_of(key);
    sq__store_relaxed(&entry->site, site);
    sq__store_relaxed(&entry->check, key ^ site);
}

sq__site_t sq__sites_take(const void *queue, uintptr_t where) {
    uint64_t key = key_of(queue, where);
    entry_t *entry = entry_of(key);
    sq__site_t site = sq__load_relaxed(&entry->site);
    if ((sq__load_relaxed(&entry->check) ^ site) != key || site == 0) {
        return 0;
    }
    sq__store_relaxed(&entry->site, 0); /* of a place that is used again by a queue that is not traced yet, nothing is known */
    return site;
}

/* sites.c: where the tasks that wait and run were submitted from.
 *
 * DESIGN. A call site is a return address. Each public call that submits or waits takes its own at its entry, and passes it down as a
 * parameter, `caller`; the Swift layer passes that of its own public call (include/sq_private.h). There is no other way. The submission
 * stores the site of a queue that is traced or watched in a table, under the place in the queue where the task
 * waits. The baton's holder takes it out with the task; a dump finds it next to the frame of the task (kernel/kernel_inline.h), and a
 * watcher gets it from there.
 *
 * The table has no lock: one of an entry's two words is the key combined with the other word, so an entry that two threads write at a
 * time has no valid key. Of more than SQ__SITES waiting tasks some lose their site, and are shown without.
 *
 * A queue records in epochs: an epoch begins when it begins to be traced or watched, and was neither. Within an epoch each submission
 * stores its site, if only to say that it is not known, so what is found under a place is never an earlier task's. The key contains the
 * epoch's number, which is never used again. */
#include "trace/trace.h"

#include "include/sq_private.h"
#include "platform/json.h"
#include "platform/peek.h"
#include "platform/symbols.h"

#include <inttypes.h>
#include <stdio.h>

#ifndef SQ__SITES
#define SQ__SITES 4096 /* a power of two */
#endif

typedef struct entry {
    SQ__ATOMIC(uint64_t) check; /* A  the key, combined with `site` */
    SQ__ATOMIC(uint64_t) site;  /* A  a return address */
} entry_t;

static entry_t entries[SQ__SITES];
static SQ__ATOMIC(sq__epoch_t) last_epoch;

sq__epoch_t sq__sites_new_epoch(void) { return sq__add_relaxed(&last_epoch, 1) + 1; }

/* Different for each place, and for each epoch. */
static uint64_t key_of(sq__epoch_t epoch, const void *queue, uintptr_t where) {
    uint64_t key = (uint64_t)(uintptr_t)queue ^ (uint64_t)where << 1 ^ (uint64_t)epoch << 32;
    return (key ^ key >> 29) * UINT64_C(0x9E3779B97F4A7C15);
}

static entry_t *entry_of(uint64_t key) { return &entries[key >> 32 & (SQ__SITES - 1)]; }

/* Relaxed: the task is published afterwards, with release. `check` distinguishes other entries. */
void sq__sites_put(sq__epoch_t epoch, const void *queue, uintptr_t where, const void *site) {
    uint64_t key = key_of(epoch, queue, where), word = (uintptr_t)site;
    entry_t *entry = entry_of(key);
    sq__store_relaxed(&entry->site, word);
    sq__store_relaxed(&entry->check, key ^ word);
}

const void *sq__sites_look(sq__epoch_t epoch, const void *queue, uintptr_t where) {
    uint64_t key = key_of(epoch, queue, where);
    const entry_t *entry = entry_of(key);
    uint64_t word = sq__load_relaxed(&entry->site);
    return (sq__load_relaxed(&entry->check) ^ word) == key ? (const void *)(uintptr_t)word : NULL;
}

const void *sq__sites_take(sq__epoch_t epoch, const void *queue, uintptr_t where) {
    const void *site = sq__sites_look(epoch, queue, where);
    entry_t *entry = entry_of(key_of(epoch, queue, where));
    if (site != NULL) {
        sq__store_relaxed(&entry->site, 0); /* a place that is used again has no site until it is stored */
    }
    return site;
}

/* The place of a member of a group; no task of a queue has it. */
#define OF_MEMBER UINTPTR_MAX

void sq__sites_put_entered(const void *group, const void *site) { sq__sites_put(sq__load_relaxed(&sq__trace_session), group, OF_MEMBER, site); }

const void *sq__sites_look_entered(const void *group) {
    return sq__trace_is_on() ? sq__sites_look(sq__load_relaxed(&sq__trace_session), group, OF_MEMBER) : NULL;
}

/* Objects without a label. A return address has at most seven bytes: with the end of the label in front of them they take no larger block. */

void sq__made_by(const char *label, const void *caller) {
    char *bytes = (char *)label;
    for (unsigned i = 1; label[0] == '\0' && i < SQ__MAKER; i += 1) {
        bytes[i] = (char)((uint64_t)(uintptr_t)caller >> 8 * (i - 1));
    }
}

const void *sq__maker_of(const char *label) {
    uint64_t caller = 0;
    for (unsigned i = 1; label[0] == '\0' && i < SQ__MAKER; i += 1) {
        caller |= (uint64_t)(unsigned char)label[i] << 8 * (i - 1);
    }
    return (const void *)(uintptr_t)caller;
}

void sq__site_text(const void *caller, char *text, size_t size) {
    sq__symbols_t *symbols = sq__pages(sizeof *symbols);
    if (symbols == NULL) {
        snprintf(text, size, "0x%" PRIxPTR, sq__site_of_call(caller));
    } else {
        sq__symbols_want(symbols, sq__site_of_call(caller));
        sq__symbols_find(symbols);
        sq__symbols_text(symbols, sq__site_of_call(caller), text, size);
        sq__pages_free(symbols, sizeof *symbols);
    }
}

void sq__site_json(sq__json_t *json, const char *name, const void *site) {
    char text[SQ__JSON_STRING];
    if (site != NULL) {
        sq__site_text(site, text, sizeof text);
        sq__json_string(json, name, text, sizeof text);
    }
}

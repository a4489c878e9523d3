/* deferred.h: a deferred task that notes what became of it. Everything is static: a program has what it uses. */
#ifndef DEFERRED_H
#define DEFERRED_H

#include "caller.h"

#include <stdatomic.h>

typedef struct item {
    sq_deferred_t task;
    sq_queue_t *queue;
    journal_t *journal;
    int number;
    atomic_int decided, error, ran, discarded;
} item_t;

static inline void item_call(void *first, void *second, bool runs) {
    item_t *item = first;
    CHECK(second == &item->number);
    CHECK(sq_is_current(item->queue));
    atomic_fetch_add(runs ? &item->ran : &item->discarded, 1);
    if (item->journal != NULL && runs) {
        write_entry(&(entry_t){ item->journal, item->number });
    }
}

static inline void item_decided(sq_deferred_t *task, int error) {
    item_t *item = (item_t *)task;
    CHECK_EQUAL(item->ran, 0); /* the giver holds the baton */
    item->error = error;
    atomic_fetch_add(&item->decided, 1);
}

static inline void item_init(item_t *item, sq_queue_t *queue, journal_t *journal, int number) {
    *item = (item_t){ .task = { item_call, item, &item->number, item_decided, false, { NULL } },
                      .queue = queue, .journal = journal, .number = number };
}

static inline void check_item(item_t *item, int decided, int error, int ran, int discarded) {
    CHECK_EQUAL(item->decided, decided);
    CHECK_EQUAL(item->error, error);
    CHECK_EQUAL(item->ran, ran);
    CHECK_EQUAL(item->discarded, discarded);
}

static inline void fill(sq_queue_t *queue, hold_t *hold, size_t count, size_t *ran) {
    hold_async(hold, queue);
    for (size_t i = 0; i < count; i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, ran), 0);
    }
}

#endif

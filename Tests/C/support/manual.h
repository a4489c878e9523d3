/* manual.h: a manual pool, and a journal of what ran on it. Everything is static: a program has what it uses. */
#ifndef MANUAL_H
#define MANUAL_H

#include "caller.h"
#include "child.h"
#include "inject.h"
#include "sq_pool.h"
#include "sq_timer.h"
#include "pools.h"

static inline void end(sq_pool_t *pool, sq_queue_t *first, sq_queue_t *second) {
    sq_queue_release(first);
    sq_queue_release(second);
    sq_pool_release(pool);
}

static journal_t journal;
static entry_t numbers[1024];

/* From an empty journal on. */
static inline void begin(void) {
    journal.count = 0;
    for (int i = 0; i < 1024; i += 1) {
        numbers[i] = (entry_t){ &journal, i };
    }
}

static inline void submit(sq_queue_t *queue, int number) { CHECK_EQUAL(sq_async(queue, write_entry, &numbers[number]), 0); }

static inline void check_journal(const int *expected, size_t count) {
    CHECK_EQUAL(journal.count, count);
    for (size_t i = 0; i < count && i < journal.count; i += 1) {
        CHECK_EQUAL(journal.entries[i], expected[i]);
    }
}
#define CHECK_JOURNAL(...) \
    check_journal((const int[]){ __VA_ARGS__ }, sizeof(const int[]){ __VA_ARGS__ } / sizeof(int))

typedef struct spawner {
    sq_pool_t *pool;
    sq_queue_t *queue, *other;
    int number;
} spawner_t;

#endif

/* value.c: the values of a queue: one that is replaced is released once, and not while another thread takes a reference to it. Its records: two
 * threads that make the same one, without a lock, make one. */
#include "scenario.h"

#include "include/sq_private.h"
#include "include/sq_value.h"
#include "state/state_inline.h"

#include <string.h>

enum { VALUES = 2 };

static const char key;
static sq_queue_t *queue;
static struct value { int references; bool is_gone; } values[VALUES];

static void retain(void *context) {
    struct value *value = context;
    if (value->is_gone) {
        ex_fail("value: it was released already");
    }
    value->references += 1;
}

static void release(void *context) {
    struct value *value = context;
    value->references -= 1;
    value->is_gone = value->references == 0;
    if (value->references < 0) {
        ex_fail("value: released twice");
    }
}

static void set(unsigned i) {
    values[i].references = 1;
    if (sq_queue_set_value(queue, &key, &values[i], release) != 0) {
        ex_fail("value: it was not set");
    }
}

static void set_first(void *unused) { (void)unused; set(0); }
static void set_second(void *unused) { (void)unused; set(1); }

static void get(void *unused) {
    (void)unused;
    struct value *value = sq__queue_value(queue, &key, retain);
    if (value != NULL) {
        ex_point();
        if (value->is_gone) {
            ex_fail("value: it was released while a thread had a reference");
        }
        release(value);
    }
}

static void run_with(void (*other)(void *)) {
    void (*const bodies[])(void *) = { set_first, other, get };
    int threads[3];
    stage_begin(&(expectation_t){ 0 }, 0);
    memset(values, 0, sizeof values);
    queue = sq_queue_create("A", NULL);
    for (unsigned i = 0; i < 3; i += 1) {
        threads[i] = ex_start(bodies[i], NULL, false);
    }
    for (unsigned i = 0; i < 3; i += 1) {
        ex_join(threads[i]);
    }
    sq_queue_release(queue);
    for (unsigned i = 0; i < VALUES; i += 1) {
        if (values[i].references != 0) {
            ex_fail("value %u: %d references are left", i, values[i].references);
        }
    }
}

static void replaced(void) { run_with(set_second); }

enum { BEFORE = INT32_MAX }; /* what is counted after that is counted in a record: tally.c */

static void reject(void *unused) {
    (void)unused;
    sq__queue_reject(queue, 0);
}

static void read_rejected(void *unused) {
    (void)unused;
    uint64_t rejected = sq__tallied(queue, SQ__TALLY_REJECTED);
    if (rejected < BEFORE || rejected > (uint64_t)BEFORE + 2) {
        ex_fail("tally: %llu were rejected", (unsigned long long)rejected);
    }
}

/* One of them finds no table and perhaps no record, or no memory for it. */
static void tallied(void) {
    void (*const bodies[])(void *) = { reject, reject, read_rejected };
    int threads[3];
    stage_begin(&(expectation_t){ 0 }, 0);
    queue = sq_queue_create("A", NULL);
    if (queue == NULL) {
        return;
    }
    sq__store_relaxed(&queue->tallies[SQ__TALLY_REJECTED], BEFORE);
    for (unsigned i = 0; i < 3; i += 1) {
        threads[i] = ex_start(bodies[i], NULL, false);
    }
    for (unsigned i = 0; i < 3 && threads[i] >= 0; i += 1) {
        ex_join(threads[i]);
    }
    if (sq__tallied(queue, SQ__TALLY_REJECTED) != (uint64_t)BEFORE + 2) {
        ex_fail("tally: two were rejected, and %llu counted", (unsigned long long)(sq__tallied(queue, SQ__TALLY_REJECTED) - BEFORE));
    }
    sq_queue_release(queue);
}

const scenario_t value_scenarios[] = {
    { "tally_record", "two threads count what no longer fits the queue, and a third one reads the count", .body = tallied },
    { "tally_faults", "there is no memory for the record of the count", .body = tallied, .faults = true },
    { "value_replace", "two threads set a value, and a third one takes a reference to it", .body = replaced },
    { 0 },
};

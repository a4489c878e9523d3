/* alarm_set.h: the fields of a set of alarms, and what both kinds of set do with them. alarm.h has the design. */
#pragma once

#include "alarm/alarm_inline.h"
#include "alarm/heap.h"
#include "platform/mutex.h"
#include "thread/token.h"

/* Fields: F fixed after creation, L under the lock. */
struct sq__alarms {
    sq__mutex_t lock;
    sq__heap_t exact;  /* L  alarms without a leeway, and those for whose leeway there was no memory */
    sq__heap_t loose;  /* L  alarms with a leeway, by due time */
    sq__heap_t latest; /* L  alarms with a leeway, by latest time */
    uint64_t order;    /* L  how many alarms were ever set */
    uint64_t now;      /* L  the time of its own clock */
    bool is_manual;    /* F  it has its own clock */
    size_t leases;     /* L  `exact` has memory for so many */
    sq__token_t *token; /* L  the thread's; NULL: no thread runs */
    sq__wait_id_t wait_id;    /* L  of the wait in which the thread sleeps now */
    uint64_t wakes_at;  /* L  when that sleep ends; 0: the thread is awake, or is being woken */
    bool lingers;       /* L  when that sleep began there was no lease, so it ends in time for the thread to leave */
};

/* The smallest key of this heap; SQ__NEVER: it is empty. */
static inline uint64_t sq__alarms_key(const sq__heap_t *heap) { return heap->count > 0 ? sq__heap_at(heap, 0)->key : SQ__NEVER; }

/* L. Empties the heaps, and frees their memory. No effect on the nodes. */
void sq__alarms_empty(sq__alarms_t *alarms);

/* L. Takes the alarm out of its set. */
void sq__alarms_take(sq__alarms_t *alarms, sq__alarm_t *alarm);

/* L. Takes out the first alarm that is due by `time`; *due: when. NULL: there is none. */
sq__alarm_t *sq__alarms_take_due(sq__alarms_t *alarms, uint64_t time, uint64_t *due);

/* L, for an alarm that was taken. Calls the alarm without the lock; afterwards the alarm may be freed. Returns false, still without the lock, if the
 * call has forked and this is the child: there the set belongs to another thread. */
bool sq__alarms_run(sq__alarms_t *alarms, sq__alarm_t *alarm);

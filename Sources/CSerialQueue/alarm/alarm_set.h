/* alarm_set.h: the fields of a set of alarms, and what both kinds of set do with them. alarm.h has the design. */
#pragma once

#include "alarm/alarm_inline.h"
#include "alarm/heap.h"
#include "platform/mutex.h"
#include "thread/token.h"

/* Fields: F fixed after creation, L under the lock. */
struct sq__alarms {
    sq__mutex_t lock;
    sq__heap_t exact;  /* L  alarms without a leeway */
    sq__heap_t loose;  /* L  alarms with a leeway, by due time */
    sq__heap_t latest; /* L  alarms with a leeway, by latest time */
    uint64_t order;    /* L  how many alarms were ever set */
    uint64_t now;      /* L  the time of its own clock */
    bool is_manual;    /* F  it has its own clock */
    size_t leases;     /* L */
    sq__token_t *token; /* L  the thread's; NULL: no thread runs */
    sq__wait_id_t wait_id;    /* L  of the wait in which the thread sleeps now */
    uint64_t wakes_at;  /* L  when that sleep ends; 0: the thread is awake, or is being woken */
};

/* When the alarm of this node is due; SQ__NEVER: there is no node. */
static inline uint64_t sq__alarms_key(const sq__heap_node_t *node) { return node != NULL ? node->key : SQ__NEVER; }

/* L. Takes the alarm out of its set. */
void sq__alarms_take(sq__alarm_t *alarm);

/* L. Takes out the first alarm that is due by `time`. NULL: there is none. */
sq__alarm_t *sq__alarms_take_due(sq__alarms_t *alarms, uint64_t time);

/* L, for an alarm that was taken. Calls the alarm without the lock; afterwards the alarm may be freed. Returns false, still without the lock, if the
 * call has forked and this is the child: there the set belongs to another thread. */
bool sq__alarms_run(sq__alarms_t *alarms, sq__alarm_t *alarm);

/* alarm_inline.h: an alarm, as its user embeds it. alarm.h has the calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A node of a heap (heap.h). All zero: it is in none. */
typedef struct sq__heap_node {
    uint64_t order; /* among equal keys */
    size_t place;   /* where its entry is, counted from 1; 0: it is in no heap */
} sq__heap_node_t;

typedef struct sq__alarms sq__alarms_t;
typedef struct sq__alarm sq__alarm_t;

/* L under the set's lock. Before the alarm is first set, all fields except `call` are zero. */
struct sq__alarm {
    void (*call)(sq__alarm_t *alarm); /* called with no lock held; it may set the alarm again, or free it */
    sq__heap_node_t due;              /* L  key: nanoseconds of the set's clock; SQ__NEVER: the alarm is not called */
    sq__heap_node_t latest;           /* L  key: that plus the leeway; in a heap only if there is a leeway. No order */
};

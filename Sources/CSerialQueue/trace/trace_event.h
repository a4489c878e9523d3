/* trace_event.h: what a trace consists of. */
#pragma once

#include "trace/trace.h"

typedef struct sq__entry {
    uint64_t time;  /* nanoseconds of sq__clock_now */
    uint64_t what;  /* sq__entry_what */
    uint64_t where; /* see the kinds */
    uint64_t which;
} sq__entry_t;

static inline uint64_t sq__entry_what(sq__entry_kind_t kind, unsigned detail, uint32_t queue) {
    return (uint64_t)queue << 32 | (uint64_t)(detail & 0xFF) << 8 | (uint64_t)kind;
}

static inline sq__entry_kind_t sq__entry_kind(const sq__entry_t *event) { return (sq__entry_kind_t)(event->what & 0xFF); }
static inline unsigned sq__entry_detail(const sq__entry_t *event) { return (unsigned)(event->what >> 8) & 0xFF; }
static inline uint32_t sq__entry_queue(const sq__entry_t *event) { return (uint32_t)(event->what >> 32); }

/* perfetto_event.h: one event of a trace: its packet, and the notes in it. */
#ifndef SQ__TRACE_PERFETTO_EVENT_H
#define SQ__TRACE_PERFETTO_EVENT_H

#include "trace/perfetto_packet.h"

typedef struct sq__event_packet {
    size_t whole, event;
} sq__event_packet_t;

/* Begins an event; ends with sq__event_end. */
sq__event_packet_t sq__event_begin(sq__perfetto_t *perfetto, uint64_t time, unsigned type, uint64_t track);
void sq__event_end(sq__perfetto_t *perfetto, sq__event_packet_t packet);

/* Begins an event with a category and a name. */
sq__event_packet_t sq__event_begin_named(sq__perfetto_t *perfetto, uint64_t time, unsigned type, uint64_t track, const char *category,
                                         const char *name);

/* In words: how a wait or a task ended, by its errno code. */
const char *sq__outcome_text(unsigned error);

/* What an event says about a task. */
typedef struct sq__task_notes {
    unsigned kind;
    uint32_t function, context; /* interned; 0: not known */
    const char *label;          /* or "" */
} sq__task_notes_t;

/* Before the event begins. `function` and `context` are code. */
sq__task_notes_t sq__task_notes(sq__perfetto_t *perfetto, unsigned kind, uint64_t function, uint64_t context, const char *label);
void sq__annotate_task(sq__proto_t *proto, const sq__task_notes_t *notes);

/* Within an event: a number, a text, and a text that was interned. */
void sq__annotate(sq__proto_t *proto, const char *name, uint64_t value);
void sq__annotate_text(sq__proto_t *proto, const char *name, const char *text);
void sq__annotate_interned(sq__proto_t *proto, const char *name, uint32_t number);

#endif

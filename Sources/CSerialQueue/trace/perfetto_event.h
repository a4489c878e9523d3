/* perfetto_event.h: one event of a trace: its packet, and the notes in it. */
#pragma once

#include "trace/perfetto_packet.h"

/* Begins an event, which sq__packet_end ends. */
sq__packet_t sq__event_begin(sq__perfetto_t *perfetto, uint64_t time, unsigned type, uint64_t track);

/* The same with a category and a name. */
sq__packet_t sq__event_begin_named(sq__perfetto_t *perfetto, uint64_t time, unsigned type, uint64_t track, const char *category,
                                   const char *name);

/* In words: how a wait or a task ended, by its errno code. */
const char *sq__outcome_text(unsigned error);

/* What an event says about a task. */
typedef struct sq__task_notes {
    unsigned kind;
    uint32_t function, context; /* interned; 0: not known */
    const char *label;          /* or "" */
} sq__task_notes_t;

/* sq__task_notes: before the event begins; `function` and `context` are code, and `label` stays valid. sq__annotate_task: within the event, adds the
 * notes. */
sq__task_notes_t sq__task_notes(sq__perfetto_t *perfetto, unsigned kind, uint64_t function, uint64_t context, const char *label);
void sq__annotate_task(sq__proto_t *proto, const sq__task_notes_t *notes);

/* Within an event: a number, a text, and a text that was interned (0: none). */
void sq__annotate(sq__proto_t *proto, const char *name, uint64_t value);
void sq__annotate_text(sq__proto_t *proto, const char *name, const char *text);
void sq__annotate_interned(sq__proto_t *proto, const char *name, uint32_t number);

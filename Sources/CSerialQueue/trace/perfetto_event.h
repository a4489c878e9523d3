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

/* Begins an event with a category and, unless it is NULL, a name. */
sq__event_packet_t sq__event_begin_named(sq__perfetto_t *perfetto, uint64_t time, unsigned type, uint64_t track, const char *category,
                                         const char *name);

/* Within an event: a number, a text, and a text that was interned. */
void sq__annotate(sq__proto_t *proto, const char *name, uint64_t value);
void sq__annotate_text(sq__proto_t *proto, const char *name, const char *text);
void sq__annotate_interned(sq__proto_t *proto, const char *name, uint32_t number);

#endif

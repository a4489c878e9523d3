#include "trace/perfetto_event.h"

#include <errno.h>

static size_t begin_annotation(sq__proto_t *proto, const char *name) {
    size_t annotation = sq__proto_begin(proto, EVENT_ANNOTATION);
    sq__proto_text(proto, ANNOTATION_NAME, name);
    return annotation;
}

void sq__annotate(sq__proto_t *proto, const char *name, uint64_t value) {
    size_t annotation = begin_annotation(proto, name);
    sq__proto_number(proto, ANNOTATION_COUNT, value);
    sq__proto_end(proto, annotation);
}

void sq__annotate_interned(sq__proto_t *proto, const char *name, uint32_t number) {
    if (number != 0) {
        size_t annotation = begin_annotation(proto, name);
        sq__proto_number(proto, ANNOTATION_TEXT_NUMBER, number);
        sq__proto_end(proto, annotation);
    }
}

void sq__annotate_text(sq__proto_t *proto, const char *name, const char *text) {
    size_t annotation = begin_annotation(proto, name);
    sq__proto_text(proto, ANNOTATION_TEXT, text);
    sq__proto_end(proto, annotation);
}

const char *sq__outcome_text(unsigned error) {
    switch (error) {
    case ETIMEDOUT: return "timed out";
    case EDEADLK: return "refused, a deadlock";
    case ESHUTDOWN: return "refused, shut down";
    case ECANCELED: return "cancelled";
    default: return "refused";
    }
}

sq__task_notes_t sq__task_notes(sq__perfetto_t *perfetto, unsigned kind, uint64_t function, uint64_t context, const char *label) {
    sq__task_notes_t notes = { .kind = kind, .function = sq__packet_intern(perfetto, SQ__TEXT_OF_CODE, function), .label = label };
    notes.context = sq__packet_intern(perfetto, SQ__TEXT_OF_CODE, context);
    return notes;
}

void sq__annotate_task(sq__proto_t *proto, const sq__task_notes_t *notes) {
    sq__annotate(proto, "kind", notes->kind);
    sq__annotate_interned(proto, "function", notes->function);
    sq__annotate_interned(proto, "context", notes->context);
    if (notes->label[0] != '\0') {
        sq__annotate_text(proto, "label", notes->label);
    }
}

sq__packet_t sq__event_begin(sq__perfetto_t *perfetto, uint64_t time, unsigned type, uint64_t track) {
    sq__packet_t packet = sq__packet_begin(perfetto, time, USES_WHAT_CAME_BEFORE, PACKET_EVENT);
    sq__proto_number(&perfetto->proto, EVENT_TYPE, type);
    sq__proto_number(&perfetto->proto, EVENT_TRACK, track);
    return packet;
}

sq__packet_t sq__event_begin_named(sq__perfetto_t *perfetto, uint64_t time, unsigned type, uint64_t track, const char *category,
                                   const char *name) {
    sq__packet_t packet = sq__event_begin(perfetto, time, type, track);
    sq__proto_text(&perfetto->proto, EVENT_CATEGORY, category);
    sq__proto_text(&perfetto->proto, EVENT_NAME, name);
    return packet;
}

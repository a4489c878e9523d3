/* DESIGN. A trace is a sequence of Perfetto's packets; SerialQueue writes some of its fields, and these are read here. Unknown fields, and those of
 * another type than SerialQueue writes, are skipped. The file is read once, in pieces: of an event 32 bytes stay in memory, and what many events have
 * in common (the names of their functions, ...) stays once, as a note. A file whose end is missing, because its process was killed, is read up to its
 * last whole packet. */
#include "events.h"
#include "fields.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1 << 20, PROGRESS = 1 << 23 /* bytes */ };
#define BIT(number) (UINT64_C(1) << (number))

typedef struct reader {
    trace_t *trace;
    map_t names, texts; /* interned ones, since the sequence began anew */
    FILE *file;
    uint8_t *data;      /* from `offset` in the file on */
    size_t used, room;
    uint64_t offset, size;
    bool has_all;       /* the file has no more */
} reader_t;

static uint32_t text_in(reader_t *reader, const field_t *field) { return text_number(&reader->trace->texts, field->bytes, field->value); }

/* Tracks */

static uint32_t thread_of(trace_t *trace, uint64_t track) {
    uint32_t number = map_find(&trace->tracks, track);
    if (number == NONE) {
        number = (uint32_t)trace->threads.count;
        *LIST_ADD(&trace->threads) = (thread_t){ .track = track };
        map_set(&trace->tracks, track, number);
    }
    return number;
}

static uint32_t queue_of(trace_t *trace, uint32_t id) {
    uint32_t number = map_find(&trace->queue_ids, id);
    if (number == NONE) {
        number = (uint32_t)trace->queues.count;
        *LIST_ADD(&trace->queues) = (queue_t){ .id = id };
        map_set(&trace->queue_ids, id, number);
    }
    return number;
}

static void describe_queue(trace_t *trace, uint32_t id, uint32_t label, uint64_t handle) {
    uint32_t number = queue_of(trace, id);
    queue_t *queue = &trace->queues.at[number];
    const char *text = trace->texts.list.at[label].at;
    if (!queue->is_described) {
        *LIST_ADD(&trace->described) = number;
    }
    /* Those of the library itself, which are locks for a moment: no task of a user's is in them. */
    *queue = (queue_t){ handle, id, label, true, strcmp(text, "lock of all operation queues") == 0 || strcmp(text, "lock of a FIFOQueue") == 0 };
}

/* Of a message the last value of each field up to `most`; the bits in `has` say which it has. */
static uint64_t collect(fields_t fields, uint64_t spans, field_t *parts, unsigned most) {
    uint64_t has = 0;
    field_t field;
    while (next_field(&fields, spans, &field)) {
        if (field.number <= most) {
            parts[field.number] = field;
            has |= BIT(field.number);
        }
    }
    return has;
}

/* The number of a queue, "0x55d0c8a012a0"; 0: this is none. */
static uint64_t handle_in(const field_t *field) {
    char text[20] = "";
    memcpy(text, field->bytes, field->value < sizeof text ? field->value : sizeof text - 1);
    return strncmp(text, "0x", 2) == 0 ? strtoull(text, NULL, 16) : 0;
}

static void read_track(reader_t *reader, fields_t fields) {
    trace_t *trace = reader->trace;
    field_t parts[15], inner[6];
    uint64_t has = collect(fields, BIT(2) | BIT(3) | BIT(4) | BIT(8) | BIT(14), parts, 14);
    if (!(has & BIT(1))) {
        stop_at(fields.packet);
    }
    uint64_t track = parts[1].value;
    if (has & BIT(3)) {
        trace->process = collect(fields_of(&fields, &parts[3]), 0, inner, 5) & BIT(1) ? inner[1].value : 0;
    } else if (has & BIT(4)) {
        uint64_t knows = collect(fields_of(&fields, &parts[4]), BIT(5), inner, 5);
        uint32_t name = knows & BIT(5) ? text_in(reader, &inner[5]) : 0;
        uint32_t number = thread_of(trace, track); /* the list may move */
        trace->threads.at[number] = (thread_t){ track, knows & BIT(2) ? inner[2].value : 0, name, true };
    } else if (has & BIT(8)) {
        if (!(has & BIT(2))) {
            stop_at(fields.packet);
        }
    } else if (has & BIT(2) && track >> 32 == TRACKS_OF_QUEUES) {
        describe_queue(trace, (uint32_t)track, text_in(reader, &parts[2]), has & BIT(14) ? handle_in(&parts[14]) : 0);
    }
}

static void read_clocks(reader_t *reader, fields_t fields) {
    field_t field, parts[3];
    while (next_field(&fields, BIT(1), &field)) {
        uint64_t has = field.bytes != NULL ? collect(fields_of(&fields, &field), 0, parts, 2) : 0;
        if (has & BIT(1) && parts[1].value == 3 && has & BIT(2) && parts[2].value > reader->trace->last_clock) { /* the steady one, which events have */
            reader->trace->last_clock = parts[2].value;
        }
    }
}

static void read_interned(reader_t *reader, fields_t fields) {
    field_t field, parts[3];
    while (next_field(&fields, BIT(2) | BIT(29), &field)) {
        if (field.bytes != NULL) {
            if ((collect(fields_of(&fields, &field), BIT(2), parts, 2) & 6) != 6) {
                stop_at(fields.packet);
            }
            map_set(field.number == 2 ? &reader->names : &reader->texts, parts[1].value, text_in(reader, &parts[2]));
        }
    }
}

/* Events */

/* One that is being read. */
typedef struct raw {
    note_t note;
    uint64_t track, queue, value, detail, thread, events, buffer;
    uint64_t flow, last_flow;
} raw_t;

static uint32_t interned(const map_t *map, uint64_t number) {
    uint32_t text = map_find(map, number);
    return text == NONE ? 0 : text;
}

static void annotate(reader_t *reader, fields_t fields, raw_t *raw) {
    uint32_t name = 0, text = 0;
    uint64_t number = 0;
    enum { NOTHING, A_NUMBER, A_TEXT } what = NOTHING;
    field_t field;
    while (next_field(&fields, BIT(6) | BIT(10), &field)) {
        if (field.number == 10) {
            name = text_in(reader, &field);
        } else if (field.number == 3) {
            number = field.value;
            what = A_NUMBER;
        } else if (field.number == 6 || field.number == 17) {
            text = field.number == 6 ? text_in(reader, &field) : interned(&reader->texts, field.value);
            what = A_TEXT;
        }
    }
    note_t *note = &raw->note;
    if (what == A_TEXT) {
        uint32_t *into = name == FUNCTION ? &note->function : name == CONTEXT ? &note->context : name == SITE ? &note->site : name == LABEL ? &note->label : NULL;
        into = name == OUTCOME ? &note->outcome : into;
        if (into != NULL) {
            *into = text;
        }
    } else if (what == A_NUMBER) {
        uint64_t *into = name == QUEUE ? &raw->queue : name == DETAIL ? &raw->detail : name == THREAD ? &raw->thread : name == EVENTS ? &raw->events : NULL;
        into = name == BUFFER ? &raw->buffer : name == COUNT || name == RAN ? &raw->value : into;
        if (into != NULL) {
            *into = number;
        } else if (name == KIND) {
            note->kind = (uint32_t)number;
        } else if (name == AIM) {
            note->aim = (uint32_t)number;
        }
    }
}

/* What is not on a thread's track: remarks, dropped events, the end. */
static void keep_of_process(trace_t *trace, uint64_t time, const raw_t *raw) {
    if (raw->note.category == REMARK) {
        *LIST_ADD(&trace->remarks) = (struct remark){ time, raw->note.name };
    } else if (raw->note.category == END_OF_TRACE) {
        trace->has_end = true;
    } else if (raw->note.category == DROPPED) {
        struct dropped *found = NULL;
        for (size_t i = 0; i < trace->dropped.count && found == NULL; i += 1) {
            found = trace->dropped.at[i].thread == raw->thread ? &trace->dropped.at[i] : NULL;
        }
        if (found == NULL) {
            found = LIST_ADD(&trace->dropped);
            *found = (struct dropped){ .thread = raw->thread };
        }
        found->events += raw->events;
        found->buffer = raw->buffer;
    }
}

static void keep_event(trace_t *trace, uint64_t time, const raw_t *raw) {
    trace->begin = !trace->has_events || time < trace->begin ? time : trace->begin;
    trace->finish = !trace->has_events || time > trace->finish ? time : trace->finish;
    trace->has_events = true;
    uint32_t category = raw->note.category;
    if (raw->track >> 32 != TRACKS_OF_THREADS) {
        if (raw->note.type == INSTANT) {
            keep_of_process(trace, time, raw);
        }
        return;
    }
    uint64_t flow = category == RUN || category == WITHDRAWN ? raw->last_flow : category == RESUME ? raw->detail : raw->flow;
    flow = category == APPLY || raw->note.type == END ? raw->value : flow;
    *LIST_ADD(&trace->events) = (event_t){ time, flow, queue_of(trace, (uint32_t)raw->queue), thread_of(trace, raw->track),
                                           record_number(&trace->notes, &raw->note), 0 };
}

static void read_event(reader_t *reader, uint64_t time, fields_t fields) {
    raw_t raw = { .detail = NO_DETAIL };
    field_t field;
    while (next_field(&fields, BIT(4) | BIT(22) | BIT(23), &field)) {
        switch (field.number) {
        case 4: annotate(reader, fields_of(&fields, &field), &raw); break;
        case 9: raw.note.type = (uint32_t)field.value; break;
        case 10: raw.note.name = interned(&reader->names, field.value); break;
        case 11: raw.track = field.value; break;
        case 22: raw.note.category = text_in(reader, &field); break;
        case 23: raw.note.name = text_in(reader, &field); break;
        case 47: raw.flow = field.value; break;
        case 48: raw.last_flow = field.value; break;
        default: break;
        }
    }
    keep_event(reader->trace, time, &raw);
}

/* The file */

static void read_packet(reader_t *reader, fields_t fields) {
    uint64_t time = 0;
    field_t field;
    while (next_field(&fields, BIT(6) | BIT(11) | BIT(12) | BIT(60), &field)) {
        switch (field.number) {
        case 8: time = field.value; break;
        case 6: read_clocks(reader, fields_of(&fields, &field)); break;
        case 11: read_event(reader, time, fields_of(&fields, &field)); break;
        case 12: read_interned(reader, fields_of(&fields, &field)); break;
        case 13:
            if (field.value & 1) {
                map_clear(&reader->names);
                map_clear(&reader->texts);
            }
            break;
        case 60: read_track(reader, fields_of(&fields, &field)); break;
        default: break;
        }
    }
}

/* Has at least so many bytes of the file from `at` on in memory, or all that are left. Returns how many. */
static size_t need(reader_t *reader, size_t *at, uint64_t bytes) {
    while (reader->used - *at < bytes && !reader->has_all) {
        if (*at > 0) {
            memmove(reader->data, reader->data + *at, reader->used - *at);
        }
        reader->offset += *at;
        reader->used -= *at;
        *at = 0;
        if (reader->room - reader->used < PIECE) {
            reader->room = reader->room * 2 + PIECE;
            reader->data = realloc(reader->data, reader->room);
            if (reader->data == NULL) {
                stop("there is not enough memory");
            }
        }
        size_t count = fread(reader->data + reader->used, 1, PIECE, reader->file);
        reader->used += count;
        reader->has_all = count == 0;
    }
    return reader->used - *at;
}

/* Takes the field at `at`, in which a packet is. Returns false at the end, or if the end is missing. */
static bool take_packet(reader_t *reader, size_t *at, uint64_t *begin) {
    size_t bytes = need(reader, at, 20);
    const uint8_t *next = reader->data + *at, *end = next + bytes;
    uint64_t key, length = 0;
    if (bytes == 0) {
        if (*begin != UINT64_MAX) {
            stop_at(*begin); /* what came last is no packet */
        }
        return false;
    }
    *begin = *begin == UINT64_MAX ? reader->offset + *at : *begin;
    int result = take_varint(&next, end, &key);
    unsigned type = key & 7;
    if (result == 1 && (type == 0 || type == 2)) {
        result = take_varint(&next, end, &length);
    } else if (result == 1 && type == 1) {
        length = 8;
    } else if (result == 1) {
        stop_at(reader->offset + *at);
    }
    size_t head = (size_t)(next - (reader->data + *at));
    if (result < 0) {
        stop_at(reader->offset + *at + head);
    }
    length = type == 0 ? 0 : length; /* that was the value */
    uint64_t whole = head + length;
    if (result == 0 || whole < length || need(reader, at, whole) < whole) {
        reader->trace->is_cut = true;
        return false;
    }
    if (type != 2 && key >> 3 != 1) {
        stop_at(*begin);
    }
    if (type == 2 && key >> 3 == 1) {
        read_packet(reader, (fields_t){ reader->data + *at + head, reader->data + *at + whole, reader->data, reader->offset, *begin });
        *begin = UINT64_MAX;
    }
    *at += whole;
    return true;
}

void trace_read(trace_t *trace, FILE *file, bool progress) {
    static const char *const first[] = {
#define AS_TEXT(name, text) text,
        FIRST_TEXTS(AS_TEXT)
    };
    reader_t reader = { .trace = trace, .file = file };
    struct stat status;
    reader.size = fstat(fileno(file), &status) == 0 ? (uint64_t)status.st_size : 0;
    for (size_t i = 0; i < FIRST_TEXTS_COUNT; i += 1) {
        text_number(&trace->texts, first[i], strlen(first[i]));
    }
    trace->notes.size = sizeof(note_t);
    queue_of(trace, 0);
    size_t at = 0;
    uint64_t begin = UINT64_MAX, shown = 0;
    while (take_packet(&reader, &at, &begin)) {
        if (progress && reader.size > PROGRESS && reader.offset >= shown) {
            shown = reader.offset + PROGRESS;
            fprintf(stderr, "\rsq-trace: reading, %.0f %%", 100.0 * (double)reader.offset / (double)reader.size);
        }
    }
    if (shown > 0) {
        fprintf(stderr, "\r%*s\r", 30, ""); /* the line is free again */
    }
    if (reader.offset + at == 0 && !trace->is_cut) {
        stop("it is empty");
    }
    trace->finish = trace->has_events && trace->last_clock > trace->finish ? trace->last_clock : trace->finish;
    free(reader.data);
    map_clear(&reader.names);
    map_clear(&reader.texts);
}

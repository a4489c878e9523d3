#include "trace/perfetto_packet.h"

#include "platform/clock.h"
#include "platform/memory.h"
#include "platform/program.h"
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

enum { SEQUENCE = 1, PATH_BYTES = 512, ALIVE_EVERY = 250000000 /* nanoseconds */ };

/* Packets */

sq__packet_t sq__packet_begin(sq__perfetto_t *perfetto, uint64_t time, unsigned flags, unsigned field) {
    sq__proto_t *proto = &perfetto->proto;
    sq__proto_flush(proto, false);
    sq__packet_t packet = { .whole = sq__proto_begin(proto, PACKET) };
    sq__proto_number(proto, PACKET_SEQUENCE, SEQUENCE);
    sq__proto_number(proto, PACKET_FLAGS, flags);
    if (time != 0) {
        sq__proto_number(proto, PACKET_TIME, time);
    }
    packet.message = sq__proto_begin(proto, field);
    return packet;
}

void sq__packet_end(sq__perfetto_t *perfetto, sq__packet_t packet) {
    sq__proto_end(&perfetto->proto, packet.message);
    sq__proto_end(&perfetto->proto, packet.whole);
}

static void put_clock(sq__proto_t *proto, unsigned number, uint64_t time) {
    size_t clock = sq__proto_begin(proto, CLOCKS_CLOCK);
    sq__proto_number(proto, CLOCK_NUMBER, number);
    sq__proto_number(proto, CLOCK_TIME, time);
    sq__proto_end(proto, clock);
}

/* From here on the numbers of interned texts start again. Times are those of the steady clock. */
static void begin_anew(sq__perfetto_t *perfetto) {
    memset(perfetto->interned, 0, sizeof perfetto->interned);
    perfetto->last_interned = 0;
    sq__packet_t packet = sq__packet_begin(perfetto, 0, BEGINS_ANEW, PACKET_DEFAULTS);
    sq__proto_number(&perfetto->proto, PACKET_CLOCK, CLOCK_STEADY);
    sq__packet_end(perfetto, packet);
}

/* Between packets: writes what all clocks show at `now`, a time of the steady clock, and keeps that as `alive`. */
static void put_clocks(sq__perfetto_t *perfetto, uint64_t now) {
    sq__proto_t *proto = &perfetto->proto;
    uint64_t since_boot, of_day;
    sq__clock_others(&since_boot, &of_day);
    sq__packet_t packet = sq__packet_begin(perfetto, 0, 0, PACKET_CLOCKS);
    put_clock(proto, CLOCK_STEADY, now);
    put_clock(proto, CLOCK_SINCE_BOOT, since_boot);
    put_clock(proto, CLOCK_OF_DAY, of_day);
    sq__packet_end(perfetto, packet);
    perfetto->alive = now;
}

void sq__perfetto_alive(sq__perfetto_t *perfetto, uint64_t time) {
    if (time > perfetto->alive && time - perfetto->alive >= ALIVE_EVERY) {
        put_clocks(perfetto, time);
    }
}

void sq__perfetto_begin(sq__perfetto_t *perfetto, sq__kept_file_t *file) {
    sq__proto_t *proto = &perfetto->proto;
    proto->file = file;
    proto->error = 0;
    proto->used = 0;
    put_clocks(perfetto, sq__clock_now());
    begin_anew(perfetto);
    sq__packet_t packet = sq__packet_begin(perfetto, 0, USES_WHAT_CAME_BEFORE, PACKET_TRACK);
    sq__proto_number(proto, TRACK_NUMBER, SQ__TRACK_PROCESS);
    size_t process = sq__proto_begin(proto, TRACK_PROCESS);
    sq__proto_number(proto, PROCESS_NUMBER, (uint64_t)sq__process_id());
    sq__proto_end(proto, process);
    sq__packet_end(perfetto, packet);
}

/* Tracks */

void sq__packet_track(sq__perfetto_t *perfetto, uint64_t number, const char *name, const char *description) {
    sq__proto_t *proto = &perfetto->proto;
    sq__packet_t packet = sq__packet_begin(perfetto, 0, USES_WHAT_CAME_BEFORE, PACKET_TRACK);
    sq__proto_number(proto, TRACK_NUMBER, number);
    sq__proto_number(proto, TRACK_PARENT, SQ__TRACK_PROCESS);
    sq__proto_text(proto, TRACK_NAME, name);
    if (description == NULL) {
        sq__proto_end(proto, sq__proto_begin(proto, TRACK_COUNTER));
    } else {
        sq__proto_text(proto, TRACK_DESCRIPTION, description);
    }
    sq__packet_end(perfetto, packet);
}

void sq__packet_thread(sq__perfetto_t *perfetto, const sq__recorder_t *recorder) {
    sq__proto_t *proto = &perfetto->proto;
    sq__packet_t packet = sq__packet_begin(perfetto, 0, USES_WHAT_CAME_BEFORE, PACKET_TRACK);
    sq__proto_number(proto, TRACK_NUMBER, SQ__TRACK_THREADS | recorder->thread_id);
    sq__proto_number(proto, TRACK_PARENT, SQ__TRACK_PROCESS);
    size_t thread = sq__proto_begin(proto, TRACK_THREAD);
    sq__proto_number(proto, THREAD_PROCESS, (uint64_t)sq__process_id());
    sq__proto_number(proto, THREAD_NUMBER, recorder->thread_id);
    sq__proto_text(proto, THREAD_NAME, recorder->thread_name);
    sq__proto_end(proto, thread);
    sq__packet_end(perfetto, packet);
}

const sq__described_t *sq__packet_queue(const sq__perfetto_t *perfetto, uint32_t number) {
    static const sq__described_t unknown = { .label = NULL, .is_concurrent = true };
    const sq__described_t *queue = number < perfetto->queue_room ? &perfetto->queues[number] : &unknown;
    return queue->label != NULL ? queue : &unknown;
}

void sq__perfetto_name(sq__perfetto_t *perfetto, const sq__traced_name_t *name) {
    const char *label = name->label[0] != '\0' ? name->label : "queue";
    char handle[2 + 2 * sizeof(void *) + 1];
    if (sq__packet_queue(perfetto, name->number)->label != NULL) {
        return;
    }
    snprintf(handle, sizeof handle, "%p", name->handle);
    sq__packet_track(perfetto, SQ__TRACK_QUEUES | name->number, label, handle);
    if (name->number >= perfetto->queue_room) {
        uint32_t room = name->number * 2 + 64;
        sq__described_t *more = sq__memory_zeroed(room * sizeof *more);
        if (more == NULL) {
            return; /* its events have no label */
        }
        if (perfetto->queues != NULL) {
            memcpy(more, perfetto->queues, perfetto->queue_room * sizeof *more);
        }
        sq__memory_free(perfetto->queues);
        perfetto->queues = more;
        perfetto->queue_room = room;
    }
    char *copy = sq__memory(strlen(label) + 1);
    if (copy != NULL) {
        memcpy(copy, label, strlen(label) + 1);
    }
    perfetto->queues[name->number] = (sq__described_t){ .label = copy, .is_concurrent = name->is_concurrent };
}

/* Texts that are written once */

/* "PATH+0x1234" for code, "" if it is none. */
static void describe_code(const void *code, char *text, size_t size) {
    char path[PATH_BYTES];
    uint64_t offset;
    text[0] = '\0';
    if (code != NULL && sq__code_find(code, path, sizeof path, &offset)) {
        snprintf(text, size, "%s+0x%llx", path, (unsigned long long)offset);
    }
}

/* Between packets: writes the text with its number, in this field: INTERNED_NAME or INTERNED_TEXT. */
static void put_interned(sq__perfetto_t *perfetto, unsigned field, uint32_t number, const char *text) {
    sq__proto_t *proto = &perfetto->proto;
    sq__packet_t packet = sq__packet_begin(perfetto, 0, USES_WHAT_CAME_BEFORE, PACKET_INTERNED);
    size_t entry = sq__proto_begin(proto, field);
    sq__proto_number(proto, INTERNED_ENTRY_NUMBER, number);
    sq__proto_text(proto, INTERNED_ENTRY_TEXT, text);
    sq__proto_end(proto, entry);
    sq__packet_end(perfetto, packet);
}

/* The text for sq__packet_intern, truncated to the size; "" for code that is in no file. */
static void write_text(sq__perfetto_t *perfetto, unsigned what, uint64_t value, char *text, size_t size) {
    if (what == SQ__NAME_OF_TASK) {
        const char *label = sq__packet_queue(perfetto, (uint32_t)value)->label;
        snprintf(text, size, "%s", label != NULL ? label : "task");
    } else if (what == SQ__TEXT_OF_SITE) {
        describe_code((const void *)sq__site_of_call((const void *)(uintptr_t)value), text, size);
    } else {
        describe_code((const void *)(uintptr_t)value, text, size);
    }
}

uint32_t sq__packet_intern(sq__perfetto_t *perfetto, unsigned what, uint64_t value) {
    uint64_t key[2] = { value, what };
    if (value == 0) {
        return 0;
    }
    if (perfetto->last_interned >= SQ__INTERNED / 2) {
        begin_anew(perfetto);
    }
    uint64_t at = (value * 0x9E3779B97F4A7C15u ^ key[1] * 0xC2B2AE3D27D4EB4Fu) >> 40;
    sq__interned_t *entry;
    for (;; at += 1) {
        entry = &perfetto->interned[at % SQ__INTERNED];
        if (entry->number == 0) {
            break;
        }
        if (entry->key[0] == key[0] && entry->key[1] == key[1]) {
            return entry->number;
        }
    }
    char text[PATH_BYTES + 32];
    write_text(perfetto, what, value, text, sizeof text);
    *entry = (sq__interned_t){ .key = { key[0], key[1] }, .number = ++perfetto->last_interned };
    put_interned(perfetto, what == SQ__NAME_OF_TASK ? INTERNED_NAME : INTERNED_TEXT, entry->number, text);
    return entry->number;
}

int sq__perfetto_flush(sq__perfetto_t *perfetto) {
    sq__proto_flush(&perfetto->proto, true);
    return perfetto->proto.error;
}

void sq__perfetto_end(sq__perfetto_t *perfetto) {
    for (uint32_t i = 0; i < perfetto->queue_room; i += 1) {
        sq__memory_free(perfetto->queues[i].label);
    }
    sq__memory_free(perfetto->queues);
    perfetto->queues = NULL;
    perfetto->queue_room = 0;
}

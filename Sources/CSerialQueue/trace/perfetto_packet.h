/* perfetto_packet.h: the file of a trace and its packets: what perfetto.c writes events with. */
#pragma once

#include "trace/proto.h"
#include "trace/recorders.h"

/* The fields of Perfetto's messages, by their path. */
enum {
    PACKET = 1,
    PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_INTERNED = 12, PACKET_FLAGS = 13,
    PACKET_CLOCK = 58, PACKET_DEFAULTS = 59, PACKET_TRACK = 60,
    EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_NAME_NUMBER = 10, EVENT_TRACK = 11, EVENT_CATEGORY = 22, EVENT_NAME = 23,
    EVENT_COUNT = 30, EVENT_FLOW = 47, EVENT_LAST_OF_FLOW = 48,
    TRACK_NUMBER = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8, TRACK_DESCRIPTION = 14,
    PROCESS_NUMBER = 1, THREAD_PROCESS = 1, THREAD_NUMBER = 2, THREAD_NAME = 5,
    INTERNED_NAME = 2, INTERNED_TEXT = 29, INTERNED_ENTRY_NUMBER = 1, INTERNED_ENTRY_TEXT = 2,
    ANNOTATION_COUNT = 3, ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10, ANNOTATION_TEXT_NUMBER = 17,
    CLOCKS_CLOCK = 1, CLOCK_NUMBER = 1, CLOCK_TIME = 2
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };            /* EVENT_TYPE */
enum { CLOCK_OF_DAY = 1, CLOCK_STEADY = 3, CLOCK_SINCE_BOOT = 6 };            /* CLOCK_NUMBER */
enum { BEGINS_ANEW = 1, USES_WHAT_CAME_BEFORE = 2 };                          /* PACKET_FLAGS */
enum { SQ__NAME_OF_TASK, SQ__TEXT_OF_CODE, SQ__TEXT_OF_SITE };                /* what is interned */

/* Tracks are known by these numbers, plus that of the thread, queue or pool. */
#define SQ__TRACK_PROCESS UINT64_C(1)
#define SQ__TRACK_THREADS (UINT64_C(1) << 32)
#define SQ__TRACK_QUEUES (UINT64_C(2) << 32)
#define SQ__TRACK_POOLS (UINT64_C(3) << 32)

enum { SQ__INTERNED = 4096, SQ__OPEN_EVENTS = 64, SQ__TEXT_BYTES = 80 };

/* Something that is written once: which event, text, ...; a part of the reader's state. */
typedef struct sq__interned {
    uint64_t key[2];
    uint32_t number; /* 0: unused */
} sq__interned_t;

/* What the file says about a queue. */
typedef struct sq__described {
    char *label;
    bool is_concurrent;
} sq__described_t;

/* What the writer of a file knows of it. perfetto.h has the design. */
typedef struct sq__perfetto {
    sq__proto_t proto;
    sq__described_t *queues; /* by number; 0 is not used */
    uint32_t queue_room;
    uint32_t last_interned;
    uint64_t alive; /* when the clocks were written last */
    sq__interned_t interned[SQ__INTERNED];
} sq__perfetto_t;

/* What the end of a packet needs. */
typedef struct sq__packet {
    size_t whole, message;
} sq__packet_t;

/* Begins a new file, which is open, and stays so until the last flush. The struct is zeroed, or sq__perfetto_end was called. */
void sq__perfetto_begin(sq__perfetto_t *perfetto, sq__kept_file_t *file);

/* Before the first event that names the queue, between packets: writes the queue's track, whose description is its number in dumps, and keeps a copy of
 * the label. Does nothing if the file has the name. Without memory the events have no label. */
void sq__perfetto_name(sq__perfetto_t *perfetto, const sq__traced_name_t *name);

/* Says that the process was recorded up to this time at least: writes all clocks, unless it did so within the last quarter of a second. */
void sq__perfetto_alive(sq__perfetto_t *perfetto, uint64_t time);

/* Writes what was collected. Returns 0, or the errno code of the first write that failed. */
int sq__perfetto_flush(sq__perfetto_t *perfetto);

/* Frees what is known of the queues, not the struct, and not the file. */
void sq__perfetto_end(sq__perfetto_t *perfetto);

/* Begins a packet and the one message in it, which is this field; not within a packet. `time` 0: it has none. `flags`: PACKET_FLAGS. Returns what the
 * end needs. The caller adds fields in between. */
sq__packet_t sq__packet_begin(sq__perfetto_t *perfetto, uint64_t time, unsigned flags, unsigned field);
void sq__packet_end(sq__perfetto_t *perfetto, sq__packet_t packet);

/* Between packets: describes a track below the process's (`description` NULL: a track of counts), and the track of a thread. */
void sq__packet_track(sq__perfetto_t *perfetto, uint64_t number, const char *name, const char *description);
void sq__packet_thread(sq__perfetto_t *perfetto, const sq__recorder_t *recorder);

/* The queue with this number. Its label is NULL if it is not known. */
const sq__described_t *sq__packet_queue(const sq__perfetto_t *perfetto, uint32_t number);

/* The number of a text that is written once: of the name of a queue's task (its queue), of code, or of a call site. 0 for the value 0.
 * Only between packets. */
uint32_t sq__packet_intern(sq__perfetto_t *perfetto, unsigned what, uint64_t value);

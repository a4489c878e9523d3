/* perfetto.h: a trace as Perfetto reads it: a sequence of TracePacket messages (perfetto.dev, "TrackEvent").
 *
 * DESIGN. A track for each thread has its tasks and waits as slices, and submissions and grants as instants with flows. A track
 * for each serial queue has the same tasks once more; the tasks of a concurrent queue overlap, and slices of a track must not. All events
 * belong to one packet sequence, and texts that repeat are written once and then named by number. */
#ifndef SQ__TRACE_PERFETTO_H
#define SQ__TRACE_PERFETTO_H

#include "trace/proto.h"
#include "trace/recorders.h"

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

typedef struct sq__perfetto {
    sq__proto_t proto;
    sq__described_t *queues; /* by number; 0 is not used */
    uint32_t queue_count, queue_room;
    uint32_t last_interned;
    uint64_t packets;
    uint64_t alive; /* when the clocks were written last */
    sq__interned_t interned[SQ__INTERNED];
} sq__perfetto_t;

/* A new file. */
void sq__perfetto_begin(sq__perfetto_t *perfetto, int file);

/* Before the first event that names the queue. Does nothing if the file has the name. */
void sq__perfetto_name(sq__perfetto_t *perfetto, const sq__traced_name_t *name);

/* Writes the events of a recorder from *first on, and before them which thread it belongs to; those before `since` are only used to
 * know what is open. Stops at `end`. */
void sq__perfetto_events(sq__perfetto_t *perfetto, sq__recorder_t *recorder, uint64_t first, uint64_t end, uint64_t since);

/* An event of the whole process. */
void sq__perfetto_remark(sq__perfetto_t *perfetto, uint64_t time, const char *text);

/* This many more events of this thread found no room. */
void sq__perfetto_dropped(sq__perfetto_t *perfetto, uint64_t time, const sq__recorder_t *recorder, uint64_t count);

/* Says that the process was recorded up to this time at least: writes all clocks, unless it did so within the last quarter of a second. */
void sq__perfetto_alive(sq__perfetto_t *perfetto, uint64_t time);

/* The recording ended at this time. What has not ended by then ran, waited or was suspended until then, at least. */
void sq__perfetto_finish(sq__perfetto_t *perfetto, uint64_t time);

/* Writes what was collected. Returns 0, or the errno code of the first write that failed. */
int sq__perfetto_flush(sq__perfetto_t *perfetto);

/* Frees what the struct points to, not the struct. */
void sq__perfetto_end(sq__perfetto_t *perfetto);

#endif

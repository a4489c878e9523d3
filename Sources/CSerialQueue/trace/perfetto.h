/* perfetto.h: a trace as Perfetto reads it: a sequence of TracePacket messages (perfetto.dev, "TrackEvent").
 *
 * DESIGN. A track for each thread has its tasks and waits as slices, and submissions and grants as instants with flows. A track
 * for each serial queue has the same tasks once more; the tasks of a concurrent queue overlap, and slices of a track must not. All events
 * belong to one packet sequence, and texts that repeat are written once and then named by number. */
#pragma once

#include "trace/perfetto_packet.h"

/* Writes the events of a recorder from `first` up to `end`, and before its first ones which thread it belongs to; those before `since` are only used
 * to know what is open. What is open is kept in recorder->reading; without memory for it nothing is written. */
void sq__perfetto_events(sq__perfetto_t *perfetto, sq__recorder_t *recorder, uint64_t first, uint64_t end, uint64_t since);

/* An event of the whole process. */
void sq__perfetto_remark(sq__perfetto_t *perfetto, uint64_t time, const char *category, const char *text);

/* This many more events of this thread found no room. */
void sq__perfetto_dropped(sq__perfetto_t *perfetto, uint64_t time, const sq__recorder_t *recorder, uint64_t count);

/* recorder.h: recording events.
 *
 * DESIGN. Each thread that records has a recorder of its own, made when it records the first event of a trace, and kept until the
 * thread ends or records for a later trace. Recording an event takes no lock. An event that opens something
 * (a task, a wait) is recorded only if there is room for all that is open, so what is opened is also closed.
 *
 * A trace has a number, its session; 0: nothing is recorded. A late thread may record for a session that is over: it
 * writes into a buffer that is no longer read. */
#pragma once

#include "trace/recorders.h"
#include "trace/sites.h"

/* Records an event of the calling thread. */
void sq__trace_event(sq__entry_kind_t kind, unsigned detail, uint32_t queue, uint64_t where, uint64_t which);

/* The same for an event that opens something. Returns the session; 0: it was not recorded. */
sq__session_t sq__trace_open(sq__entry_kind_t kind, unsigned detail, uint32_t queue, uint64_t where, uint64_t which);

/* Closes what was opened last, if that was recorded. `where`: see the kinds. */
void sq__trace_close(sq__session_t session, sq__entry_kind_t kind, unsigned detail, uint64_t where);

/* Records a text of at most 80 bytes, for the next event. */
void sq__trace_text(const char *text);

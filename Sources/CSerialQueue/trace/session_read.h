/* session_read.h: what the reader of a trace does: it moves what the threads have recorded into a file. session.c begins and ends it.
 *
 * All functions are called by the reader; when it has ended, by the thread that stops the trace. */
#pragma once

#include "platform/atomic.h"
#include "platform/kept_file.h"
#include "platform/thread.h"
#include "trace/options.h"
#include "trace/perfetto.h"
#include "trace/recorders.h"
#include "trace/request.h"

/* One trace, from its beginning to its end. I fixed while the reader runs; R used by the reader only; C under the control lock; A atomic. */
typedef struct sq__tracing {
    sq__trace_options_t options; /* I */
    sq__perfetto_t *perfetto;    /* R */
    sq__kept_file_t file;        /* R  the only one, or a flight recorder's first, which stays open: other processes keep off its path */
    sq__kept_file_t later;       /* R  another file of a flight recorder, while it is written */
    unsigned files;              /* R  how many were created */
    unsigned automatic_files;    /* R  how many of them only for deadlocks and stalls */
    bool has_reported_limit;     /* R  that there are too many of these */
    sq__requests_t answered;     /* R  what was requested at the last look */
    int error;                   /* R  the first error of a file; it was reported */
    uint64_t reported_lost;      /* R */
    uint64_t dropped;            /* R  in all */
    SQ__ATOMIC(bool) is_stopping; /* A */
    sq__token_t *end;             /* I  granted when the reader uses nothing of the session any longer */
    sq__wait_id_t end_id;         /* I */
    sq__thread_start_t start;     /* I */
} sq__tracing_t;

/* Removes what the open file had before. An error of this or a later function is reported and ends the recording, but not the session
 * (session->error). */
void sq__session_empty_file(sq__tracing_t *session);

/* Writes the events that all threads have recorded since the last call; of a flight recorder those since the time `since`. `is_last`: and where
 * the file ends. */
void sq__session_read(sq__tracing_t *session, uint64_t since, bool is_last);

/* Writes the next file of a flight recorder, and says so in a message. No effect after an error. */
void sq__session_write_file(sq__tracing_t *session);

/* The same if it was requested since the last call. */
void sq__session_answer(sq__tracing_t *session);

/* Ends the files. */
void sq__session_close_file(sq__tracing_t *session);

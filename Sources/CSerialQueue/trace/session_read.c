#include "trace/session_read.h"

#include "platform/clock.h"
#include "platform/memory.h"
#include "platform/message.h"
#include "thread/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Files for deadlocks and stalls; those that the program asks for are not limited. */
enum { MOST_AUTOMATIC_FILES = 10 };

/* A file could not be written: ends the recording with a message, once. The program continues. No effect if `error` is 0. */
static void fail(sq__tracing_t *session, const sq__kept_file_t *file, int error) {
    if (error == 0 || session->error != 0) {
        return;
    }
    session->error = error;
    sq__recorders_end();
    sq__process_be_quiet(true);
    if (file->is_lost) {
        sq__report("the trace %s ends here: the program has closed its descriptor, and the file cannot be opened again: %s. Close only descriptors "
                   "that the program has opened, or leave the file where it is. The program continues without it.", file->path, strerror(error));
    } else {
        sq__report("the trace %s cannot be written: %s. The program continues without it.", file->path, strerror(error));
    }
}

void sq__session_empty_file(sq__tracing_t *session) { fail(session, &session->file, sq__kept_file_empty(&session->file)); }

/* Writes the names of all queues that were named so far. A flight recorder keeps the names. */
static void write_names(sq__tracing_t *session) {
    sq__traced_name_t *names = sq__recorders_take_names();
    for (const sq__traced_name_t *name = names; name != NULL; name = name->next) {
        sq__perfetto_name(session->perfetto, name);
    }
    if (session->options.last == 0) {
        sq__recorders_free_names(names);
    } else {
        sq__recorders_put_back_names(names); /* for the next file */
    }
}

/* Writes how many events the recorder has dropped since this was called last, if any. */
static void report_dropped(sq__tracing_t *session, sq__recorder_t *recorder) {
    uint64_t dropped = sq__load_relaxed(&recorder->buffer.dropped);
    if (dropped != recorder->reported_dropped) {
        sq__perfetto_dropped(session->perfetto, sq__clock_now(), recorder, dropped - recorder->reported_dropped);
        session->dropped += dropped - recorder->reported_dropped;
        recorder->reported_dropped = dropped;
    }
}

void sq__session_read(sq__tracing_t *session, uint64_t since, bool is_last) {
    for (sq__recorder_t *next, *recorder = sq__recorders_look(); recorder != NULL; recorder = next) {
        uint64_t first, end = sq__buffer_recorded(&recorder->buffer, &first);
        next = recorder->next;
        write_names(session); /* after sq__buffer_recorded, so that the names of all queues in these events are known */
        sq__perfetto_events(session->perfetto, recorder, first, end, since);
        if (!recorder->buffer.overwrites) {
            sq__buffer_copied(&recorder->buffer, end);
        }
        report_dropped(session, recorder);
        if (recorder->was_left && !recorder->buffer.overwrites) {
            sq__recorders_remove(recorder);
        }
    }
    uint64_t lost = sq__recorders_lost();
    if (lost != session->reported_lost) {
        sq__perfetto_remark(session->perfetto, sq__clock_now(), "remark", "events were dropped: there was no memory for a thread's buffer");
        session->dropped += lost - session->reported_lost;
        session->reported_lost = lost;
    }
    if (is_last) {
        /* What has not ended by now ran, waited or was suspended until now, at least. */
        sq__perfetto_remark(session->perfetto, sq__clock_now(), "end", "the end of the trace");
    } else {
        sq__perfetto_alive(session->perfetto, sq__clock_now());
    }
    fail(session, session->perfetto->proto.file, sq__perfetto_flush(session->perfetto));
}

void sq__session_close_file(sq__tracing_t *session) {
    fail(session, &session->file, sq__kept_file_close(&session->file));
    (void)sq__kept_file_close(&session->later); /* open after an error only */
}

void sq__session_write_file(sq__tracing_t *session) {
    uint64_t now = sq__clock_now();
    if (session->error != 0) {
        return;
    }
    char path[SQ__TRACE_PATH + 16];
    sq__kept_file_t *file = session->files == 0 ? &session->file : &session->later;
    if (file == &session->later) {
        snprintf(path, sizeof path, "%s.%u", session->options.path, session->files);
        int error = sq__kept_file_open(file, path);
        fail(session, file, error ? error : sq__kept_file_empty(file));
    }
    if (session->error != 0) {
        return;
    }
    session->files += 1;
    sq__perfetto_begin(session->perfetto, file);
    sq__session_read(session, now > session->options.last ? now - session->options.last : 0, true);
    for (sq__recorder_t *recorder = sq__recorders_look(); recorder != NULL; recorder = recorder->next) {
        sq__memory_free(recorder->reading);
        recorder->reading = NULL;
    }
    sq__perfetto_end(session->perfetto);
    fail(session, file, file == &session->later ? sq__kept_file_close(file) : sq__kept_file_settle(file));
    if (session->error == 0) {
        sq__report("the last %" PRIu64 " ms of this process are in %s", session->options.last / 1000000, file->path);
    }
}

/* A deadlock or stall wants a file. True: there are not too many of these yet, and it is counted. Reports the first one that gets none. */
static bool may_write_automatically(sq__tracing_t *session) {
    if (session->automatic_files < MOST_AUTOMATIC_FILES) {
        session->automatic_files += 1;
        return true;
    }
    if (!session->has_reported_limit) {
        session->has_reported_limit = true;
        sq__report("the trace %s: no file is written for this deadlock or stall and for later ones, because earlier ones have written %u. "
                   "sq_trace_write, the signal and the end of the trace still write one.", session->options.path, (unsigned)MOST_AUTOMATIC_FILES);
    }
    return false;
}

void sq__session_answer(sq__tracing_t *session) {
    sq__requests_t made = sq__requests_made();
    if (made != session->answered && (sq__requests_ask(session->answered, made) || may_write_automatically(session))) {
        sq__session_write_file(session);
    }
    session->answered = made;
    sq__requests_answer(made);
}

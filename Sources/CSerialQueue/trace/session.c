/* session.c: a trace from its beginning to its end.
 *
 * DESIGN. A session has a file and a thread of its own, the reader. A stream is read every ten milliseconds. A flight recorder is read when
 * a file is requested (request.h): the reader then writes a whole one, the first with the path that was given, later ones with .1, .2,
 * ... after it. The one lock makes starting and stopping exclude each other. The end of a trace may take as long
 * as a disk or the reader of a pipe, so a fork does not wait for that lock. It takes the other one, under which a trace becomes known and is forgotten. */
#include "trace/trace.h"

#include "include/sq_trace.h"
#include "platform/fatal.h"
#include "platform/memory.h"
#include "platform/message.h"
#include "platform/mutex.h"
#include "platform/program.h"
#include "platform/signal_handler.h"
#include "platform/thread.h"
#include "thread/process.h"
#include "trace/request.h"
#include "trace/session_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint64_t pause = 10000000, fatal_pause = 2000000000; /* nanoseconds */

/* The letters are those of session_read.h. */
static sq__mutex_t calls = SQ__MUTEX_INIT; /* held by sq_trace_start and sq_trace_stop as a whole */
static sq__mutex_t control = SQ__MUTEX_INIT;
static sq__tracing_t *running;             /* C  NULL: none */
static bool is_prepared;                   /* C  the end of the process will end the trace */
static sq__tracing_t *of_parent;

/* The reader's thread. Now that it runs, the start cannot fail: the file loses what it had before. Grants `end` as its last use of the session. */
static void read_until_stopped(void *argument) {
    sq__tracing_t *session = argument;
    bool is_flight = session->options.last != 0;
    if (session->options.signal != 0) {
        sq__signal_accept(session->options.signal);
    }
    sq__session_empty_file(session);
    while (!sq__load_relaxed(&session->is_stopping)) {
        sq__requests_await(is_flight ? SQ__NEVER : pause);
        if (is_flight) {
            sq__session_answer(session);
        } else {
            sq__requests_t made = sq__requests_made();
            sq__session_read(session, 0, false);
            sq__requests_answer(made);
        }
    }
    if (session->options.signal != 0) {
        sq__signal_block(session->options.signal);
    }
    sq__token_grant(session->end, session->end_id);
}

static void write_at_signal(int number) {
    (void)number;
    sq__request(SQ__REQUEST_ASKED_FOR);
}

/* The process is about to end with a message. */
static void before_fatal(void) { sq__request_at_end(fatal_pause); }

/* Called at exit: completes the file. */
static void end_with_process(void) { (void)sq_trace_stop(); }

/* Beginning and end. These are called with the lock of the calls, and those of the beginning with the control lock, too. */

/* Makes what all sessions share. Returns 0 or an errno code. */
static int prepare(void) {
    int error = is_prepared ? 0 : sq__program_at_exit(end_with_process);
    is_prepared = error == 0;
    return error;
}

/* Frees a session that has no reader, and whose files are closed. */
static void dispose(sq__tracing_t *session) {
    sq__token_recycle(session->end);
    sq__perfetto_end(session->perfetto);
    sq__memory_free(session->perfetto);
    sq__memory_free(session);
}

/* A session without a file and a reader, for dispose. NULL: no memory. */
static sq__tracing_t *make(const sq__trace_options_t *options) {
    sq__tracing_t *session = sq__memory(sizeof *session);
    sq__perfetto_t *perfetto = sq__memory_zeroed(sizeof *perfetto);
    sq__token_t *end = session != NULL && perfetto != NULL ? sq__token_acquire() : NULL;
    if (end == NULL) {
        sq__memory_free(session);
        sq__memory_free(perfetto);
        return NULL;
    }
    *session = (sq__tracing_t){
        .options = *options, .perfetto = perfetto, .file = SQ__KEPT_FILE_NONE, .later = SQ__KEPT_FILE_NONE,
        .answered = sq__requests_made(), .end = end, .end_id = sq__token_prepare(end)
    };
    return session;
}

/* Of several processes with one path, for example a program and its children with the same SQ_TRACE, the first one has the file; this one then adds
 * .pidN to the path. Returns 0 or an errno code. */
static int open_file(sq__tracing_t *session) {
    char *path = session->options.path;
    int error = sq__kept_file_open(&session->file, path);
    if (error == EAGAIN) {
        size_t length = strlen(path);
        snprintf(path + length, sizeof session->options.path - length, ".pid%d", sq__process_id());
        sq__report("another process records to %.*s: the trace of this one is in %s. With %%p in the path each process has a file of its own.",
                   (int)length, path, path);
        error = sq__kept_file_open(&session->file, path);
    }
    return error;
}

/* With the locks `calls` and `control`: opens the file, and starts the reader and the recording. Returns 0, or an errno code: all of that is undone,
 * and the session is the caller's. */
static int begin(sq__tracing_t *session) {
    int error = session->options.signal != 0 ? sq__signal_take(session->options.signal, write_at_signal) : 0;
    if (error) {
        return error;
    }
    error = open_file(session); /* now, so that an error is returned; the reader empties it */
    if (error) {
        goto no_file;
    }
    if (session->options.last == 0) {
        sq__perfetto_begin(session->perfetto, &session->file);
    }
    error = sq__thread_start(&session->start, read_until_stopped, session, &(sq__thread_kind_t){ .name = "sq-trace" });
    if (error) {
        goto no_thread;
    }
    running = session;
    sq__requests_begin(session->options.last != 0);
    sq__fatal_first(before_fatal);
    sq__recorders_begin(&(sq__recording_t){ .events = session->options.events, .overwrites = session->options.last != 0 });
    sq__process_be_quiet(false);
    return 0;
no_thread:
    (void)sq__kept_file_close(&session->file);
no_file:
    if (session->options.signal != 0) {
        sq__signal_give_back(session->options.signal, write_at_signal);
    }
    return error;
}

/* With the locks `calls` and `control`. Returns as sq_trace_start. `takes_signal` false: the option signal= has no effect. */
static int start(const char *text, bool takes_signal) {
    sq__trace_options_t options;
    const char *wrong = sq__trace_options_read(&options, text);
    if (wrong != NULL) {
        sq__report("the trace \"%s\" is not recorded: %s.", text, wrong);
        return EINVAL;
    }
    options.signal = takes_signal ? options.signal : 0;
    if (running != NULL) {
        return EALREADY;
    }
    int error = prepare();
    if (error) {
        return error;
    }
    sq__tracing_t *session = make(&options);
    if (session == NULL) {
        return ENOMEM;
    }
    error = begin(session);
    if (error) {
        dispose(session);
    }
    return error;
}

/* Has the reader end. On return it no longer uses the session. */
static void await_reader(sq__tracing_t *session) {
    sq__store_relaxed(&session->is_stopping, true);
    sq__requests_wake_reader();
    (void)sq__token_sleep(session->end, session->end_id, SQ__NEVER);
}

/* With the lock `calls`, and without `control`. Returns as sq_trace_stop. */
static int stop(void) {
    sq__tracing_t *session = running;
    if (session == NULL) {
        return EINVAL;
    }
    sq__recorders_end();
    sq__process_be_quiet(true);
    sq__requests_end();
    await_reader(session);
    if (session->options.signal != 0) { /* now that the reader blocks it again: without a handler it would end the process */
        sq__signal_give_back(session->options.signal, write_at_signal);
    }
    sq__requests_t made = sq__requests_made();
    if (session->options.last != 0) {
        sq__session_write_file(session); /* a last file, up to the end */
    } else {
        sq__session_read(session, 0, true);
    }
    sq__session_close_file(session);
    sq__requests_answer(made);
    if (session->dropped > 0 && session->error == 0) {
        sq__report("the trace %s lacks %" PRIu64 " events, for which a thread's buffer of %" PRIu64 "K had no room. buffer= makes it larger.",
                   session->options.path, session->dropped, session->options.events * sizeof(sq__entry_t) / 1024);
    }
    int error = session->error;
    sq__mutex_lock(&control);
    running = NULL;
    sq__mutex_unlock(&control);
    sq__recorders_forget();
    dispose(session);
    return error;
}

/* sq_trace_start; `takes_signal` false: the option signal= has no effect. Takes the locks `calls` and `control`. */
static int start_locked(const char *text, bool takes_signal) {
    sq__mutex_lock(&calls);
    sq__mutex_lock(&control);
    int error = start(text, takes_signal);
    sq__mutex_unlock(&control);
    sq__mutex_unlock(&calls);
    return error;
}

int sq_trace_start(const char *options) { return start_locked(options, true); }

int sq_trace_stop(void) {
    sq__mutex_lock(&calls);
    int error = stop();
    sq__mutex_unlock(&calls);
    return error;
}

/* While a session runs */

void sq_trace_write(void) { sq__request(SQ__REQUEST_ASKED_FOR); }

void sq__trace_happened(const char *what) {
    if (sq__trace_is_on()) {
        sq__trace_text(what);
        sq__trace_event(SQ__EVENT_MARK, 0, 0, 0, 0);
        sq__request(SQ__REQUEST_AUTOMATIC);
    }
}

/* Whichever of the two would be first: the signal is for the dump. */
static bool is_signal_of_dump(const char *text) {
    sq__trace_options_t options;
    const char *dump = sq__environment("SQ_DUMP");
    return dump != NULL && sq__trace_options_read(&options, text) == NULL && options.signal != 0 && sq__signal_named(dump, strlen(dump)) == options.signal;
}

void sq__trace_from_environment(void) {
    const char *text = sq__environment("SQ_TRACE");
    if (text == NULL || text[0] == '\0') {
        return;
    }
    bool is_of_dump = is_signal_of_dump(text);
    int error = is_of_dump ? EBUSY : sq_trace_start(text);
    if (error == 0 && running->options.signal != 0) {
        sq__signal_block(running->options.signal); /* by the only thread: the reader alone accepts it, so no call of the program is interrupted */
    }
    if (error == EBUSY) {
        sq__report("SQ_TRACE=%s: %s. Name another one. The recording continues without it.", text,
                   is_of_dump ? "SQ_DUMP uses this signal already" : "the program handles this signal itself");
        error = start_locked(text, false);
    }
    if (error && error != EINVAL) {
        sq__report("SQ_TRACE=%s: %s. The program continues without a trace.", text, strerror(error));
    }
}

/* The child of a fork is not traced: the file is the parent's. */
static void forget_trace(void) {
    if (running != NULL) {
        (void)sq__kept_file_close_copy(&running->file);
        (void)sq__kept_file_close_copy(&running->later);
        of_parent = running;
    }
    running = NULL;
    calls = (sq__mutex_t)SQ__MUTEX_INIT; /* perhaps a thread of the parent holds it */
    sq__requests_end();
}

static __attribute__((constructor)) void around_fork(void) {
    sq__process_around_fork(SQ__RANK_TRACING, (sq__fork_lock_t){ .lock = &control, .in_child = forget_trace });
    sq__process_around_fork(SQ__RANK_CODE, (sq__fork_lock_t){ .lock = &sq__code_lock });
}

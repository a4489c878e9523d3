/* sq_trace.h: recording what all queues do, in a file.
 *
 * The file is a Perfetto trace: ui.perfetto.dev opens it, `sq-trace timeline FILE` turns it into a page, and `sq-trace stats FILE` into a table.
 *
 *   - A thread never waits for the file: events are dropped and counted while the thread's buffer is full (`buffer=` makes the buffer larger).
 *   - A queue that was created before the trace began is traced from its next asynchronous task on, or from the next sync that has to wait.
 *   - A task that has not ended when the file is written is in the file, up to this time. If the process is killed, the file ends up to a quarter of a
 *     second earlier.
 *   - An sq_apply has one entry for each thread that runs iterations.
 *   - If the program closes the file's descriptor, as daemons do, the file is opened again by its path. If the file is no longer there, the
 *     recording ends with a line on stderr.
 *   - The program gets no SIGPIPE and no SIGXFSZ for what the library writes.
 *   - If another process uses the path, for example the parent whose SQ_TRACE this process has inherited, the path gets the suffix .pidN, N being
 *     the process ID; a line on stderr says so.
 *   - In a set-user-ID program SQ_TRACE has no effect.
 *
 * No call is a cancellation point (sq_types.h). */
#ifndef SQ_TRACE_H
#define SQ_TRACE_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Begins to record what all queues of this process do, from their next task on. Any thread may call. If SQ_TRACE is in the environment at the start, the
 * process records from its beginning, with these options; a signal that is in use is then left out. The child of a fork is not traced, ignores the
 * signal, and may begin a trace of its own. If the call fails, an existing file is unchanged.
 *
 * @param options The path of the file, relative to the current working directory; %p in it is the process ID. Then, each after a comma: `last=10s` (s, ms): a
 *     flight recorder, which keeps the newest events in memory. It writes a file at sq_trace_write, at the end, before the process ends with a message,
 *     and the first ten times that a deadlock or stall is reported (stderr then says so). `signal=USR2` (HUP, QUIT, WINCH, RTMIN+1, …): it also writes
 *     a file at this signal; block it in your threads, so that it interrupts no call. `buffer=1M` (K, M): memory per recording thread, 64 bytes a task.
 * @retval 0 The recording has begun.
 * @retval EALREADY A recording is in progress.
 * @retval EINVAL An option is not known, or not valid. A line on stderr says which.
 * @retval EBUSY The program, or SQ_DUMP, handles the signal.
 * @retval ENOMEM There is no memory, or no thread could be started.
 * @return Otherwise the error with which the file could not be created; ENXIO: the file is a FIFO without a reader.
 */
int sq_trace_start(const char *options);

/**
 * Ends the recording, and writes the rest of the file, however long the disk or the reader of a pipe takes. Any thread may call.
 *
 * @retval 0 The file is complete.
 * @retval EINVAL Nothing is being recorded.
 * @return Otherwise the error with which the file could not be written, for example ENOSPC, or EFBIG (ulimit -f). The file then has the beginning.
 */
int sq_trace_stop(void);

/**
 * Makes a flight recorder write its events to a file. Does nothing without a flight recorder.
 *
 * The first file has the path that was given, later files have the suffix .1, .2, ..., without a limit. Returns at once: a thread of the library
 * writes, one file for calls that come together. Any thread may call, also in a signal handler, and also while a trace begins or ends. If a
 * file cannot be written, the recording ends with a line on stderr, and sq_trace_stop returns the error.
 */
void sq_trace_write(void);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

/* sq_trace.h: recording what all queues do, in a file.
 *
 * The file is a Perfetto trace: ui.perfetto.dev opens it, `sq-trace timeline FILE` makes a page of it, and `sq-trace stats FILE` a table. A thread
 * never waits for the file: what it records while its buffer is full is dropped and counted (`buffer=` makes that larger). A queue that was
 * made before the beginning is traced from its next asynchronous task on, or the next sync that does not find it free. What has not ended when
 * the file is written is in it, up to that time; if the process is killed, up to a quarter of a second before. An apply is in it as one share for
 * each thread that runs iterations.
 *
 * A program need not know of it. It may close the file's descriptor, as daemons close all: the file is opened again by its path, and if it is no
 * longer there, the recording ends with a line on stderr. It gets no SIGPIPE and no SIGXFSZ for what is written. A process that finds its path in use
 * by another one, for example the parent whose SQ_TRACE it has inherited, records to that path with .pidN after it, N being its number, and says
 * so on stderr. In a set-user-ID program SQ_TRACE has no effect. None of the calls is a cancellation point (sq_types.h). */
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
 * Begins to record what all queues of this process do, from their next task on. Any thread may call. A process that is started with
 * SQ_TRACE in its environment records from its beginning, with these options, but without a signal that is in use. The child of a fork is
 * not traced, ignores the signal, and may begin a trace of its own. If a call fails, a file that existed has the content that it had.
 *
 * @param options The path of the file; %p in it is the process's number, and a relative path is in the present working folder. Then, each after a comma:
 *     `last=10s` (s, ms): a flight recorder, which keeps the newest events in memory and writes a file of them at sq_trace_write, at the end, before the
 *     process ends with a message, and when a deadlock or stall is reported (ten times; stderr then says so); `signal=USR2` (HUP, QUIT, WINCH, RTMIN+1, …): it also writes
 *     one at this signal; block the signal in your threads, and it interrupts no call; `buffer=1M` (K, M): the memory per recording thread, 64 bytes a task.
 * @retval 0 The events are being recorded.
 * @retval EALREADY They are already.
 * @retval EINVAL An option is not known, or not valid. A line on stderr says which.
 * @retval EBUSY The program, or SQ_DUMP, handles the signal.
 * @retval ENOMEM There is no memory, or no thread could be started.
 * @return Otherwise the error with which the file could not be created; ENXIO: it is a FIFO that nobody reads.
 */
int sq_trace_start(const char *options);

/**
 * Ends the recording, and writes what is not in the file yet, however long the disk or the reader of a pipe takes. Any thread may call.
 *
 * @retval 0 The file is complete.
 * @retval EINVAL Nothing is being recorded.
 * @return Otherwise the error with which the file could not be written, for example ENOSPC, or EFBIG (ulimit -f): then its beginning is there.
 */
int sq_trace_stop(void);

/**
 * Has a flight recorder write a file of its events: the first one has the path that was given, later ones .1, .2, ... after it, without a limit.
 * Returns at once; a thread of the library writes, one file for calls that come together. Any thread may call, also in a signal handler, and
 * also while a trace begins or ends. Without a flight recorder it does nothing. If a file cannot be written, the recording ends with a line on
 * stderr, and sq_trace_stop returns the error.
 */
void sq_trace_write(void);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

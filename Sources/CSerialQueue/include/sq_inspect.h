/* sq_inspect.h: what all queues, threads and pools of the process do right now.
 *
 * Each queue has a number: the address of its handle, as printf's %p prints it. Dumps, stall notifications (sq_watch.h), reports of deadlocks and
 * debuggers use it. It is unique among the queues that exist; after a queue is freed a new one may get its number.
 *
 * The text folds queues with the same label and state into one line, with their count, the deepest and the oldest; and so it folds threads that run or
 * wait for the same. The longest waits and runs and the deepest queues come first in their section, each on its own line, and so do suspended, running and
 * deadlocked queues if they are few. There are at most 200 such lines, and the text says how many were left out; with
 * SQ_DUMP=USR1,lines=N a dump by the signal has N. A semaphore, group or item without a label is named by the call that created it.
 *
 * With SQ_DUMP=USR1,reports each report of a deadlock (sq_deadlock_report), and each stall of a queue that has a watcher (sq_watch.h), is also written to
 * standard error, as one JSON object on a line; report.schema.json, in the folder Documentation of the sources, describes it. The words behind the
 * signal may be combined: SQ_DUMP=USR1,json,reports. */
#ifndef SQ_INSPECT_H
#define SQ_INSPECT_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes what all queues of the process do right now, as text for people: for finding out why a program hangs.
 *
 * The text has: which thread waits for what, for how long, and for which threads; what each thread runs, and, while a trace is recorded (sq_trace.h), where
 * it was submitted; queues with work, suspended queues, pools, the next timers, the last deadlock report. With SQ_DUMP=USR1 in the environment SIGUSR1 (by
 * kill, not raise) writes a dump to standard error, also when all threads are stuck, and before the process exits. The program's threads block the signal
 * from before main: no call is interrupted, and programs that they execute block it, too. If all other threads end, the dump's thread remains, until SIGKILL.
 *
 * Any thread may call, also in a task. The call uses no malloc, sends no signal, and is no cancellation point. If a thread is stuck with a lock of this
 * library, the dump is written after about a second, and says what it left out. Threads that are not stuck continue meanwhile.
 *
 * @param fd An open file descriptor. The call returns when all of the text is written.
 * @retval 0 The dump is written.
 * @retval ENOMEM There is no memory. Nothing is written.
 * @return Otherwise the errno code of the write that failed, such as EBADF, EPIPE or ENOSPC.
 */
int sq_dump(int fd);

/**
 * As sq_dump, for programs: one JSON object, without folding. Each thread, queue, pool and timer is an object on a line of its own.
 *
 * dump.schema.json, in the folder Documentation of the sources, describes it: a new version of the library may add members. With SQ_DUMP=USR1,json the
 * signal writes it.
 *
 * @param fd An open file descriptor. The call returns when all of it is written.
 * @retval 0 The dump is written.
 * @retval ENOMEM There is no memory. Nothing is written.
 * @return Otherwise the errno code of the write that failed.
 */
int sq_dump_json(int fd);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

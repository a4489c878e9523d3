/* sq_inspect.h: what all queues, threads and pools of the process do right now. */
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
 * from before main: no call is interrupted, and programs that they execute block it, too. When all other threads have ended, the dump's thread stays until SIGKILL.
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

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

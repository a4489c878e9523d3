/* sq_apply.h: a loop whose iterations run on several threads.
 *
 * A wait for them is no cancellation point (sq_types.h). */
#ifndef SQ_APPLY_H
#define SQ_APPLY_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** One iteration of sq_apply: the context of the call, and the index of the iteration. */
typedef void (*sq_iteration_t)(void *SQ_NULLABLE context, size_t index);

/**
 * Calls `function(context, index)` once for each index below `count`, and waits for all of them.
 *
 * The calling thread runs iterations, and idle threads of the pool help. It never waits for a thread to become free: on a busy or
 * manual pool, and without memory, it runs all of them. Iterations may block and may call sq_apply; they must not wait for each
 * other, as they may run one after the other, and must return: no exception, longjmp or pthread_exit.
 *
 * On the calling thread iterations are part of its task, on others they are on no queue. A sync onto a queue of that task is
 * EDEADLK on all threads. Any thread may call. Iterations see what the caller wrote before; it sees afterwards what they wrote.
 *
 * @param pool Whose threads help; NULL: the shared pool. The caller must hold a reference until the call returns.
 * @retval 0 All iterations have returned.
 * @retval EINVAL `function` is NULL. Nothing was called.
 * @retval ESTALE An iteration has forked, and this is the child. Threads had been asked to help, so only the parent runs the rest. If
 *         none had been asked, as there was none or the loop is brief, both processes run the rest and return 0.
 */
int sq_apply(sq_pool_t *SQ_NULLABLE pool, size_t count, sq_iteration_t function, void *SQ_NULLABLE context);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

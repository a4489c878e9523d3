/* sq_apply.h: a loop whose iterations run on several threads.
 *
 * The wait for the iterations is no cancellation point (sq_types.h). */
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
 * The calling thread runs iterations, and idle threads of the pool help. The caller never waits for a thread to become free: on a busy or
 * manual pool, or without memory, it runs all iterations. Iterations may block and may call sq_apply. They must not wait for each other,
 * because they may run one after the other. They must return: no exception, longjmp or pthread_exit.
 *
 * On the calling thread an iteration is part of the caller's task; on other threads it is on no queue. On all threads, a sync onto a queue of
 * the caller's task returns EDEADLK. Iterations see what the caller wrote before; afterwards it sees what they wrote. Any thread may call.
 *
 * @param pool The pool whose threads help; NULL: the shared pool. The caller must hold a reference until the call returns.
 * @retval 0 All iterations have returned.
 * @retval EINVAL `function` is NULL. Nothing was called.
 * @retval ESTALE An iteration has forked, and this is the child: only the parent runs the rest. Exception: if no thread was asked to help,
 * both processes run the rest and return 0.
 */
int sq_apply(sq_pool_t *SQ_NULLABLE pool, size_t count, sq_iteration_t function, void *SQ_NULLABLE context);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

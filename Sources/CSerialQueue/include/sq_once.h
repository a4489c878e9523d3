/* sq_once.h: running a function once in the life of the process.
 *
 * A wait for the function is no cancellation point (sq_types.h). */
#ifndef SQ_ONCE_H
#define SQ_ONCE_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Whether a function has run. Initialise it with SQ_ONCE_INIT or with zero bytes.
 *
 * The struct belongs to the caller: it must stay valid and must not move while a call uses it. Only the library uses the fields.
 */
typedef struct sq_once {
    uintptr_t state;            /**< SQ_ONCE_DONE once the function has returned; otherwise for the library only */
    void *SQ_NULLABLE reserved; /**< for the library only */
} sq_once_t;

/** The initial value of an sq_once_t. */
#define SQ_ONCE_INIT { 0, 0 }

/** The value of `state` once the function has returned. */
#define SQ_ONCE_DONE ((uintptr_t)1)

/**
 * The part of sq_once that is not inlined. Does and returns the same as sq_once; call it where an inline function cannot be called.
 */
int sq_once_slow(sq_once_t *once, sq_function_t function, void *SQ_NULLABLE context);

/**
 * Calls `function(context)` unless a call for the same `once` has called its function; returns after that function has returned.
 *
 * If several threads call at the same time, one of them runs its function, and the others wait. Any thread may call. The function must
 * return: no exception, longjmp or pthread_exit.
 *
 * @retval 0 The function has returned, in this call or an earlier one. What it wrote is visible.
 * @retval EDEADLK The calling thread is inside the function already, or the wait would close a cycle of threads, queues and
 * onces that wait for each other; sq_deadlock_report says which. Nothing was called.
 * @retval EINVAL `function` is NULL, and no function has run.
 * @retval ENOMEM The call would have to wait, and there is no memory for the wait.
 * @retval ESTALE A thread of the parent of a fork was inside the function, and this is the child.
 */
static inline int sq_once(sq_once_t *once, sq_function_t function, void *SQ_NULLABLE context) {
    return __atomic_load_n(&once->state, __ATOMIC_ACQUIRE) == SQ_ONCE_DONE ? 0 : sq_once_slow(once, function, context);
}

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

/* sq_once.h: running a function once in the life of the process.
 *
 * A wait for it is no cancellation point (sq_types.h). */
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
 * The part of sq_once that is not inlined. Does the same as sq_once, and returns the same; call it where an inline function
 * cannot be called.
 */
int sq_once_slow(sq_once_t *once, sq_function_t function, void *SQ_NULLABLE context);

/**
 * Calls `function(context)` unless a call for the same `once` has done so; returns after that function has returned.
 *
 * Of several threads that call at the same time one runs the function, on itself, and the others wait for it. Any thread may
 * call. The function must return: it must not be left by an exception, longjmp or pthread_exit.
 *
 * @retval 0 The function has returned, in this call or an earlier one. What it wrote is visible.
 * @retval EDEADLK The calling thread is inside that function already, or waiting would close a cycle of threads, queues and
 * onces that wait for each other; sq_deadlock_report says which. Nothing was called.
 * @retval EINVAL `function` is NULL, and no function has run.
 * @retval ENOMEM It would have to wait, and there is no memory for that.
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

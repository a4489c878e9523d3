/* sq_semaphore.h: counting semaphores.
 *
 * A wait is no cancellation point (sq_types.h). */
#ifndef SQ_SEMAPHORE_H
#define SQ_SEMAPHORE_H

#include "sq_time.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * A counting semaphore: a number of permits that threads take and return.
 *
 * Opaque and reference-counted; made by sq_semaphore_create.
 */
typedef struct sq_semaphore sq_semaphore_t;

/** The largest number of permits that a semaphore can have. */
#define SQ_SEMAPHORE_MAX ((size_t)PTRDIFF_MAX)

/**
 * Makes a semaphore with `value` permits and one reference.
 *
 * @param label A name for reports; copied. NULL: none.
 * @return The semaphore, or NULL with errno ENOMEM, or EINVAL (`value` is above SQ_SEMAPHORE_MAX).
 */
sq_semaphore_t *SQ_NULLABLE sq_semaphore_create(const char *SQ_NULLABLE label, size_t value);

/**
 * Adds a reference.
 *
 * @return The semaphore.
 */
sq_semaphore_t *sq_semaphore_retain(sq_semaphore_t *semaphore);

/**
 * Releases a reference; the last one frees the semaphore.
 *
 * Legal anywhere, also while permits are taken. A thread that waits holds a reference of its own. NULL is ignored.
 */
void sq_semaphore_release(sq_semaphore_t *SQ_NULLABLE semaphore);

/**
 * Returns the semaphore's label.
 *
 * @return The label; "" if the semaphore has none. Valid as long as the semaphore.
 */
const char *sq_semaphore_label(const sq_semaphore_t *semaphore);

/**
 * Takes a permit; waits for one if there is none.
 *
 * Waiting threads get permits in FIFO order; no thread overtakes them. If there is a permit, it is taken even after the deadline. Any thread
 * may call. While a thread of a pool waits, another thread replaces it. A wait never returns EDEADLK, because any thread may signal. The
 * wait does not run tasks of a manual pool.
 *
 * @retval 0 A permit was taken. What was written before the signal that gave the permit is visible.
 * @retval ETIMEDOUT There was no permit by the deadline.
 * @retval EAGAIN There is no permit, and the deadline is SQ_NOW.
 * @retval ENOMEM The call would have to wait, and there is no memory for the wait.
 * @retval ESTALE The call would have to wait, and the semaphore is from before a fork.
 */
SQ_USE_RESULT int sq_semaphore_wait(sq_semaphore_t *semaphore, sq_time_t deadline);

/**
 * Adds a permit. If threads wait, the thread that has waited longest gets the permit.
 *
 * Never blocks. Any thread may call, whether it has taken a permit or not.
 *
 * @retval 0 The permit was added.
 * @retval EOVERFLOW The semaphore has SQ_SEMAPHORE_MAX permits already. Nothing changed.
 * @retval ESTALE Threads of the parent of a fork wait for the semaphore, and this is the child. Nothing changed.
 */
int sq_semaphore_signal(sq_semaphore_t *semaphore);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

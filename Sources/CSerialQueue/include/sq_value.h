/* sq_value.h: values that a program attaches to a queue. */
#ifndef SQ_VALUE_H
#define SQ_VALUE_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Attaches a value to the queue, in place of the present value for this key. If `value` is NULL, the present value is only removed.
 *
 * @param key Compared by address: use the address of a variable of your own.
 * @param release NULL, or called once with the value, with no lock held: by the caller that replaces or removes the value, otherwise by the
 * thread that frees the queue, after all tasks. So `release` can also show that a queue no longer exists. In the child of a fork it
 * is not called: the value is the parent's.
 * @retval 0 The value is attached.
 * @retval EINVAL The key is NULL. After every error nothing has changed, and `release` will not be called.
 * @retval ENOMEM There is no memory for the value.
 * @retval ESTALE The queue is from before a fork.
 */
int sq_queue_set_value(sq_queue_t *queue, const void *key, void *SQ_NULLABLE value, sq_function_t SQ_NULLABLE release);

/**
 * Returns the queue's value for this key. Any thread may call.
 *
 * @return The value; NULL: there is none. Valid until the value is replaced or removed, at the latest until the queue is freed.
 */
void *SQ_NULLABLE sq_queue_value(const sq_queue_t *queue, const void *key);

/**
 * Returns the value for this key of the innermost queue that has such a value, among the queues for which sq_is_current is true.
 *
 * The search begins with the queue of the innermost task and continues outwards. In a discard function that has a current queue, the values of
 * this queue are found, too.
 *
 * @return The value, valid as for sq_queue_value; NULL: no such queue has one.
 */
void *SQ_NULLABLE sq_current_value(const void *key);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

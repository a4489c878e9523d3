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
 * Attaches a value to the queue, in place of the one that it has for this key. A NULL value only removes that one.
 *
 * @param key Compared by address: use the address of a variable of your own.
 * @param release NULL, or called once with the value, with no lock held: when it is replaced or removed, by the caller; otherwise when
 * the queue is freed, after all its tasks, by the thread that frees it. So it is also the way to notice that a queue no longer exists.
 * In the child of a fork it is not called: the value is the parent's.
 * @retval 0 The value is attached.
 * @retval EINVAL The key is NULL. After every error nothing has changed, and `release` will not be called.
 * @retval ENOMEM There is no memory for it.
 * @retval ESTALE The queue is from before a fork.
 */
int sq_queue_set_value(sq_queue_t *queue, const void *key, void *SQ_NULLABLE value, sq_function_t SQ_NULLABLE release);

/**
 * Returns the queue's value for this key. Any thread may call.
 *
 * @return The value; NULL: there is none. Valid until it is replaced or removed, at the latest until the queue is freed.
 */
void *SQ_NULLABLE sq_queue_value(const sq_queue_t *queue, const void *key);

/**
 * Returns the value for this key of the innermost queue that has one, among the queues for which sq_is_current is true.
 *
 * It begins with the queue of the innermost task and continues outwards. Discard functions that have a current queue get its values, too.
 *
 * @return The value, valid as above; NULL: no such queue has one.
 */
void *SQ_NULLABLE sq_current_value(const void *key);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

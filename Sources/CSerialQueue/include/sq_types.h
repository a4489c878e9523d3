/* sq_types.h: the words that every other header uses. */
#ifndef SQ_TYPES_H
#define SQ_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nullability is for Swift's importer, which reads it; to others it is an extension that -Wpedantic warns of. */
#ifdef __swift__
#pragma clang assume_nonnull begin
#define SQ_NULLABLE _Nullable
#else
#define SQ_NULLABLE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A serial queue: opaque, counted by reference, made by sq_queue_create. */
typedef struct sq_queue sq_queue_t;

/* Threads that several queues share: opaque, counted by reference; see sq_pool.h. */
typedef struct sq_pool sq_pool_t;

/* What a task does: called with the context that was submitted with it. */
typedef void (*sq_function_t)(void *SQ_NULLABLE context);

/* A task with an owner for its context. Of an accepted task exactly one of the two functions is called, once:
 * `run`, or `discard` if the task will never run. `discard` may be NULL (nothing to clean up). Both are called
 * outside every lock and with the queue as current queue, so both may call back into the queue. */
typedef struct sq_task {
    sq_function_t run;
    void *SQ_NULLABLE context;
    sq_function_t SQ_NULLABLE discard;
} sq_task_t;

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

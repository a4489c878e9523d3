/* sq_types.h: the types that every other header uses.
 *
 * Cancellation of threads (pthread_cancel): no call of the library is a cancellation point, not even a call that waits. A cancellation stays pending
 * until the thread's next cancellation point after the call. If a task is cancelled in its own code, the process ends with a message. Exception: the
 * exploring calls (sq_explore.h) print, which is a cancellation point. */
#ifndef SQ_TYPES_H
#define SQ_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Swift's importer reads nullability; to other compilers it is an extension, for which -Wpedantic warns. */
#ifdef __swift__
#pragma clang assume_nonnull begin
/** Marks a pointer that may be NULL, for Swift's importer. */
#define SQ_NULLABLE _Nullable
#else
/** Marks a pointer that may be NULL, for Swift's importer. */
#define SQ_NULLABLE
#endif

#ifdef __GNUC__
/** Marks a call whose result must be checked: the compiler warns if the program ignores it (warn_unused_result). */
#define SQ_USE_RESULT __attribute__((warn_unused_result))
#else
/** Marks a call whose result must be checked. */
#define SQ_USE_RESULT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A queue of tasks: serial, or concurrent if its width is above 1 (sq_barrier.h).
 *
 * Opaque and reference-counted; see sq_queue_create.
 */
typedef struct sq_queue sq_queue_t;

/** Threads that several queues share. Opaque and reference-counted; see sq_pool_create. */
typedef struct sq_pool sq_pool_t;

/** A function that a queue calls, with the context that was submitted with it. */
typedef void (*sq_function_t)(void *SQ_NULLABLE context);

/**
 * A task that owns its context.
 *
 * If the task is accepted, exactly one of its functions is called, once: `run`, or `discard` if the task will never run. No lock is
 * held then, so both functions may call the queue. The queue is the current one in `run`. It is also the current one in `discard`,
 * unless the comment of the submitting call says otherwise.
 */
typedef struct sq_task {
    sq_function_t run;                 /**< does the work */
    void *SQ_NULLABLE context;         /**< the argument of both functions */
    sq_function_t SQ_NULLABLE discard; /**< frees the context of a task that will not run; NULL: there is nothing to free */
} sq_task_t;

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

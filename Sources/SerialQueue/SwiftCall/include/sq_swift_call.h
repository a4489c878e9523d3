/* sq_swift_call.h: what the Swift layer needs and only C can say.
 *
 * Names for what Swift does not import by itself: initialiser macros and errno. (Importing Glibc would bring the names
 * too, but tie the face to one C library.) The calls that lend a closure to the queue are in swift_call.c; they are
 * declared in Swift, in BorrowedClosure.swift, because C has no word for a Swift closure. */
#ifndef SQ_SWIFT_CALL_H
#define SQ_SWIFT_CALL_H

#include <errno.h>
#include <serial_queue.h>

enum {
    SQ_SWIFT_EAGAIN = EAGAIN,
    SQ_SWIFT_ECANCELED = ECANCELED,
    SQ_SWIFT_EDEADLK = EDEADLK,
    SQ_SWIFT_EINPROGRESS = EINPROGRESS,
    SQ_SWIFT_EINVAL = EINVAL,
    SQ_SWIFT_ENOMEM = ENOMEM,
    SQ_SWIFT_ESHUTDOWN = ESHUTDOWN,
    SQ_SWIFT_ESTALE = ESTALE,
    SQ_SWIFT_ETIMEDOUT = ETIMEDOUT,
};

/* The error of the call that has just failed on this thread. */
static inline int sq_swift_errno(void) { return errno; }

/* Whether a call of sq_once would return at once. What the function wrote is visible then. */
static inline _Bool sq_swift_once_is_done(const sq_once_t *_Nonnull once)
{
    return __atomic_load_n(&once->state, __ATOMIC_ACQUIRE) == SQ_ONCE_DONE;
}

/* Resumes a continuation that returns nothing and throws nothing: UnsafeContinuation.resume(). That one is compiled into its
 * caller, and reads the task's memory there. The task may go on at once without having slept, which is ordered by the runtime,
 * but ThreadSanitizer sees only the reading. */
void sq_swift_resume(void *_Nonnull continuation);

static inline sq_queue_options_t sq_swift_queue_options(void)
{
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    return options;
}

static inline sq_pool_options_t sq_swift_pool_options(void)
{
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    return options;
}

static inline sq_queue_stats_t sq_swift_queue_stats(void)
{
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    return stats;
}

#endif

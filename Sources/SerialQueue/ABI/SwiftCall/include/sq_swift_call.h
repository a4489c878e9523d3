/* sq_swift_call.h: what the Swift layer needs and can only be written in C.
 *
 * Names for what Swift does not import: initialiser macros and errno. (Importing Glibc would also provide the names, but
 * bind the Swift layer to one C library.) The calls that lend a closure to the queue are in swift_call.c; they are
 * declared in Swift, in BorrowedClosure.swift, because C has no type for a Swift closure. */
#ifndef SQ_SWIFT_CALL_H
#define SQ_SWIFT_CALL_H

#include <errno.h>
#include <serial_queue.h>
#include <sq_private.h>

enum {
    SQ_SWIFT_EAGAIN = EAGAIN,
    SQ_SWIFT_ECANCELED = ECANCELED,
    SQ_SWIFT_EDEADLK = EDEADLK,
    SQ_SWIFT_EINPROGRESS = EINPROGRESS,
    SQ_SWIFT_EINVAL = EINVAL,
    SQ_SWIFT_EMFILE = EMFILE,
    SQ_SWIFT_ENFILE = ENFILE,
    SQ_SWIFT_ENOMEM = ENOMEM,
    SQ_SWIFT_EPERM = EPERM,
    SQ_SWIFT_ESHUTDOWN = ESHUTDOWN,
    SQ_SWIFT_ESTALE = ESTALE,
    SQ_SWIFT_ETIMEDOUT = ETIMEDOUT,
};

/* The error of the call that has just failed on this thread. */
static inline int sq_swift_errno(void) { return errno; }

/* True if a call of sq_once would return immediately. The function's writes are visible then. */
static inline _Bool sq_swift_once_is_done(const sq_once_t *_Nonnull once)
{
    return __atomic_load_n(&once->state, __ATOMIC_ACQUIRE) == SQ_ONCE_DONE;
}

/* The call site of the function that calls this: where its own caller will continue. For public functions that are not inlined. */
static inline __attribute__((always_inline)) const void *_Nonnull sq_swift_caller(void) { return __builtin_return_address(0); }

/* This call's own site. For public functions that are always inlined into their callers. */
const void *_Nonnull sq_swift_here(void);

/* The name of a function of Swift as it is written in the source; NULL: it is none. sq_swift_free frees it. */
char *_Nullable sq_swift_demangle(const char *_Nonnull name);
void sq_swift_free(char *_Nonnull text);

/* The version of clang that came with the Swift compiler. */
const char *_Nonnull sq_swift_compiler(void);

/* Resumes a continuation that returns nothing and throws nothing, like UnsafeContinuation.resume(). The latter is inlined into its
 * caller, and reads the task's memory there. If the task continues without having been suspended, the runtime orders the accesses,
 * but ThreadSanitizer sees only the read. */
void sq_swift_resume(void *_Nonnull continuation);

/* Enqueues a job on the global executor, as the runtime does: through the hook that SerialQueueTesting uses. */
void sq_swift_enqueue_global(void *_Nonnull job);

static inline sq_item_options_t sq_swift_item_options(void)
{
    sq_item_options_t options = SQ_ITEM_OPTIONS_INIT;
    return options;
}

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

static inline sq_pool_granted_t sq_swift_pool_granted(void)
{
    sq_pool_granted_t granted = SQ_POOL_GRANTED_INIT;
    return granted;
}

static inline sq_histogram_t sq_swift_histogram(void)
{
    sq_histogram_t histogram = SQ_HISTOGRAM_INIT;
    return histogram;
}

/* Swift shows the array as a tuple. */
static inline const uint64_t *_Nonnull sq_swift_histogram_counts(const sq_histogram_t *_Nonnull histogram)
{
    return histogram->counts;
}

static inline sq_queue_stats_t sq_swift_queue_stats(void)
{
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    return stats;
}

#endif

/* sq_swift_call.h: what the Swift layer needs and can only be written in C.
 *
 * Names for what Swift does not import: initialiser macros and errno. (Importing Glibc would also provide the names, but
 * bind the Swift layer to one C library.) The calls that lend a closure to the queue are in swift_call.c; they are
 * declared in Swift, in BorrowedClosure.swift, because C has no type for a Swift closure. */
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

/* True if a trace is under way (trace/recorder.h). The core's variable: */
extern uint32_t sq__trace_session;
static inline _Bool sq_swift_is_traced(void) { return __builtin_expect(__atomic_load_n(&sq__trace_session, __ATOMIC_RELAXED) != 0, 0); }

/* True if a trace is under way, or a queue is watched (trace/sites.h). The core's variable: */
extern uint32_t sq__sites_wanted;
static inline _Bool sq_swift_wants_sites(void) { return __builtin_expect(__atomic_load_n(&sq__sites_wanted, __ATOMIC_RELAXED) != 0, 0); }

/* The next submission of this thread to this queue comes from this line of this file. The text must not change or end. */
void sq_swift_note_site(const sq_queue_t *_Nonnull queue, const unsigned char *_Nonnull file, unsigned line);

/* A turn of a FIFOQueue begins or ends, for a trace. */
void sq_swift_trace_turn(const char *_Nonnull label, uintptr_t fifo, uintptr_t turn, _Bool begins);

/* Calls `await->ended` when the queue has ended, on the thread that ends it, with no lock held. Otherwise as sq_group_await. Returns
 * EINPROGRESS; 0: it has ended; ENOMEM or ESTALE. If it is not EINPROGRESS, `ended` will not be called. */
int sq_swift_end_await(sq_queue_t *_Nonnull queue, sq_await_t *_Nonnull await);

/* After EINPROGRESS. False: `ended` was called or is about to be. */
_Bool sq_swift_end_withdraw(sq_queue_t *_Nonnull queue, sq_await_t *_Nonnull await);

/* Submits a job that a shutdown has refused: it runs after the end of the queue, as a task of it. Returns 0 or ENOMEM. */
int sq_swift_async_after_end(sq_queue_t *_Nonnull queue, sq_pair_function_t _Nonnull call, void *_Nullable first, void *_Nullable second);

/* A trace shows, in place of this function, the closure in the first field of the Swift object that is its context. An object begins with two
 * words. By one thread at a time. */
void sq_swift_show_closures(sq_function_t _Nonnull function);

/* Resumes a continuation that returns nothing and throws nothing, like UnsafeContinuation.resume(). The latter is inlined into its
 * caller, and reads the task's memory there. If the task continues without having been suspended, the runtime orders the accesses,
 * but ThreadSanitizer sees only the read. */
void sq_swift_resume(void *_Nonnull continuation);

/* Enqueues a job on the global executor, as the runtime does: through the hook that SerialQueueTesting uses. */
void sq_swift_enqueue_global(void *_Nonnull job);

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

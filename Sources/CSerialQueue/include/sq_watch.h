/* sq_watch.h: being told when a queue does not get on. */
#ifndef SQ_WATCH_H
#define SQ_WATCH_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef enum sq_stall_kind {
    SQ_STALL_RUNNING, /* a task runs for too long */
    SQ_STALL_WAITING  /* the oldest waiting task waits for too long */
} sq_stall_kind_t;

/* One incident. Valid during the call. */
typedef struct sq_stall {
    sq_stall_kind_t kind;
    const char *label;                  /* of the queue */
    uint64_t nanoseconds;               /* for how long, at least */
    size_t depth;                       /* how many tasks wait */
    bool suspended;                     /* the queue is suspended: that is why nothing runs */
    sq_function_t SQ_NULLABLE function; /* what runs; NULL: nothing, or it is not known */
    uint64_t thread_id;                 /* of the thread that runs it, as the system numbers it; 0: nothing runs */
    const char *waits_for;              /* the label of the queue that this thread waits for in its task; "": none */
} sq_stall_t;

/* Who is told, on a thread of the library's; `discard(context)` is called once, when no call can come any more, by whoever gives
 * up the watching or the queue. That may be the thread of all timers: it is not to wait. */
typedef struct sq_watcher {
    void (*stalled)(void *SQ_NULLABLE context, const sq_stall_t *stall);
    void *SQ_NULLABLE context;
    sq_function_t SQ_NULLABLE discard;
} sq_watcher_t;

/* Watches the queue from now on, in place of an earlier watcher: when a task runs, or the oldest one waits, for longer than
 * the threshold (noticed within a quarter of it more, or a millisecond), the watcher is told, once an incident; a new
 * watcher also of those that it finds. NULL ends the watching. The watcher may use other queues, and must not wait for this one.
 * Returns 0; EINVAL (threshold 0 with a watcher); ENOMEM (no memory, or no thread could be started); ESTALE (from before a fork): nothing
 * was done. Any thread. */
int sq_queue_watch(sq_queue_t *queue, uint64_t threshold_nanoseconds, const sq_watcher_t *SQ_NULLABLE watcher);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

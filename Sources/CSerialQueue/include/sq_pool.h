/* sq_pool.h: threads that several queues share.
 *
 * A queue on a pool keeps every promise of a queue; only, its async tasks run on a thread of the pool, not on one of its own.
 * Queues on one pool get their turns in order: after a batch of tasks, or about a millisecond, a queue goes to the back.
 *
 * Every call may be made from any thread, also at the same time, while the caller holds a reference. */
#ifndef SQ_POOL_H
#define SQ_POOL_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* What a pool is made with. A thread that waits in a call of this library, such as a sync within a task, does not count: another
 * takes its place meanwhile, but for more than 64 threads in all. Begin with SQ_POOL_OPTIONS_INIT and change what you need. */
typedef struct sq_pool_options {
    size_t size;       /* sizeof(sq_pool_options_t), so that later versions can add fields */
    size_t threads;    /* how many tasks it runs at a time; 0: one per processor, and more, up to 64, while tasks block */
    size_t stack_size; /* bytes of stack of each thread; 0: the system's default */
} sq_pool_options_t;

#define SQ_POOL_OPTIONS_INIT { sizeof(sq_pool_options_t), 0, 0 }

/* The process's own pool, made at the first call: about one thread per processor that the process may use (its affinity and
 * its control group's quota count). While ready queues wait and its threads are blocked, it grows, up to 64 threads: within
 * some tens of milliseconds if all are blocked, later if only some are. It shrinks again when they continue, or are idle.
 * Borrowed: not to be released. Returns NULL with errno ENOMEM. */
sq_pool_t *SQ_NULLABLE sq_pool_shared(void);

/* Makes a pool. `label` is copied (NULL means ""); its threads bear it as their name, cut to what the system takes. NULL
 * options: the defaults. Starts one thread, and the one that all pools and timers of the process share if it is not there yet;
 * the others when they are needed. Returns a pool with one reference, or NULL with errno ENOMEM (no memory, or no thread could
 * be started) or EINVAL (options of an unknown size, or a stack size that the system does not take). */
sq_pool_t *SQ_NULLABLE sq_pool_create(const char *SQ_NULLABLE label, const sq_pool_options_t *SQ_NULLABLE options);

/* Makes a pool without threads, for tests: its queues' tasks run when the caller has them run, and its queues' timers go by
 * a clock that the caller moves. A sync, an async_and_wait, a shutdown or a wait for room on a queue of such a pool first runs what that queue has
 * ready, on the calling thread. Of several threads that use such a pool one has to go on running it. Returns NULL with errno ENOMEM. */
sq_pool_t *SQ_NULLABLE sq_pool_create_manual(const char *SQ_NULLABLE label);

/* Runs what the queues of a manual pool have ready, timers that are due now included, and what becomes ready meanwhile, on
 * this thread, in turns, until nothing is. Returns how many tasks it has taken and run or discarded, or passed over (a
 * cancelled firing); what is discarded only because its queue ends before it is due does not count. 0 on any other pool. Legal from
 * a task, too. */
size_t sq_pool_run(sq_pool_t *pool);

/* Moves the clock of a manual pool forward. Stops at each timer on the way, in the order in which they are due, and runs what becomes
 * ready there. Returns the same as sq_pool_run. Not from a task that it runs itself. */
size_t sq_pool_advance(sq_pool_t *pool, uint64_t nanoseconds);

/* The manual pool that the queue is on; NULL: it is on none. Borrowed: valid as long as the caller's reference to the queue. */
sq_pool_t *SQ_NULLABLE sq_queue_manual_pool(const sq_queue_t *queue);

/* Adds a reference and returns `pool`; needless for the shared pool. */
sq_pool_t *sq_pool_retain(sq_pool_t *pool);

/* Gives up one reference. Never blocks; legal anywhere. NULL is ignored. Queues keep their pool: the last of them to go ends
 * its threads. What a manual pool's queues still have to run then needs someone who runs it. */
void sq_pool_release(sq_pool_t *SQ_NULLABLE pool);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

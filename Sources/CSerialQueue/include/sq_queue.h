/* sq_queue.h: making, keeping and letting go of a serial queue.
 *
 * A serial queue runs tasks one at a time, in the order in which they were submitted.
 *
 * Which calls may run at the same time, on one queue, from any threads (the caller holds a reference throughout):
 *
 *                          retain   release(a)   async*, sync*   suspend, resume   shutdown   depth, stats, label
 *   retain                  yes        yes           yes               yes          yes             yes
 *   release(a)              yes        yes           yes               yes          yes             yes
 *   async*, sync*           yes        yes           yes(b)            yes          yes(c)          yes
 *   suspend, resume         yes        yes           yes               yes          yes             yes
 *   shutdown                yes        yes           yes(c)            yes          yes             yes
 *   depth, stats, label     yes        yes           yes               yes          yes             yes
 *
 *   (a) The caller gives up its own reference and no other; calls that rest on other references go on.
 *   (b) A sync from a task of the same queue returns EDEADLK; see sq_sync.h.
 *   (c) A submission at the same time as a shutdown is accepted, or returns ESHUTDOWN.
 * Every call is legal from a task, from a discard function and from a thread-exit destructor. None is async-signal-safe.
 */
#ifndef SQ_QUEUE_H
#define SQ_QUEUE_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* What a queue is made with. Begin with SQ_QUEUE_OPTIONS_INIT and change what you need. */
typedef struct sq_queue_options {
    size_t size;       /* sizeof(sq_queue_options_t), so that later versions can add fields */
    sq_pool_t *SQ_NULLABLE pool; /* whose threads run its async tasks (sq_pool.h); NULL: a thread of its own */
    size_t capacity;   /* how many async tasks may wait for their turn; 0: as many as there is memory for */
    size_t stack_size; /* bytes of stack of the queue's own thread; 0: the system's default; a pool's threads have the pool's */
} sq_queue_options_t;

#define SQ_QUEUE_OPTIONS_INIT { sizeof(sq_queue_options_t), NULL, 0, 0 }

/* Makes a queue. `label` is UTF-8 and copied (NULL means ""); the queue's thread bears it as its name, cut to what the
 * system takes. NULL options: the defaults. Starts no thread: the own thread starts at the first async.
 * Returns a queue with one reference, or NULL with errno ENOMEM, EINVAL (options of an unknown size, or a stack
 * too small or too large for the system) or ESTALE (a pool from before a fork). */
sq_queue_t *SQ_NULLABLE sq_queue_create(const char *SQ_NULLABLE label, const sq_queue_options_t *SQ_NULLABLE options);

/* Adds a reference and returns `queue`. The caller must hold one already, or be a task of the queue. */
sq_queue_t *sq_queue_retain(sq_queue_t *queue);

/* Gives up one reference. Never blocks; legal anywhere, from the queue's own tasks too. NULL is ignored. After the last
 * one the accepted tasks still run; then the queue frees itself and its thread ends. If it is suspended then, they are
 * discarded: nobody could resume it. */
void sq_queue_release(sq_queue_t *SQ_NULLABLE queue);

/* The label the queue was made with; valid as long as the caller's reference. */
const char *sq_queue_label(const sq_queue_t *queue);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif

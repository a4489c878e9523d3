/* watch_all.c: one watcher for all queues that are made from now on.
 *
 * DESIGN. sq_queue_create calls a hook, if there is one, and that gives the new queue a watcher of its own, which calls the program's. The program's has a
 * reference from each of these, and one while it is the current one; it is discarded with the last. A queue that is made while the current one is
 * replaced gets either. The lock comes before those of queues. */
#include "include/sq_watch.h"

#include "observe/observe_inline.h"
#include "platform/memory.h"
#include "platform/mutex.h"
#include "platform/unwind.h"
#include "thread/process.h"

#include <errno.h>

/* Fields: I fixed after create, A atomic. */
typedef struct all {
    sq_watcher_t given;              /* I */
    uint64_t threshold;              /* I */
    SQ__ATOMIC(uint32_t) references; /* A */
} all_t;

static sq__mutex_t lock = SQ__MUTEX_INIT;
static all_t *current; /* under the lock; NULL: none */

SQ__AROUND_FORK(SQ__RANK_WATCH_ALL, .lock = &lock)

static void stalled(void *context, const sq_stall_t *stall) {
    const all_t *all = context;
    all->given.stalled(all->given.context, stall);
}

/* With no lock. NULL: no effect. */
static void release(void *context) {
    SQ__NOBODY_UNWINDS_THROUGH;
    all_t *all = context;
    /* [reference] release: our use of the watcher; acquire, if it was the last: everybody's. */
    if (all != NULL && sq__sub_acq_rel(&all->references, 1) == 1) {
        if (all->given.discard != NULL) {
            all->given.discard(all->given.context);
        }
        sq__memory_free(all);
    }
}

/* Watches a queue that was just made; without memory it stays as it is. Under the lock the watcher stays the current one, so a failure cannot drop its
 * last reference: its discard function never runs on a thread that creates a queue, which may hold a lock of its own. */
static void watch(sq_queue_t *queue) {
    sq__mutex_lock(&lock);
    const sq_watcher_t watcher = { .stalled = stalled, .context = current, .discard = release };
    if (current != NULL && sq_queue_watch(queue, current->threshold, &watcher) == 0) {
        sq__add_relaxed(&current->references, 1);
    }
    sq__mutex_unlock(&lock);
}

int sq_watch_all(uint64_t threshold, const sq_watcher_t *given) {
    all_t *all = NULL;
    if (given != NULL) {
        if (threshold == 0) {
            return EINVAL;
        }
        all = sq__memory(sizeof *all);
        if (all == NULL) {
            return ENOMEM;
        }
        *all = (all_t){ .given = *given, .threshold = threshold };
        sq__store_relaxed(&all->references, 1);
    }
    sq__mutex_lock(&lock);
    all_t *before = current;
    current = all;
    sq__store_relaxed(&sq__watch_made, all != NULL ? watch : NULL);
    sq__mutex_unlock(&lock);
    release(before);
    return 0;
}

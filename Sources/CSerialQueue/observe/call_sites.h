/* call_sites.h: the sites of a queue's tasks, while it is traced or watched (trace/sites.h).
 *
 * DESIGN. An unwatched, untraced queue pays nothing: the public calls compare the queue's `noted_process` with sq__process_if_quiet,
 * which finds out at once whether the queue is from before a fork, is to be traced, or is watched; and the paths of a task look at
 * its control anyway. */
#ifndef SQ__OBSERVE_CALL_SITES_H
#define SQ__OBSERVE_CALL_SITES_H

#include "state/queue.h"
#include "trace/recorder.h"
#include "trace/sites.h"

static inline bool sq__is_sited(const sq_queue_t *queue) {
    return __builtin_expect(sq__load_relaxed(&queue->control) & SQ__SITED, 0);
}

/* True: the queue is watched, a trace is under way, or the queue is from before a fork. */
static inline bool sq__sited_is_wanted(const sq_queue_t *queue) {
    return __builtin_expect(sq__load_relaxed(&queue->noted_process) != sq__load_relaxed(&sq__process_if_quiet), 0);
}

/* Called with the outcome of the call that noted it, and returns that. After an error nothing has taken the note, perhaps. */
static inline int sq__sited_outcome(int error) {
    if (__builtin_expect(error, 0)) {
        sq__self()->noted_queue = NULL;
    }
    return error;
}

/* L. The queue is about to be traced or watched: an era begins, unless one is under way. False: no memory. */
bool sq__sited_begin(sq_queue_t *queue);

struct sq__extras;

/* The address of a queue's era, by a copy of its table of records, for a dump, which peeks there; NULL: it has none. */
const void *sq__sited_era(const struct sq__extras *extras);

/* Stores the site that the thread has noted for the queue, under this place, and returns it; 0: not known. The queue is sited. */
sq__site_t sq__sited_put(const sq_queue_t *queue, uintptr_t where);

/* Returns what the thread has noted for the queue, and forgets it; if there is nothing, the call's own site. The queue is sited. */
sq__site_t sq__sited_call(const sq_queue_t *queue, sq__site_t site);

/* Stores the site of a call, which was returned by sq__sited_call, under the place where it waits. The queue is sited. */
void sq__sited_put_call(const sq_queue_t *queue, uintptr_t where, sq__site_t site);

/* Removes and returns the site of the task that was in this place; 0: not known. The queue is sited. */
sq__site_t sq__sited_take(const sq_queue_t *queue, uintptr_t where);

/* A deferred task may be submitted later, by another thread. The first keeps its site until then; the second notes it for the thread
 * that submits it. The queue is sited, else nothing happens. */
void sq__sited_keep(const sq_queue_t *queue, const void *task);
void sq__sited_restore(const sq_queue_t *queue, const void *task);

/* Notes where the calling thread's next submission to this queue comes from, if the queue is sited or a trace is under way. For the
 * Swift layer, which declares this itself. The name of the file must not change or end. Line 0: it is code. */
void sq__sited_note(const sq_queue_t *queue, const void *file, unsigned line);

#endif

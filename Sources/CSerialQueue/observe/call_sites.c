/* call_sites.c: the sites of a queue's tasks, while it is traced or watched (trace/sites.c).
 *
 * DESIGN. An unwatched, untraced queue stores nothing: the paths of a task look at its control anyway. What a call pays is that it passes
 * on its return address. */
#include "observe/observe_inline.h"
#include "state/state_inline.h"

/* Made before the queue is sited, and then fixed. */
typedef struct sited {
    SQ__ATOMIC(sq__epoch_t) epoch; /* first: a dump peeks there; L, read by any thread  of its sites: trace/sites.c */
} sited_t;

static sq__epoch_t epoch_of(const sq_queue_t *queue) {
    (void)sq__load_acquire(&queue->control); /* [watch] acquire: the record, which came before the flag; that may have been seen without */
    const sited_t *sited = sq__extra(queue, SQ__EXTRA_SITES);
    return sq__load_relaxed(&sited->epoch);
}

bool sq__sited_begin(sq_queue_t *queue) {
    sited_t *sited = sq__extra_make(queue, SQ__EXTRA_SITES, sizeof *sited);
    if (sited != NULL && !sq__is_sited(queue)) {
        sq__store_relaxed(&sited->epoch, sq__sites_new_epoch());
    }
    return sited != NULL;
}

void sq__sited_put(const sq_queue_t *queue, uintptr_t where, const void *site) { sq__sites_put(epoch_of(queue), queue, where, site); }

const void *sq__sited_take(const sq_queue_t *queue, uintptr_t where) { return sq__sites_take(epoch_of(queue), queue, where); }

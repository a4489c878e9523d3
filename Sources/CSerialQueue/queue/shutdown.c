#include "queue/shutdown.h"

#include "include/sq_shutdown.h"
#include "queue/bound.h"
#include "queue/current.h"
#include "queue/deadlock.h"
#include "queue/fork.h"
#include "queue/handle.h"
#include "queue/lock.h"
#include "queue/owner.h"
#include "queue/wait.h"

#include <errno.h>

/* On the stack of a thread that waits for the end. */
typedef struct sq__ender {
    struct sq__ender *next; /* L */
    sq__wait_t wait;
} ender_t;

void sq__shutdown_end(sq_queue_t *queue, bool by_worker) {
    sq__lock(queue);
    ender_t *ender = queue->enders;
    queue->enders = NULL;
    sq__worker_t *worker = sq__load_relaxed(&queue->worker);
    sq__store_relaxed(&queue->worker, NULL);
    sq__state_t state = sq__load_relaxed(&queue->state);
    /* [end] release: all that was done with the queue; acquire: if RELEASED, all that others did. Pairs with sq_shutdown and
     * sq_queue_release. From here on whoever gives up the last reference frees the queue. */
    while (!sq__cas_acq_rel(&queue->state, &state, state | SQ__ENDED)) {
    }
    if (worker != NULL && !by_worker) {
        sq__worker_stop(worker);
    }
    /* Under the lock: one whose deadline passes now comes for the lock before it leaves. */
    while (ender != NULL) {
        ender_t *next = ender->next; /* read first: the grant lets its thread go on, and use its stack */
        sq__token_grant(ender->wait.token, ender->wait.turn);
        ender = next;
    }
    sq__unlock(queue); /* by address alone: if nobody else disposes of the queue, it is for us to do */
    if (state & SQ__RELEASED) {
        sq__queue_dispose(queue);
    }
}

/* Closes the queue, if it is not yet. True: the baton is the caller's now. With the lock. */
static bool close_queue(sq_queue_t *queue, sq_shutdown_t mode) {
    if (mode == SQ_DISCARD) {
        sq__store_relaxed(&queue->control, sq__load_relaxed(&queue->control) | SQ__DISCARD);
    }
    sq__state_t state = sq__load_relaxed(&queue->state);
    sq__state_t next;
    do {
        if (state & SQ__ENDED) {
            return false;
        }
        /* A parked baton is taken up: there may be nothing left to wait for. If there is, it is parked again. */
        next = (state & ~SQ__PARKED) | SQ__CLOSED | SQ__OWNED;
        /* [own] [park] acquire: if the baton is ours, what its last holder did. release: [control] */
    } while (!sq__cas_acq_rel(&queue->state, &state, next));
    return sq__state_is_free(state) || (state & SQ__PARKED);
}

/* The list changes only under the lock; the end takes it whole. */
static bool leave(sq_queue_t *queue, const ender_t *ender) {
    for (ender_t **link = &queue->enders; *link != NULL; link = &(*link)->next) {
        if (*link == ender) {
            *link = ender->next;
            return true;
        }
    }
    return false;
}

static int wait_for_end(sq_queue_t *queue, ender_t *ender, sq_time_t deadline) {
    sq__lock(queue);
    /* [end] acquire: all that was done with the queue. */
    if (sq__load_acquire(&queue->state) & SQ__ENDED) {
        sq__unlock(queue);
        sq__wait_cancel(&ender->wait);
        return 0;
    }
    ender->next = queue->enders;
    queue->enders = ender;
    sq__unlock(queue);
    int error = sq__wait_end(&ender->wait, deadline);
    if (error) {
        sq__lock(queue);
        bool ended = !leave(queue, ender); /* it ended in the same moment; ENDED was set under the lock */
        sq__unlock(queue);
        return ended ? 0 : error;
    }
    return 0;
}

int sq_shutdown(sq_queue_t *queue, sq_shutdown_t mode, sq_time_t deadline) {
    SQ__CHECK_HANDLE(queue);
    ender_t ender;
    if (mode != SQ_DRAIN && mode != SQ_DISCARD) {
        return EINVAL;
    }
    if (sq__fork_is_stale(queue)) {
        return ESTALE;
    }
    int error = sq__wait_begin(&ender.wait, queue);
    if (error) {
        return error;
    }
    sq__lock(queue);
    bool takes_up = close_queue(queue, mode);
    sq__unlock(queue);
    if (queue->bound != NULL) {
        sq__bound_close(queue->bound);
    }
    if (takes_up) {
        sq__owner_pass(queue);
    }
    if (sq__is_current(queue)) {
        sq__wait_cancel(&ender.wait);
        sq__deadlock_onto_itself(queue, "shutdown of");
        return EDEADLK;
    }
    return wait_for_end(queue, &ender, deadline);
}

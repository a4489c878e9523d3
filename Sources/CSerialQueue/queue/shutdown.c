#include "queue/shutdown.h"

#include "include/sq_shutdown.h"
#include "platform/mutex.h"
#include "queue/async.h"
#include "kernel/current.h"
#include "wait/deadlock.h"
#include "queue/pending_timers.h"
#include "queue/fork.h"
#include "kernel/handle.h"
#include "kernel/lock.h"
#include "kernel/baton.h"
#include "wait/wait.h"

#include <errno.h>

/* On the stack of a thread that waits for the end. There are few at any time: one list for all queues is enough. */
typedef struct ender {
    struct ender *next; /* E */
    sq__wait_t wait;
} ender_t;

static sq__mutex_t enders_lock = SQ__MUTEX_INIT; /* within the queue's lock */
static ender_t *enders;                          /* E */

/* Takes one that waits for this queue, or this very one, out of the list; NULL: there is none. With the lock of the list. */
static ender_t *take_ender(const sq_queue_t *queue, const ender_t *this_one) {
    for (ender_t **link = &enders; *link != NULL; link = &(*link)->next) {
        ender_t *ender = *link;
        if (this_one != NULL ? ender == this_one : ender->wait.queue == queue) {
            *link = ender->next;
            return ender;
        }
    }
    return NULL;
}

/* Under the lock of the list: one whose deadline passes now comes for it before it leaves. */
static void wake_enders(const sq_queue_t *queue) {
    sq__mutex_lock(&enders_lock);
    for (ender_t *ender = take_ender(queue, NULL); ender != NULL; ender = take_ender(queue, NULL)) {
        sq__token_grant(ender->wait.token, ender->wait.wait_id);
    }
    sq__mutex_unlock(&enders_lock);
}

void sq__shutdown_lock_enders(void) { sq__mutex_lock(&enders_lock); }

void sq__shutdown_unlock_enders(bool in_child) {
    if (in_child) {
        enders = NULL; /* threads of the parent's */
    }
    sq__mutex_unlock(&enders_lock);
}

void sq__shutdown_end(sq_queue_t *queue, bool by_worker) {
    sq__lock(queue);
    sq__runner_t runner = sq__load_relaxed(&queue->runner);
    sq__worker_t *worker = sq__runner_worker(runner);
    if (!by_worker && sq__pending_timers_exists(queue)) {
        sq__unlock(queue);
        sq__runner_post(runner, &queue->ready); /* it comes here, too: their discard functions run where all others do */
        return;
    }
    sq__pending_timers_end_all(queue);
    if (worker != NULL) {
        sq__store_relaxed(&queue->runner, 0);
    }
    sq__state_t state = sq__load_relaxed(&queue->state);
    /* [end] release: all that was done with the queue; acquire: if it is released, all that others did. Pairs with sq_shutdown and
     * sq_queue_release. From here on whoever gives up the last reference frees the queue. */
    while (!sq__cas_acq_rel(&queue->state, &state, state | SQ__ENDED)) {
    }
    if (worker != NULL && !by_worker) {
        sq__worker_stop(worker);
    }
    wake_enders(queue);
    sq__unlock(queue); /* by address alone: it may be freed already */
    if (sq__state_is_released(state)) {
        sq__queue_dispose(queue);
    }
}

/* Closes the queue, if it is not yet. True: the baton is the caller's now. With the lock. */
static bool close_queue(sq_queue_t *queue, sq_shutdown_mode_t mode) {
    if (mode == SQ_SHUTDOWN_DISCARD) {
        sq__control(queue, 0, SQ__DISCARD);
    }
    sq__state_t state = sq__load_relaxed(&queue->state);
    sq__state_t next;
    do {
        if (state & SQ__ENDED) {
            return false;
        }
        /* A parked baton is taken up: there may be nothing left to wait for. If there is, it is parked again. */
        next = (state & ~SQ__PARKED) | SQ__CLOSED | SQ__OWNED | (mode == SQ_SHUTDOWN_DISCARD ? SQ__DISCARDED : 0);
        /* [own] [park] acquire: if the baton is ours, what its last holder did. release: [control] */
    } while (!sq__cas_acq_rel(&queue->state, &state, next));
    return sq__state_is_free(state) || (state & SQ__PARKED);
}

static int wait_for_end(sq_queue_t *queue, ender_t *ender, sq_time_t deadline) {
    sq__lock(queue);
    /* [end] acquire: all that was done with the queue. */
    if (sq__load_acquire(&queue->state) & SQ__ENDED) {
        sq__unlock(queue);
        sq__wait_cancel(&ender->wait);
        return 0;
    }
    sq__mutex_lock(&enders_lock);
    ender->next = enders;
    enders = ender;
    sq__mutex_unlock(&enders_lock);
    sq__unlock(queue); /* held until here: it ends under this lock */
    int error = sq__wait_end(&ender->wait, deadline);
    if (error) {
        sq__mutex_lock(&enders_lock);
        bool ended = take_ender(queue, ender) == NULL; /* in the same moment */
        sq__mutex_unlock(&enders_lock);
        return ended && error != ESTALE ? 0 : error;
    }
    return 0;
}

bool sq_has_ended(const sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    sq__lock(queue); /* a queue ends under it */
    bool has_ended = sq__load_relaxed(&queue->state) & SQ__ENDED;
    sq__unlock(queue);
    return has_ended;
}

int sq_shutdown(sq_queue_t *queue, sq_shutdown_mode_t mode, sq_time_t deadline) {
    SQ__CHECK_HANDLE(queue);
    ender_t ender;
    if (mode != SQ_SHUTDOWN_DRAIN && mode != SQ_SHUTDOWN_DISCARD) {
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
    size_t references = sq__pending_timers_take_references(queue);
    sq__unlock(queue);
    if (takes_up) {
        sq__baton_pass(queue);
    }
    if (mode == SQ_SHUTDOWN_DISCARD) {
        /* The threads that wait are refused now, however long the task takes that runs. Their places stay for the holder. */
        sq__token_refuse_line(queue);
    }
    if (queue->capacity != NULL) {
        sq__async_close_room(queue); /* not with the baton: it calls the user's functions */
    }
    sq__pending_timers_release(queue, references);
    if (sq__fork_is_stale(queue)) { /* one of those functions has forked, and this is the child: so is the token the parent's */
        return ESTALE;
    }
    if (sq__is_current(queue)) {
        sq__wait_cancel(&ender.wait);
        sq__deadlock_onto_itself(queue, "shutdown of");
        return EDEADLK;
    }
    ender.wait.wait_id = sq__token_prepare(ender.wait.token); /* those functions may have waited with the same token */
    return wait_for_end(queue, &ender, deadline);
}

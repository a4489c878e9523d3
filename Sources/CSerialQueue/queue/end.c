#include "queue/end.h"

#include "concurrent/concurrent.h"
#include "gate/gate_inline.h"
#include "kernel/kernel.h"
#include "observe/observe_inline.h"
#include "platform/list.h"
#include "platform/mutex.h"
#include "queue/capacity.h"
#include "queue/pending_timers.h"
#include "queue/targeted.h"
#include "queue/values.h"
#include "state/state_inline.h"

#include <errno.h>

/* The threads that wait for an end. There are few at any time: one list for all queues is enough. */

static sq__mutex_t lock = SQ__MUTEX_INIT;
static sq__ender_t *enders; /* E */

/* With the list's lock held. Removes one entry that waits for this queue, or this entry, from the list; NULL: there is none. */
static sq__ender_t *take_ender(const sq_queue_t *queue, const sq__ender_t *this_one) {
    for (sq__ender_t **link = &enders; *link != NULL; link = &(*link)->next) {
        sq__ender_t *ender = *link;
        if (this_one != NULL ? ender == this_one : ender->wait.queue == queue) {
            *link = ender->next;
            return ender;
        }
    }
    return NULL;
}

/* Called under the lock of the list: a thread whose deadline passes now takes that lock before it leaves. */
static void wake_enders(const sq_queue_t *queue) {
    sq__mutex_lock(&lock);
    for (sq__ender_t *ender = take_ender(queue, NULL); ender != NULL; ender = take_ender(queue, NULL)) {
        sq__token_grant(ender->wait.token, ender->wait.wait_id);
    }
    sq__mutex_unlock(&lock);
}

/* In the child of a fork: they are threads of the parent. */
static void forget_enders(void) { enders = NULL; }

SQ__AROUND_FORK(SQ__RANK_ENDERS, .lock = &lock, .in_child = forget_enders)

void sq__enders_add(sq__ender_t *ender) {
    sq__mutex_lock(&lock);
    ender->next = enders;
    enders = ender;
    sq__mutex_unlock(&lock);
}

bool sq__enders_remove(sq__ender_t *ender) {
    sq__mutex_lock(&lock);
    bool was_listed = take_ender(NULL, ender) != NULL;
    sq__mutex_unlock(&lock);
    return was_listed;
}

/* Awaits of an end. L, and so under the lock under which the queue ends. */

typedef struct at_end {
    sq_await_entry_t *newest; /* L */
} at_end_t;

bool sq__end_prepare(sq_queue_t *queue) {
    sq__lock(queue);
    bool is_there = sq__extra_make(queue, SQ__EXTRA_AT_END, sizeof(at_end_t)) != NULL;
    sq__unlock(queue);
    return is_there;
}

int sq__end_await(sq_queue_t *queue, sq_await_t *await) {
    SQ__CHECK_HANDLE(queue);
    if (sq__queue_is_stale(queue)) {
        return ESTALE;
    }
    int error = 0;
    sq__lock(queue);
    /* [end] acquire: all that was done with the queue. */
    if (!(sq__load_acquire(&queue->state) & SQ__ENDED)) {
        at_end_t *at_end = sq__extra_make(queue, SQ__EXTRA_AT_END, sizeof *at_end);
        error = at_end != NULL ? EINPROGRESS : ENOMEM;
        if (at_end != NULL) {
            await->reserved.await = await;
            SQ__LIST_PUT(at_end->newest, &await->reserved);
        }
    }
    sq__unlock(queue);
    return error;
}

bool sq__end_withdraw(sq_queue_t *queue, sq_await_t *await) {
    SQ__CHECK_HANDLE(queue);
    sq__lock(queue);
    sq_await_entry_t *entry = &await->reserved;
    bool is_listed = entry->link != NULL;
    if (is_listed && !sq__queue_is_stale(queue)) { /* else the entries next to it are the parent's, and nobody reads the list */
        SQ__LIST_REMOVE(entry);
    }
    entry->link = NULL;
    sq__unlock(queue);
    return is_listed;
}

/* L. Takes all awaits; they can no longer be withdrawn. Returns them in the order in which they came. */
static sq_await_entry_t *take_awaits(sq_queue_t *queue) {
    at_end_t *at_end = sq__extra(queue, SQ__EXTRA_AT_END);
    sq_await_entry_t *taken = NULL;
    while (at_end != NULL && at_end->newest != NULL) {
        sq_await_entry_t *entry = at_end->newest;
        at_end->newest = entry->next;
        entry->link = NULL;
        entry->next = taken;
        taken = entry;
    }
    return taken;
}

/* The end of a queue */

bool sq__end_close(sq_queue_t *queue, sq_shutdown_mode_t mode) {
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
        next = (state & ~SQ__PARKED) | SQ__CLOSED | SQ__OWNED;
        if (mode == SQ_SHUTDOWN_DISCARD) {
            next |= SQ__DISCARDED;
        } else if (!(state & SQ__CLOSED)) {
            next &= ~SQ__NOT_FREE; /* together with CLOSED that bit means DISCARDED */
        }
        /* [own] [park] acquire: if the baton is ours, what its last holder did. release: [control] */
    } while (!sq__cas_acq_rel(&queue->state, &state, next));
    return sq__state_is_free(state) || (state & SQ__PARKED) || sq__concurrent_takes(queue);
}

void sq__queue_dispose(sq_queue_t *queue) {
    sq__runner_t runner = sq__load_relaxed(&queue->runner);
    sq__ring_destroy(queue);
    if (queue->room != NULL && !sq__queue_is_stale(queue)) { /* else a thread of the parent may hold its mutex */
        sq__capacity_release(queue->room);
    }
    if (sq__load_relaxed(&queue->extras) != NULL) {
        const sq__after_end_t *after = sq__extra(queue, SQ__EXTRA_AFTER_END); /* no other thread has the successor, which may_stay */
        if (after != NULL && after->successor != NULL) {
            sq__queue_dispose(after->successor);
        }
        sq__values_release(queue);
        sq__targeted_t *targeted = sq__targeted(queue);
        if (targeted != NULL && targeted->target != NULL) { /* perhaps not fixed */
            sq__runner_release(sq__targeted_runner(targeted)); /* before the record is freed */
            runner = 0;
        }
        sq__suspended_remove(queue);
        sq__watch_forget(queue);
        sq__measured_forget(queue);
        sq__extras_free(queue);
    }
    if (sq__is_concurrent(queue)) {
        const sq__concurrent_t *concurrent = sq__concurrent_of(queue);
        sq__memory_free(sq__load_relaxed(&concurrent->stripes)); /* no other thread has the queue */
    }
    sq__handle_free(queue, sq__queue_memory(queue));
    sq__runner_release(runner);
}

void sq__queue_end(sq_queue_t *queue, bool by_runner) {
    sq__trace_hook_begin(queue);
    sq__lock(queue);
    sq__runner_t runner = sq__load_relaxed(&queue->runner);
    sq__client_t *client = sq__runner_client(runner);
    if (!by_runner && sq__pending_timers_exists(queue)) {
        bool posts = !sq__is_concurrent(queue) || sq__admit_by_pool(queue);
        sq__unlock(queue);
        if (posts) {
            sq__runner_post(runner, &queue->ready); /* the runner then comes here: so their discard functions run where all others do */
        }
        return;
    }
    bool was_stale = sq__queue_is_stale(queue);
    sq__pending_timers_end_all(queue);
    if (!was_stale && sq__queue_is_stale(queue)) { /* one of their functions has forked, and this is the child: the rest is the parent's */
        sq__unlock(queue);
        return;
    }
    if (sq__is_traced(queue)) {
        sq__trace_hook_event(queue, SQ__EVENT_ENDED, 0, 0, 0);
    }
    if (client != NULL) {
        sq__store_relaxed(&queue->runner, 0);
    }
    sq_await_entry_t *awaits = take_awaits(queue);
    sq__state_t state = sq__load_relaxed(&queue->state);
    /* [end] release: all that was done with the queue; acquire: if it is released, all that others did. Pairs with sq_shutdown and
     * sq_queue_release. From here on the last release frees the queue. */
    while (!sq__cas_acq_rel(&queue->state, &state, state | SQ__ENDED)) {
    }
    SQ__PROBE2(ended, queue, SQ__LABEL_AT); /* under the lock: it is still there */
    if (client != NULL && !by_runner) {
        sq__cache_leave(client);
    }
    wake_enders(queue);
    sq__unlock(queue); /* by address alone: it may be freed already */
    if (sq__state_is_released(state)) {
        sq__queue_dispose(queue);
    }
    sq__awaits_end(awaits);
}

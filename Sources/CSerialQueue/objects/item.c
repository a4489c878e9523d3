/* item.c: work items, from creation to outcome. */
#include "objects/item.h"

#include "include/sq_private.h"
#include "objects/item_wait.h"
#include "objects/member_count.h"
#include "timer/delayed.h"
#include "wait/wait_runs.h"
#include "queue/async.h"
#include "queue/targeted.h"
#include "gate/concurrent.h"
#include "wait/deadlock.h"
#include "observe/watch_notes.h"
#include "state/handle.h"
#include "kernel/run_task.h"
#include "observe/wrapper.h"
#include "thread/explored.h"

#include <errno.h>

static void have_turn(void *context, void *unused, bool runs);

static sq_item_t *make(const char *label, const sq_task_t *task, bool is_barrier) {
    sq_item_t *item = sq__object_memory(sizeof *item, offsetof(sq_item_t, label), label);
    if (item == NULL) {
        return NULL;
    }
    item->pair = (sq__pair_t){ .call = have_turn, .first = item };
    item->task = *task;
    sq__store_relaxed(&item->owners, 1);
    sq__store_relaxed(&item->references, 1);
    item->process = sq__process();
    item->is_barrier = is_barrier;
    return item;
}

sq_item_t *sq__item_make_turn(sq_item_t *item) {
    sq_item_t *turn = make(item->label, &(sq_task_t){ .run = item->task.run, .context = item->task.context }, item->is_barrier);
    if (turn != NULL) {
        turn->origin = item;
    }
    return turn;
}

sq_item_t *sq_item_create_with(const char *label, const sq_task_t *task, const sq_item_options_t *options) {
    static const unsigned known = SQ_ITEM_REPEATS | SQ_ITEM_BARRIER;
    unsigned flags = options != NULL ? options->flags : 0;
    if (task->run == NULL || (options != NULL && options->size != sizeof *options) || flags & ~known) {
        errno = EINVAL;
        return NULL;
    }
    sq_item_t *item = make(label, task, flags & SQ_ITEM_BARRIER);
    if (item != NULL && flags & SQ_ITEM_REPEATS) {
        item->repeats = true;
        item->last = sq__item_make_turn(item);
        if (item->last == NULL) {
            sq__memory_free(item);
            return NULL;
        }
    }
    return item;
}

sq_item_t *sq_item_create(const char *label, const sq_task_t *task) { return sq_item_create_with(label, task, NULL); }

const char *sq_item_label(const sq_item_t *item) { return item->label; }

/* Outcomes */

static void call_discard(const sq_task_t *task) {
    if (task->discard != NULL) {
        (void)sq__self_listed(); /* sq__run_in_chain does not list the thread */
        sq__run_in_chain(NULL, true, task->discard, task->context); /* the caller may be in a task */
    }
}

void sq__item_drop_origin(sq_item_t *item) {
    /* [reference] release: our use of the item; acquire, if it was the last: everybody's. */
    if (sq__sub_acq_rel(&item->references, 1) == 1) {
        sq_item_t *last = item->last;
        const sq_task_t task = item->task;
        bool is_here = item->process == sq__process();
        sq__memory_free(item);
        if (is_here) { /* else it has forked, and this is the child: the context is the parent's */
            call_discard(&task);
        }
        sq_item_release(last); /* if it was never submitted, this is its outcome */
    }
}

/* The member leaves its group after the outcome can be seen. */
static void publish(sq_item_t *item, bool ran) {
    sq_item_t *origin = sq__load_relaxed(&item->state) & SQ__ITEM_SUBMITTED ? item->origin : NULL;
    sq__item_publish(item, ran);
    if (item->member_count != NULL) {
        sq__member_count_end(item->member_count);
    }
    if (origin != NULL) {
        sq__item_drop_origin(origin);
    }
}

void sq__item_publish_performed(sq_item_t *item) { publish(item, true); }

/* `runs`: the item's turn has come. Otherwise its queue discards it, or has ended: it will never run. */
static void have_turn(void *context, void *unused, bool runs) {
    sq_item_t *item = context;
    (void)unused;
    if (runs && item->origin != NULL && sq_item_is_cancelled(item->origin)) {
        runs = false; /* its turn passes */
    }
    sq_function_t function = runs ? item->task.run : item->task.discard;
    if (function != NULL) {
        sq__watch_task_calls(item->queue, function); /* not have_turn */
        function(item->task.context);
    }
    if (item->process == sq__process()) { /* else it has forked, and this is the child: the item is the parent's */
        publish(item, runs);
        sq__item_drop(item);
    }
}

static __attribute__((constructor)) void show_items(void) {
    static sq__wrapper_t wrapper = {
        .name = "a work item", .run = offsetof(sq_item_t, task.run), .discard = offsetof(sq_item_t, task.discard),
        .context = offsetof(sq_item_t, task.context), .code = SQ__NOT_THERE, .label = offsetof(sq_item_t, label), .kind = SQ__TASK_OF_ITEM
    };
    wrapper.function = (sq_function_t)(void (*)(void))have_turn;
    sq__wrapper_add(&wrapper);
}

/* The item was withdrawn, or never submitted. The caller has a reference. */
static void discard(sq_item_t *item) {
    uint32_t process = sq__process();
    call_discard(&item->task);
    if (process == sq__process()) {
        publish(item, false);
    }
}

/* Withdraws the item from its queue, or from its delay. False: it has had its turn. */
static bool take_back(sq_item_t *item) {
    if (!sq__delayed_withdraw(item->queue, &item->place) && !sq__async_withdraw(item->queue, &item->place)) {
        return false;
    }
    discard(item);
    sq__item_drop(item);
    return true;
}

/* Called by the thread that set CANCELLED, or by the submitter that found it set after the item was accepted. Returns as sq_item_cancel. */
static int cancel_accepted(sq_item_t *item) {
    if (take_back(item)) {
        return 0;
    }
    /* [item] release: as in accept. acquire: the outcome, if there is one. */
    uint32_t state = sq__or_acq_rel(&item->state, SQ__ITEM_STARTED);
    if (state & SQ__ITEM_WATCHED && !(state & SQ__ITEM_OVER)) {
        sq__deadlock_look_again(item);
    }
    return state & SQ__ITEM_OVER ? EALREADY : EINPROGRESS;
}

int sq__item_cancel_one(sq_item_t *item) {
    if (item->process != sq__process()) {
        return ESTALE;
    }
    if (!(sq__load_relaxed(&item->state) & (SQ__ITEM_OVER | SQ__ITEM_CANCELLED))) {
        sq__explored_pause("cancels item", item->label, NULL); /* the item may begin first */
    }
    /* [item] acquire: the queue and the place, if it is ACCEPTED; the outcome, if it is OVER. */
    uint32_t state = sq__or_acq_rel(&item->state, SQ__ITEM_CANCELLED);
    if (state & SQ__ITEM_OVER) {
        return EALREADY;
    }
    if (state & SQ__ITEM_CANCELLED || (state & (SQ__ITEM_SUBMITTED | SQ__ITEM_ACCEPTED)) == SQ__ITEM_SUBMITTED) {
        return EINPROGRESS;
    }
    sq__item_hold(item); /* its functions may release the caller's reference */
    int error = 0;
    if (state & SQ__ITEM_ACCEPTED) {
        error = cancel_accepted(item);
    } else {
        discard(item);
    }
    sq__item_drop(item);
    sq__explored_pause_after();
    return error;
}

bool sq_item_is_cancelled(const sq_item_t *item) { return sq__load_relaxed(&item->state) & SQ__ITEM_CANCELLED; }

/* Submitting */

int sq__item_begin(sq_item_t *item) {
    uint32_t state = sq__load_relaxed(&item->state);
    if (item->process != sq__process()) {
        return ESTALE;
    }
    do {
        if (state & (SQ__ITEM_SUBMITTED | SQ__ITEM_CANCELLED)) {
            return state & SQ__ITEM_SUBMITTED ? EALREADY : ECANCELED;
        }
        /* [item] acquire: what another submitter, that was refused, did with the item. */
    } while (!sq__cas_acquire(&item->state, &state, state | SQ__ITEM_SUBMITTED));
    if (item->origin != NULL) {
        sq__item_hold(item->origin); /* the turn's, until its outcome */
    }
    return 0;
}

/* The item was refused: it may be submitted again. False: nobody will. It was cancelled since then, and the canceller has left the rest to us; or
 * it is a turn that is not its item's last any more: next_turn, which found it SUBMITTED, has replaced it under the same lock. */
static bool renew(sq_item_t *item) {
    const sq_item_t *origin = item->origin;
    if (origin != NULL) {
        sq__object_lock(origin);
    }
    bool renews = origin == NULL || origin->last == item;
    uint32_t state = sq__load_relaxed(&item->state);
    do {
        renews = renews && !(state & SQ__ITEM_CANCELLED);
        /* [item] release: what we did with the item. */
    } while (renews && !sq__cas_release(&item->state, &state, state & ~(uint32_t)SQ__ITEM_SUBMITTED));
    if (origin != NULL) {
        sq__object_unlock(origin);
    }
    return renews;
}

/* Called when the queue has refused the item. Returns the error, or ECANCELED. */
static int refuse(sq_item_t *item, int error) {
    sq__pool_t *pool = item->pool;
    sq__member_count_t *member_count = item->member_count;
    item->pool = NULL;
    item->member_count = NULL;
    sq__item_drop(item); /* the queue's; not the last */
    if (member_count != NULL) {
        sq__member_count_cancel(member_count);
    }
    if (pool != NULL) {
        sq__pool_release(pool);
    }
    if (!renew(item)) {
        discard(item); /* waits for it end */
        return sq_item_is_cancelled(item) ? ECANCELED : error;
    }
    if (item->origin != NULL) {
        sq__item_drop_origin(item->origin); /* not the last: the caller has one */
    }
    return error;
}

/* Called when the queue has accepted the item. */
static int accept(sq_item_t *item) {
    /* [item] release: the queue and the place. acquire: WATCHED, or not: then that wait will find it ACCEPTED. */
    uint32_t state = sq__or_acq_rel(&item->state, SQ__ITEM_ACCEPTED);
    if (state & SQ__ITEM_CANCELLED) { /* cancelled since then; the canceller has left the rest to us */
        return cancel_accepted(item) == 0 ? ECANCELED : 0;
    }
    if (state & SQ__ITEM_WATCHED && !(state & SQ__ITEM_OVER)) {
        sq__deadlock_look_again(item);
    }
    return 0;
}

/* The caller has begun: no other thread submits it. `member_count` is NULL: it is no member of a group. */
static int submit(sq_item_t *item, sq_queue_t *queue, sq__member_count_t *member_count, bool is_delayed, uint64_t delay, const void *caller) {
    sq__work_t work = { .cancellable = { .place = &item->place, .pair = &item->pair, .is_exempt = is_delayed } };
    uint16_t kind = SQ__CANCELLABLE | (item->is_barrier ? sq__barrier_on(queue) : 0);
    int error;
    item->queue = queue;
    item->member_count = member_count;
    sq__targeted_fix(queue);
    item->pool = sq__wait_threadless_pool(queue, &item->entry);
    if (item->pool != NULL) {
        sq__pool_retain(item->pool);
    }
    sq__item_hold(item); /* the queue's, or the delay's */
    if (is_delayed) {
        error = sq__delayed_submit(queue, delay, kind, &work, caller);
        error = error ? sq__queue_reject(queue, error) : 0;
    } else {
        error = sq__async_submit(queue, SQ_NOW, kind, &work, caller);
    }
    if (error) {
        return refuse(item, error);
    }
    if (member_count != NULL) {
        sq__member_count_confirm_item(member_count);
    }
    return accept(item);
}

int sq__item_submit_one(sq_group_t *group, sq_item_t *item, sq_queue_t *queue, bool is_delayed, uint64_t delay, const void *caller) {
    sq__member_count_t *member_count = NULL;
    int error = sq__item_begin(item);
    if (error) {
        return error;
    }
    sq__item_hold(item); /* its functions may release the caller's reference */
    error = group != NULL ? sq__member_count_begin(group, queue, &member_count) : 0;
    if (error) { /* it is refused like one that the queue has not accepted */
        sq__item_hold(item);
        error = refuse(item, sq__queue_reject(queue, error));
    } else {
        error = submit(item, queue, member_count, is_delayed, delay, caller);
    }
    sq__item_drop(item);
    return error;
}

/* Owners */

sq_item_t *sq_item_retain(sq_item_t *item) {
    if (sq__add_relaxed(&item->owners, 1) == 0) { /* called while the item runs: the queue's reference has kept it */
        sq__item_hold(item);
    }
    return item;
}

sq_item_t *sq__item_retain_last(sq_item_t *item) {
    if (!item->repeats) {
        return sq_item_retain(item);
    }
    sq__object_lock(item);
    sq_item_t *last = sq_item_retain(item->last);
    sq__object_unlock(item);
    return last;
}

void sq_item_release(sq_item_t *item) {
    /* [reference] release: our use of the item; acquire, if it was the last: everybody's. */
    if (item == NULL || sq__sub_acq_rel(&item->owners, 1) != 1) {
        return;
    }
    if (item->repeats) {
        sq__item_drop_origin(item);
        return;
    }
    /* No thread can submit or cancel it any more. */
    if (sq__item_is_fresh(item)) {
        discard(item);
    }
    sq__item_drop(item);
}

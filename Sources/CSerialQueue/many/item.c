/* item.c: work items, from creation to outcome. */
#include "many/item.h"

#include "many/item_wait.h"
#include "many/tie.h"
#include "timer/delayed.h"
#include "platform/memory.h"
#include "queue/async.h"
#include "wait/deadlock.h"
#include "observe/watch_notes.h"
#include "state/handle.h"
#include "kernel/run.h"
#include "observe/trace_hooks.h"
#include "kernel/withdraw.h"
#include "observe/wrapper.h"
#include "thread/explored.h"

#include <errno.h>
#include <string.h>

static void have_turn(void *context, void *unused, bool runs);

sq_item_t *sq_item_create(const char *label, const sq_task_t *task) {
    if (task->run == NULL) {
        errno = EINVAL;
        return NULL;
    }
    size_t length = label != NULL ? strlen(label) : 0;
    sq_item_t *item = sq__memory(sizeof *item + length + 1);
    if (item == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    memset(item, 0, sizeof *item);
    memcpy(item->label, label != NULL ? label : "", length + 1);
    item->pair = (sq__pair_t){ .call = have_turn, .first = item };
    item->task = *task;
    sq__store_relaxed(&item->owners, 1);
    sq__store_relaxed(&item->references, 1);
    item->process = sq__process();
    return item;
}

const char *sq_item_label(const sq_item_t *item) { return item->label; }

/* Outcomes */

/* The member leaves its group after the outcome can be seen. */
static void publish(sq_item_t *item, bool ran) {
    sq__item_publish(item, ran);
    if (item->tie != NULL) {
        sq__tie_end(item->tie);
    }
}

/* `runs`: the item's turn has come. Otherwise its queue discards it, or has ended: it will never run. */
static void have_turn(void *context, void *unused, bool runs) {
    sq_item_t *item = context;
    sq_function_t function = runs ? item->task.run : item->task.discard;
    (void)unused;
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
        .context = offsetof(sq_item_t, task.context), .code = SQ__NOT_THERE, .label = offsetof(sq_item_t, label)
    };
    wrapper.function = (sq_function_t)(void (*)(void))have_turn;
    sq__wrapper_add(&wrapper);
}

/* The item was withdrawn, or never submitted. The caller has a reference. */
static void discard(sq_item_t *item) {
    uint32_t process = sq__process();
    if (item->task.discard != NULL) {
        (void)sq__self_listed(); /* sq__run_in_chain does not list the thread */
        sq__run_in_chain(NULL, true, item->task.discard, item->task.context); /* the caller may be in a task */
    }
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

int sq_item_cancel(sq_item_t *item) {
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

/* Returns 0 if the caller may submit it, else the error. */
static int begin(sq_item_t *item) {
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
    return 0;
}

/* Called when the queue has refused the item. Returns the error, or ECANCELED. */
static int refuse(sq_item_t *item, int error) {
    sq__pool_t *pool = item->pool;
    sq__tie_t *tie = item->tie;
    uint32_t state = sq__load_relaxed(&item->state);
    item->pool = NULL;
    item->tie = NULL;
    sq__item_drop(item); /* the queue's; not the last */
    if (tie != NULL) {
        sq__tie_cancel(tie);
    }
    if (pool != NULL) {
        sq__pool_release(pool);
    }
    do {
        if (state & SQ__ITEM_CANCELLED) { /* cancelled since then; the canceller has left the rest to us */
            discard(item);
            return ECANCELED;
        }
        /* [item] release: what we did with the item. */
    } while (!sq__cas_release(&item->state, &state, state & ~(uint32_t)SQ__ITEM_SUBMITTED));
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

/* The caller has begun: no other thread submits it. `tie` is NULL: it is no member of a group. */
static int submit(sq_item_t *item, sq_queue_t *queue, sq__tie_t *tie, bool is_delayed, uint64_t delay) {
    sq__work_t work = { .claim = { .place = &item->place, .pair = &item->pair, .takes_no_room = is_delayed } };
    int error;
    item->queue = queue;
    item->tie = tie;
    item->pool = sq__wait_threadless_pool(queue);
    sq__item_hold(item); /* the queue's, or the delay's */
    if (is_delayed) {
        error = sq__delayed_submit(queue, delay, SQ__CLAIM, &work);
        error = error ? sq__queue_reject(queue, error) : 0;
    } else {
        error = sq__async_submit(queue, SQ__CLAIM, &work);
    }
    if (error) {
        return refuse(item, error);
    }
    if (tie != NULL) {
        sq__tie_confirm_item(tie);
    }
    return accept(item);
}

/* Begins and submits. A group: the item becomes a member of it. */
static int submit_to(sq_group_t *group, sq_item_t *item, sq_queue_t *queue, bool is_delayed, uint64_t delay) {
    sq__tie_t *tie = NULL;
    int error = begin(item);
    if (error) {
        return error;
    }
    sq__item_hold(item); /* its functions may release the caller's reference */
    error = group != NULL ? sq__tie_begin(group, queue, &tie) : 0;
    if (error) { /* it is refused like one that the queue has not accepted */
        sq__item_hold(item);
        error = refuse(item, sq__queue_reject(queue, error));
    } else {
        error = submit(item, queue, tie, is_delayed, delay);
    }
    sq__item_drop(item);
    return error;
}

SQ__NOTES_CALLER int sq_item_submit(sq_item_t *item, sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    SQ__NOTE_CALLER_IF_WANTED(queue);
    return sq__sited_outcome(submit_to(NULL, item, queue, false, 0));
}

SQ__NOTES_CALLER int sq_item_submit_after(sq_item_t *item, sq_queue_t *queue, uint64_t delay) {
    SQ__CHECK_HANDLE(queue);
    SQ__NOTE_CALLER_IF_WANTED(queue);
    return sq__sited_outcome(submit_to(NULL, item, queue, true, delay));
}

SQ__NOTES_CALLER int sq_group_submit_item(sq_group_t *group, sq_item_t *item, sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    SQ__NOTE_CALLER_IF_WANTED(queue);
    return sq__sited_outcome(submit_to(group, item, queue, false, 0));
}

/* Owners */

sq_item_t *sq_item_retain(sq_item_t *item) {
    if (sq__add_relaxed(&item->owners, 1) == 0) { /* called while the item runs: the queue's reference has kept it */
        sq__item_hold(item);
    }
    return item;
}

void sq_item_release(sq_item_t *item) {
    /* [reference] release: our use of the item; acquire, if it was the last: everybody's. */
    if (item == NULL || sq__sub_acq_rel(&item->owners, 1) != 1) {
        return;
    }
    /* No thread can submit or cancel it any more. */
    if (!(sq__load_relaxed(&item->state) & (SQ__ITEM_SUBMITTED | SQ__ITEM_CANCELLED))) {
        discard(item);
    }
    sq__item_drop(item);
}

/* item.c: work items, and the turns of those that repeat, from creation to outcome. item_record.h has the design. */
#include "objects/item.h"

#include "include/sq_private.h"
#include "kernel/kernel_inline.h"
#include "objects/item_wait.h"
#include "objects/member_count.h"
#include "observe/observe_inline.h"

#include <errno.h>

static void have_turn(void *context, void *unused, bool runs);

/* An item that was not submitted, with one owner. NULL, with errno: no memory. */
static sq_item_t *make(const char *label, const sq_task_t *task, bool is_barrier, const void *maker) {
    sq_item_t *item = sq__object_memory(sizeof *item, offsetof(sq_item_t, label), label, maker);
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

/* The turn that stands for the first one: it is never submitted. NULL: no memory. */
static __attribute__((noinline)) sq_item_t *make_first(sq_item_t *item) {
    sq_item_t *turn = make(item->label, &(sq_task_t){ .run = item->task.run, .context = item->task.context }, item->is_barrier,
                           sq__maker_of(item->label));
    if (turn != NULL) {
        turn->origin = item;
    }
    return turn;
}

sq_item_t *sq__item_make_turn(sq_item_t *item) {
    sq_item_t *turn = make_first(item);
    if (turn != NULL) {
        sq__item_hold(item);
        sq__store_relaxed(&turn->state, SQ__ITEM_SUBMITTED);
    }
    return turn;
}

static sq_item_t *create(const char *label, const sq_task_t *task, const sq_item_options_t *options, const void *maker) {
    static const unsigned known = SQ_ITEM_REPEATS | SQ_ITEM_BARRIER;
    unsigned flags = options != NULL ? options->flags : 0;
    if (task->run == NULL || (options != NULL && options->size != sizeof *options) || flags & ~known) {
        errno = EINVAL;
        return NULL;
    }
    sq_item_t *item = make(label, task, flags & SQ_ITEM_BARRIER, maker);
    if (item != NULL && flags & SQ_ITEM_REPEATS) {
        item->repeats = true;
        item->last = make_first(item);
        if (item->last == NULL) {
            sq__memory_free(item);
            return NULL;
        }
    }
    return item;
}

sq_item_t *sq_item_create_with(const char *label, const sq_task_t *task, const sq_item_options_t *options) {
    return create(label, task, options, __builtin_return_address(0));
}

sq_item_t *sq_item_create(const char *label, const sq_task_t *task) { return create(label, task, NULL, __builtin_return_address(0)); }

const char *sq_item_label(const sq_item_t *item) { return item->label; }

/* Outcomes */

/* Calls the discard function, if there is one, outside of every queue. */
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

/* Publishes the outcome. Then the member leaves its group, whose waits must see the outcome, and a turn drops its reference to its item. The caller
 * has a reference, and no lock. */
static void publish(sq_item_t *item, bool ran) {
    sq_item_t *origin = sq__load_relaxed(&item->state) & SQ__ITEM_SUBMITTED ? item->origin : NULL; /* the first turn's stand-in has none */
    sq__item_publish(item, ran);
    if (item->member_count != NULL) {
        sq__member_count_end(item->member_count);
    }
    if (origin != NULL) {
        sq__item_drop_origin(origin);
    }
}

void sq__item_publish_performed(sq_item_t *item) { publish(item, true); }

/* L. The turn is the first one that was made: it gets the notifications and a reference of the turn that has stood for it, whose threads are granted.
 * Returns the awaits of that, to be ended after the unlock. */
static sq_await_entry_t *take_over(sq_item_t *turn, sq_item_t *stood) {
    stood->first = turn;
    sq__item_hold(turn);
    turn->notices = stood->notices; /* from now on nothing uses those of `stood`, which has no outcome */
    if (turn->notices.first != NULL) {
        sq__or_acq_rel(&turn->state, SQ__ITEM_WAITED); /* [item] nothing: it has not begun, or its publisher takes the lock that we hold */
    }
    return sq__object_waiters_grant(&stood->waiters);
}

sq__turn_t sq__item_turn(sq_item_t *turn) {
    sq_item_t *item = turn->origin;
    sq__object_lock(item);
    bool is_cancelled = sq_item_is_cancelled(item);
    if (turn->is_made || is_cancelled) {
        sq__turn_t state = !is_cancelled ? SQ__TURN_MADE : turn->is_made ? SQ__TURN_SKIPPED : SQ__TURN_REFUSED;
        sq__object_unlock(item);
        return state;
    }
    turn->is_made = true;
    sq_item_t *old = item->last;
    item->last = sq_item_retain(turn); /* its submitter owns it, too: that call has not returned */
    sq_await_entry_t *awaits = old->is_made ? NULL : take_over(turn, old);
    sq__object_unlock(item);
    sq__awaits_end(awaits);
    sq_item_release(old);
    return SQ__TURN_MADE;
}

/* The queue's call of an item or turn, with the queue's reference, which is dropped at the end. `runs`: its turn has come. Otherwise its queue
 * discards it, or has ended: it will never run. Publishes the outcome. */
static void have_turn(void *context, void *unused, bool runs) {
    sq_item_t *item = context;
    (void)unused;
    if (item->origin != NULL && sq__item_turn(item) != SQ__TURN_MADE) {
        runs = false; /* the item was cancelled before: its turn passes */
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

/* Tells traces and dumps where an item's functions and label are. */
static __attribute__((constructor)) void show_items(void) {
    static sq__wrapper_t wrapper = {
        .name = "a work item", .run = offsetof(sq_item_t, task.run), .discard = offsetof(sq_item_t, task.discard),
        .context = offsetof(sq_item_t, task.context), .code = SQ__NOT_THERE, .label = offsetof(sq_item_t, label), .kind = SQ__TASK_OF_ITEM
    };
    wrapper.function = (sq_function_t)(void (*)(void))have_turn;
    sq__wrapper_add(&wrapper);
}

void sq__item_discard(sq_item_t *item) {
    uint32_t process = sq__process();
    call_discard(&item->task);
    if (process == sq__process()) {
        publish(item, false);
    }
}

bool sq_item_is_cancelled(const sq_item_t *item) { return sq__load_relaxed(&item->state) & SQ__ITEM_CANCELLED; }

/* Owners */

sq_item_t *sq_item_retain(sq_item_t *item) {
    if (sq__add_relaxed(&item->owners, 1) == 0) { /* called while the item runs: the queue's reference has kept it */
        sq__item_hold(item);
    }
    return item;
}

sq_item_t *sq__item_retain_last(sq_item_t *item) {
    sq__item_lock(item);
    sq_item_t *last = sq_item_retain(item->repeats ? item->last : item->first != NULL ? item->first : item);
    sq__item_unlock(item);
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
    /* No thread can submit or cancel it any more. In the child of a fork its context and its waits are the parent's. */
    if (sq__item_is_fresh(item) && item->first == NULL && item->process == sq__process()) {
        sq__item_discard(item);
    }
    sq__item_drop(item);
}

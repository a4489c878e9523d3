/* item_record.h: a work item's fields, and which thread decides its outcome.
 *
 * DESIGN. A submitted item is a CANCELLABLE (withdraw.h): its place says whether it waits in a queue or for its delay. The thread that
 * takes it from there, under the queue's lock, decides its outcome: the runner, or one canceller. All else is in the state word,
 * whose bits are only set, except NOTIFIES, and SUBMITTED after a submission that was refused:
 *
 *     CANCELLED   sq_item_cancel was called. Only the thread that sets this bit may withdraw the item
 *     SUBMITTED   a thread submits the item, or has done so
 *     ACCEPTED    a queue has the item, or it waits for its delay
 *     STARTED     a cancel tried to withdraw the item, but its turn had come; only together with CANCELLED and ACCEPTED
 *     WAITED      a thread is, or was, on the lists of waits for the outcome
 *     WATCHED     a thread that waits can be part of a deadlock: a submission looks for one
 *     OVER        the outcome is published
 *     RAN         with OVER: the item ran
 *     NOTIFIES    a thread, or an alarm, submits the notifications; it is cleared when none is left
 *
 *     { }                        made
 *     { CANCELLED }              cancelled before it was submitted: the canceller discards it
 *     { SUBMITTED }              being submitted; a canceller that comes now leaves the item to the submitter
 *     { SUBMITTED, ACCEPTED }    waits, or runs: the place says which
 *
 * An item that repeats has no outcome of its own. Each of its submissions is a turn: an item with the same functions, whose origin is the
 * item, with which it shares the lock. Of the item's own state only CANCELLED is used. A turn that a queue refuses was never made, so a wait, a
 * notification or a cancel must not find it. Therefore a turn is made, under the lock, when its submitter finds that a queue has accepted it, or
 * when it begins, whichever comes first. `last` is the turn that was made last:
 *
 *     { last: f }                  no turn was made yet: f stands for the first one, and is never submitted
 *     { last: t }                  t was made last; others may be on their way to a queue, and have still to be made
 *     { last: x, CANCELLED }       no turn is made any more, and no turn begins: the canceller cancels x alone
 *
 * When the first turn is made, it takes over f's notifications, and what waits for f looks again, and finds it in `first`. The item has a reference
 * to `last`, as an owner; so has the thread that submits a turn. A turn has one to its origin from its creation to its outcome, or its refusal.
 *
 * References: the owners' (sq_item_retain) count as one together; further ones belong to the queue or delay that has the item,
 * and to calls that may outlast the owners. The last owner's release of an item that was neither submitted nor cancelled is
 * its outcome. */
#pragma once

#include "include/sq_item.h"
#include "objects/member_count_record.h"
#include "objects/notification.h"
#include "objects/object_lock.h"
#include "objects/waiters.h"
#include "platform/memory.h"

enum {
    SQ__ITEM_CANCELLED = 1, SQ__ITEM_SUBMITTED = 2, SQ__ITEM_ACCEPTED = 4, SQ__ITEM_STARTED = 8, SQ__ITEM_WAITED = 16,
    SQ__ITEM_WATCHED = 32, SQ__ITEM_OVER = 64, SQ__ITEM_RAN = 128, SQ__ITEM_NOTIFIES = 256,
};

/* Fields: I fixed after create, S fixed once ACCEPTED, Q under the queue's lock, L under the item's lock, A atomic. */
struct sq_item {
    sq__pair_t pair;                 /* I  what the queue calls */
    SQ__ATOMIC(uintptr_t) place;     /* Q, any thread reads it  see withdraw.h */
    sq_queue_t *queue;               /* S  may be freed, unless the place says that the queue has the item */
    sq__runner_t runner;             /* S  the queue's, with a reference, if that has no threads; else 0 */
    sq__ready_t *entry;              /* S  the one that it runs for the queue; may be freed */
    sq__member_count_t *member_count;                  /* S  of the group that it is a member of; NULL: of none */
    SQ__ATOMIC(uint32_t) state;      /* A  see above */
    SQ__ATOMIC(uint32_t) owners;     /* A */
    SQ__ATOMIC(uint32_t) references; /* A */
    uint32_t process;                /* I  see process.h */
    sq_task_t task;                  /* I */
    sq__object_waiters_t waiters;      /* L */
    sq__notifications_t notices;           /* L */
    sq_item_t *origin;               /* I  the item whose turn this is; NULL: it is no turn */
    union {
        sq_item_t *last;             /* L  of one that repeats: the turn that was made last, or else the one that stands for the first */
        sq_item_t *first;            /* L  of the turn that stands for the first: that one, with a reference, once it was made */
    };
    bool repeats;                    /* I */
    bool is_made;                    /* L  of a turn: it counts as submitted */
    bool is_barrier;                 /* I  runs alone on a concurrent queue */
    char label[];                    /* I */
};

/* The lock of an item. An item that repeats and its turns have one together. By address alone: a turn may outlive its origin. */
static inline const void *sq__item_lock_of(const sq_item_t *item) { return item->origin != NULL ? item->origin : item; }
static inline void sq__item_lock(const sq_item_t *item) { sq__object_lock(sq__item_lock_of(item)); }
static inline void sq__item_unlock(const sq_item_t *item) { sq__object_unlock(sq__item_lock_of(item)); }

/* A reference that is not an owner's. */
static inline void sq__item_hold(sq_item_t *item) { sq__add_relaxed(&item->references, 1); }

/* Releases such a reference; NULL: none. The last one frees the item. Not of an item that repeats: sq__item_drop_origin. */
static inline void sq__item_drop(sq_item_t *item) {
    /* [reference] release: our use of the item; acquire, if it was the last: everybody's. */
    while (item != NULL && sq__sub_acq_rel(&item->references, 1) == 1) {
        sq_item_t *first = item->first;
        sq__runner_release(item->runner);
        sq__memory_free(item);
        item = first;
    }
}

/* True: the item has not been submitted, or cancelled. */
static inline bool sq__item_is_fresh(const sq_item_t *item) {
    return !(sq__load_relaxed(&item->state) & (SQ__ITEM_SUBMITTED | SQ__ITEM_CANCELLED));
}

/* What a wait is for: the item, or the last turn of one that repeats. With a reference, for sq__item_drop. May take the item's lock. */
static inline sq_item_t *sq__item_hold_last(sq_item_t *item) {
    sq_item_t *last = item;
    if (item->repeats) {
        sq__item_lock(item);
        last = item->last;
        sq__item_hold(last);
        sq__item_unlock(item);
    } else {
        sq__item_hold(item);
    }
    return last;
}

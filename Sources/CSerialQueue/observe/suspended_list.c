/* suspended_list.c: the queues that are suspended, for a dump: no other list leads to one for which no thread waits. */
#include "observe/observe_inline.h"

#include "platform/list.h"
#include "state/state_inline.h"
#include "thread/locks.h"
#include "thread/process.h"

/* The links are under the lock of the list. */
typedef struct suspended {
    const sq_queue_t *queue; /* fixed */
    struct suspended *next;
    struct suspended **link; /* what points to it; NULL: it is in no list */
} suspended_t;

/* A list for each lock: a dump looks at one at a time, and delays only the resumption of the queues in that list. */
static sq__locks_t locks = SQ__LOCKS_INIT;
static suspended_t *lists[SQ__LOCKS]; /* each under its lock */
static SQ__ATOMIC(uint64_t) missed;

void sq__suspended_add(sq_queue_t *queue) {
    suspended_t *suspended = sq__extra_make(queue, SQ__EXTRA_SUSPENDED, sizeof *suspended);
    if (suspended == NULL) {
        sq__add_relaxed(&missed, 1);
        return;
    }
    suspended->queue = queue;
    sq__locks_take(&locks, queue);
    SQ__LIST_PUT(lists[sq__locks_index(queue)], suspended);
    sq__locks_release(&locks, queue);
}

void sq__suspended_remove(sq_queue_t *queue) {
    suspended_t *suspended = sq__extra(queue, SQ__EXTRA_SUSPENDED);
    if (suspended == NULL) {
        return;
    }
    sq__locks_take(&locks, queue);
    if (suspended->link != NULL) { /* read under this lock: to remove a neighbour writes it, too */
        SQ__LIST_REMOVE(suspended);
    }
    sq__locks_release(&locks, queue);
}

unsigned sq__suspended_visit(sq__patience_t *patience, void (*visit)(void *context, const sq_queue_t *queue), void *context) {
    unsigned without = 0;
    for (unsigned i = 0; i < SQ__LOCKS; i += 1) {
        if (!sq__mutex_lock_patiently(&locks.of[i].mutex, patience)) {
            without += 1;
            continue;
        }
        for (const suspended_t *suspended = lists[i]; suspended != NULL; suspended = suspended->next) {
            visit(context, suspended->queue);
        }
        sq__mutex_unlock(&locks.of[i].mutex);
    }
    return without;
}

uint64_t sq__suspended_missed(void) { return sq__load_relaxed(&missed); }

/* In the child of a fork: they are queues of the parent's. */
static void forget_suspended(void) {
    for (unsigned i = 0; i < SQ__LOCKS; i += 1) {
        for (; lists[i] != NULL; lists[i] = lists[i]->next) {
            lists[i]->link = NULL;
        }
    }
}

SQ__AROUND_FORK(SQ__RANK_SUSPENDED, .locks = &locks, .in_child = forget_suspended)

const sq__layout_t sq__suspended_layout[] = {
    SQ__LAYOUT_LIST(lists, "suspended"),
    SQ__LAYOUT_CONSTANT(SQ__LOCKS),
    SQ__LAYOUT_FIELD_AS(suspended_t, queue, "suspended_t.queue"),
    SQ__LAYOUT_FIELD_AS(suspended_t, next, "suspended_t.next"),
    { .name = "" },
};

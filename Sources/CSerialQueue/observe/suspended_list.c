#include "observe/suspended_list.h"

#include "state/extras.h"
#include "platform/mutex.h"

/* A few lists, by the queue's address: a dump looks at one at a time, and delays only the resumption of the queues in that list. */
enum { LISTS = 8 };
/* The links are under the lock of the list; `link` also under the queue's. */
typedef struct suspended {
    const sq_queue_t *queue; /* fixed */
    struct suspended *next;
    struct suspended **link; /* what points to it; NULL: it is in no list */
} suspended_t;

static struct {
    _Alignas(SQ__LINE) sq__mutex_t lock;
    suspended_t *first; /* under the lock */
} lists[LISTS] = { { SQ__MUTEX_INIT, 0 }, { SQ__MUTEX_INIT, 0 }, { SQ__MUTEX_INIT, 0 }, { SQ__MUTEX_INIT, 0 },
                   { SQ__MUTEX_INIT, 0 }, { SQ__MUTEX_INIT, 0 }, { SQ__MUTEX_INIT, 0 }, { SQ__MUTEX_INIT, 0 } };
static SQ__ATOMIC(uint64_t) missed;

static unsigned list_of(const sq_queue_t *queue) {
    uintptr_t address = (uintptr_t)queue;
    return (unsigned)(address / SQ__LINE ^ address / (SQ__LINE * LISTS)) % LISTS;
}

void sq__suspended_add(sq_queue_t *queue) {
    suspended_t *suspended = sq__extra_make(queue, SQ__EXTRA_SUSPENDED, sizeof *suspended);
    if (suspended == NULL) {
        sq__add_relaxed(&missed, 1);
        return;
    }
    unsigned i = list_of(queue);
    suspended->queue = queue;
    sq__mutex_lock(&lists[i].lock);
    suspended->next = lists[i].first;
    suspended->link = &lists[i].first;
    if (suspended->next != NULL) {
        suspended->next->link = &suspended->next;
    }
    lists[i].first = suspended;
    sq__mutex_unlock(&lists[i].lock);
}

void sq__suspended_remove(sq_queue_t *queue) {
    suspended_t *suspended = sq__extra(queue, SQ__EXTRA_SUSPENDED);
    if (suspended == NULL || suspended->link == NULL) { /* changes only under the queue's lock */
        return;
    }
    unsigned i = list_of(queue);
    sq__mutex_lock(&lists[i].lock);
    *suspended->link = suspended->next;
    if (suspended->next != NULL) {
        suspended->next->link = suspended->link;
    }
    suspended->link = NULL;
    sq__mutex_unlock(&lists[i].lock);
}

unsigned sq__suspended_visit(sq__patience_t *patience, void (*visit)(void *context, const sq_queue_t *queue), void *context) {
    unsigned without = 0;
    for (unsigned i = 0; i < LISTS; i += 1) {
        if (!sq__mutex_lock_patiently(&lists[i].lock, patience)) {
            without += 1;
            continue;
        }
        for (const suspended_t *suspended = lists[i].first; suspended != NULL; suspended = suspended->next) {
            visit(context, suspended->queue);
        }
        sq__mutex_unlock(&lists[i].lock);
    }
    return without;
}

uint64_t sq__suspended_missed(void) { return sq__load_relaxed(&missed); }

static void take_all(void) {
    for (unsigned i = 0; i < LISTS; i += 1) {
        sq__mutex_lock(&lists[i].lock);
    }
}

static void release_all(bool in_child) {
    for (unsigned i = 0; i < LISTS; i += 1) {
        for (suspended_t *suspended = lists[i].first; in_child && suspended != NULL; suspended = suspended->next) {
            suspended->link = NULL; /* a queue of the parent's */
        }
        if (in_child) {
            lists[i].first = NULL;
        }
        sq__mutex_unlock(&lists[i].lock);
    }
}

static __attribute__((constructor)) void around_fork(void) {
    sq__process_around_fork(SQ__RANK_SUSPENDED, take_all, release_all);
}

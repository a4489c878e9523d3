#include "kernel/suspended.h"

#include "kernel/cold.h"
#include "platform/mutex.h"

/* A few lists, by the queue's address: a dump looks at one at a time, and delays only the resumption of the queues in that list. */
enum { LISTS = 8 };
static struct {
    _Alignas(SQ__LINE) sq__mutex_t lock;
    sq__cold_t *first; /* under the lock */
} lists[LISTS] = { { SQ__MUTEX_INIT, 0 }, { SQ__MUTEX_INIT, 0 }, { SQ__MUTEX_INIT, 0 }, { SQ__MUTEX_INIT, 0 },
                   { SQ__MUTEX_INIT, 0 }, { SQ__MUTEX_INIT, 0 }, { SQ__MUTEX_INIT, 0 }, { SQ__MUTEX_INIT, 0 } };
static SQ__ATOMIC(uint64_t) missed;

static unsigned list_of(const sq_queue_t *queue) {
    uintptr_t address = (uintptr_t)queue;
    return (unsigned)(address / SQ__LINE ^ address / (SQ__LINE * LISTS)) % LISTS;
}

void sq__suspended_add(sq_queue_t *queue) {
    sq__cold_t *cold = sq__cold_record(queue);
    if (cold == NULL) {
        sq__add_relaxed(&missed, 1);
        return;
    }
    unsigned i = list_of(queue);
    sq__mutex_lock(&lists[i].lock);
    cold->next_suspended = lists[i].first;
    cold->suspended_link = &lists[i].first;
    if (cold->next_suspended != NULL) {
        cold->next_suspended->suspended_link = &cold->next_suspended;
    }
    lists[i].first = cold;
    sq__mutex_unlock(&lists[i].lock);
}

void sq__suspended_remove(sq_queue_t *queue) {
    sq__cold_t *cold = sq__load_relaxed(&queue->cold); /* made under the queue's lock */
    if (cold == NULL || cold->suspended_link == NULL) { /* changes only under the queue's lock */
        return;
    }
    unsigned i = list_of(queue);
    sq__mutex_lock(&lists[i].lock);
    *cold->suspended_link = cold->next_suspended;
    if (cold->next_suspended != NULL) {
        cold->next_suspended->suspended_link = cold->suspended_link;
    }
    cold->suspended_link = NULL;
    sq__mutex_unlock(&lists[i].lock);
}

unsigned sq__suspended_visit(sq__patience_t *patience, void (*visit)(void *context, const sq_queue_t *queue), void *context) {
    unsigned without = 0;
    for (unsigned i = 0; i < LISTS; i += 1) {
        if (!sq__mutex_lock_patiently(&lists[i].lock, patience)) {
            without += 1;
            continue;
        }
        for (const sq__cold_t *cold = lists[i].first; cold != NULL; cold = cold->next_suspended) {
            visit(context, cold->queue);
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
        for (sq__cold_t *cold = lists[i].first; in_child && cold != NULL; cold = cold->next_suspended) {
            cold->suspended_link = NULL; /* a queue of the parent's */
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

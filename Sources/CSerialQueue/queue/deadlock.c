#include "queue/deadlock.h"

#include "platform/mutex.h"
#include "queue/report.h"

#include <stdio.h>

static sq__mutex_t lock = SQ__MUTEX_INIT;
static sq__edge_t *edges; /* under the lock */

static bool holds(const sq__edge_t *edge, const sq_queue_t *queue) {
    for (const sq__frame_t *frame = edge->frames; frame != NULL; frame = frame->parent) {
        if (frame->owner == queue) {
            return true;
        }
    }
    return false;
}

/* The thread that holds the queue, if it is asleep. */
static sq__edge_t *sleeper_that_holds(const sq_queue_t *queue) {
    for (sq__edge_t *edge = edges; edge != NULL; edge = edge->next) {
        if (holds(edge, queue) && sq__token_is_open(edge->wait->token, edge->wait->turn)) {
            return edge;
        }
    }
    return NULL;
}

/* True: the path from `first` comes back to it; then `onward` leads along it, around. It ends elsewhere, too: a path that
 * ran into a cycle without `first` would have been cut when that cycle was closed. */
static bool closes_cycle(sq__edge_t *first) {
    sq__edge_t *edge = first;
    while (!holds(first, edge->wait->queue)) {
        sq__edge_t *onward = sleeper_that_holds(edge->wait->queue);
        if (onward == NULL) {
            return false;
        }
        edge->onward = onward;
        edge = onward;
    }
    edge->onward = first;
    return true;
}

/* The wait of the cycle that is to be refused: the earliest deadline, and among equals the first one from `closer` on. */
static sq__edge_t *choose(sq__edge_t *closer) {
    sq__edge_t *chosen = NULL;
    sq__edge_t *edge = closer;
    do {
        if (!edge->has_begun && (chosen == NULL || edge->deadline < chosen->deadline)) {
            chosen = edge;
        }
        edge = edge->onward;
    } while (edge != closer);
    return chosen;
}

/* Refuses one wait of the cycle, unless one has just ended in another way. */
static void break_cycle(sq__edge_t *closer) {
    sq__edge_t *edge = choose(closer);
    while (!sq__token_refuse(edge->wait->token, edge->wait->turn)) {
        if (!sq__token_is_open(edge->wait->token, edge->wait->turn)) {
            return; /* granted, or its deadline has passed: the cycle is open */
        }
        edge->has_begun = true;
        edge = choose(closer);
    }
    edge->is_refused = true; /* its thread, awake by now, comes for our lock before it looks */
    sq__report_cycle(edge);
}

void sq__deadlock_enter(sq__edge_t *edge, const sq__wait_t *wait, sq_time_t deadline) {
    *edge = (sq__edge_t){ .wait = wait, .deadline = deadline, .frames = sq__self()->frame, .report = sq__report_room() };
    edge->thread_id = sq__thread_id();
    sq__thread_name(edge->thread_name, sizeof edge->thread_name);
    sq__mutex_lock(&lock);
    edge->next = edges;
    if (edges != NULL) {
        edges->prev = edge;
    }
    edges = edge;
    if (closes_cycle(edge)) {
        break_cycle(edge);
    }
    sq__mutex_unlock(&lock);
}

bool sq__deadlock_leave(sq__edge_t *edge) {
    sq__mutex_lock(&lock);
    if (edge->next != NULL) {
        edge->next->prev = edge->prev;
    }
    if (edge->prev != NULL) {
        edge->prev->next = edge->next;
    } else {
        edges = edge->next;
    }
    bool is_refused = edge->is_refused;
    sq__mutex_unlock(&lock);
    return is_refused;
}

void sq__deadlock_waits_for(uint64_t thread_id, char *label, size_t size) {
    label[0] = '\0';
    sq__mutex_lock(&lock);
    for (const sq__edge_t *edge = edges; edge != NULL; edge = edge->next) {
        if (edge->thread_id == thread_id) {
            snprintf(label, size, "%s", edge->wait->queue->label);
        }
    }
    sq__mutex_unlock(&lock);
}

void sq__deadlock_lock(void) { sq__mutex_lock(&lock); }

void sq__deadlock_unlock(bool in_child) {
    if (in_child) {
        edges = NULL; /* their threads are the parent's */
    }
    sq__mutex_unlock(&lock);
}

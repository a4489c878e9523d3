#include "wait/deadlock.h"

#include "platform/mutex.h"
#include "wait/deadlock_report.h"

#include <stdio.h>

static sq__mutex_t lock = SQ__MUTEX_INIT;
static sq__edge_t *edges; /* under the lock */

static bool is_open(const sq__edge_t *edge) { return sq__token_is_open(edge->wait->token, edge->wait->wait_id); }

/* The wait cannot end before a task of `owner` ends (a queue), or its function (a once). */
static bool needs(const sq__wait_t *wait, const void *owner) {
    const sq__subject_t *subject = wait->subject;
    if (subject == NULL) {
        return wait->queue == owner;
    }
    return subject->needs != NULL && subject->needs(subject, owner);
}

/* True: `edge` holds what the wait needs, as its `held` says. */
static bool holds_up(sq__edge_t *edge, const sq__wait_t *wait) {
    for (const sq__frame_t *frame = edge->frames; frame != NULL; frame = frame->parent) {
        if (needs(wait, frame->owner)) {
            edge->held = (sq__held_t){ .frame = frame };
            return true;
        }
    }
    for (const sq__hold_t *hold = edge->holds; hold != NULL; hold = hold->parent) {
        if (needs(wait, hold->what)) {
            edge->held = (sq__held_t){ .hold = hold };
            return true;
        }
    }
    return false;
}

/* `last` waits for what `first` holds: `onward` is made to lead from `first` to `last` and back. */
static void close_path(sq__edge_t *first, sq__edge_t *last) {
    sq__edge_t *onward = first;
    for (sq__edge_t *edge = last; edge != first; edge = edge->before) {
        edge->onward = onward;
        onward = edge;
    }
    first->onward = onward;
}

/* True: a path from `first` comes back to it; then `onward` leads along it, around. The search is breadth first: a wait for
 * a group leads to several threads. Each edge is looked at once, so a cycle without `first` does not keep it from ending. */
static bool closes_cycle(sq__edge_t *first) {
    for (sq__edge_t *edge = edges; edge != NULL; edge = edge->next) {
        edge->is_reached = false;
    }
    if (!is_open(first)) {
        return false;
    }
    sq__edge_t *last = first;
    first->next_reached = NULL;
    for (sq__edge_t *edge = first; edge != NULL; edge = edge->next_reached) {
        if (holds_up(first, edge->wait)) {
            close_path(first, edge);
            return true;
        }
        for (sq__edge_t *other = edges; other != NULL; other = other->next) {
            if (!other->is_reached && other != first && holds_up(other, edge->wait) && is_open(other)) {
                other->is_reached = true;
                other->before = edge;
                other->next_reached = NULL;
                last = last->next_reached = other;
            }
        }
    }
    return false;
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
    while (!sq__token_refuse(edge->wait->token, edge->wait->wait_id)) {
        if (!is_open(edge)) {
            return; /* granted, or its deadline has passed: the cycle is open */
        }
        edge->has_begun = true;
        edge = choose(closer);
    }
    edge->is_refused = true; /* its thread, awake by now, comes for our lock before it looks */
    sq__deadlock_report_cycle(edge);
}

/* Several, if it waits for several tasks. Each step leaves one wait less open. */
static void break_all_cycles(sq__edge_t *closer) {
    while (closes_cycle(closer)) {
        break_cycle(closer);
    }
}

void sq__deadlock_enter(sq__edge_t *edge, const sq__wait_t *wait, sq_time_t deadline) {
    *edge = (sq__edge_t){ .wait = wait, .deadline = deadline, .report = sq__deadlock_report_room() };
    edge->frames = sq__self()->frame;
    edge->holds = sq__self()->hold;
    edge->thread_id = sq__thread_id();
    sq__thread_name(edge->thread_name, sizeof edge->thread_name);
    sq__mutex_lock(&lock);
    edge->next = edges;
    if (edges != NULL) {
        edges->prev = edge;
    }
    edges = edge;
    break_all_cycles(edge);
    sq__mutex_unlock(&lock);
}

void sq__deadlock_look_again(const void *object) {
    sq__mutex_lock(&lock);
    for (sq__edge_t *edge = edges; edge != NULL; edge = edge->next) {
        if (edge->wait->subject != NULL && edge->wait->subject->object == object) {
            break_all_cycles(edge);
        }
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
            snprintf(label, size, "%s", sq__wait_label(edge->wait));
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

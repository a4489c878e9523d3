#include "wait/deadlock.h"

#include "platform/list.h"
#include "platform/mutex.h"
#include "platform/text.h"
#include "thread/process.h"
#include "trace/trace.h"
#include "wait/deadlock_report.h"
#include "wait/deadlock_text.h"

#include <string.h>

/* The edges of all sleeping threads that can be part of a cycle. Waits for one queue or once are in the list chosen by its
 * address; waits for the tasks of a group, and for a queue with a target, are in the last list. Tests set a small number, so that lists are shared. */
#ifndef SQ__WAIT_LISTS
#define SQ__WAIT_LISTS 1024
#endif
enum { OF_SEVERAL = SQ__WAIT_LISTS };

static sq__mutex_t lock = SQ__MUTEX_INIT;
static sq__edge_t *lists[SQ__WAIT_LISTS + 1]; /* under the lock */
static uint64_t searches;                     /* under the lock */

static bool is_open(const sq__edge_t *edge) { return sq__token_is_open(edge->wait->token, edge->wait->wait_id); }

static sq__edge_t **list_of(const void *owner) { return &lists[((uint64_t)(uintptr_t)owner * 0x9E3779B97F4A7C15u >> 32) % SQ__WAIT_LISTS]; }

/* The list for the edge of this wait. */
static sq__edge_t **list_for(const sq__wait_t *wait) {
    const sq__subject_t *subject = wait->subject;
    if (subject == NULL) {
        return sq__runner_is_owned(wait->runner) || wait->root != wait->queue ? &lists[OF_SEVERAL] : list_of(wait->queue);
    }
    return subject->needs == NULL ? list_of(subject->object) : &lists[OF_SEVERAL];
}

/* The threads that wait for a given one, directly or not, in the order in which they are found. */
typedef struct search {
    sq__edge_t *last;
    uint64_t number;
} search_t;

/* M (edge.h). Adds the edges of the list that wait for what `edge` holds, with `onward` to it. Each edge is added at most once, so the search
 * ends. */
static void reach_list(search_t *search, sq__edge_t *list, sq__edge_t *edge) {
    for (sq__edge_t *other = list; other != NULL; other = other->next) {
        if (other->reached != search->number && sq__edge_holds_up(edge, other->wait) && is_open(other)) {
            other->reached = search->number;
            other->onward = edge;
            other->next_reached = NULL;
            search->last = search->last->next_reached = other;
        }
    }
}

static void reach(search_t *search, sq__edge_t *edge, const void *owner) {
    reach_list(search, *list_of(owner), edge);
    reach_list(search, lists[OF_SEVERAL], edge);
}

/* Records what each thread of the cycle holds that the previous one waits for. `onward` leads around the cycle. */
static void note_held(sq__edge_t *first) {
    sq__edge_t *edge = first;
    do {
        edge->onward->held = sq__edge_held_for(edge->onward, edge->wait);
        edge = edge->onward;
    } while (edge != first);
}

/* M. True: `first` waits for a thread that waits for it, directly or not; then `onward` leads along the cycle, and each edge has `held`. The search
 * goes backwards, from what the thread of `first` holds to the threads that wait for it. Usually there are none, and it ends at once. */
static bool closes_cycle(sq__edge_t *first) {
    if (!is_open(first)) {
        return false;
    }
    search_t search = { .last = first, .number = ++searches };
    first->next_reached = NULL;
    first->reached = search.number; /* what it waits for may change during the search: it must not be found again */
    for (sq__edge_t *edge = first; edge != NULL; edge = edge->next_reached) {
        if (sq__edge_holds_up(edge, first->wait)) {
            first->onward = edge;
            note_held(first);
            return true;
        }
        for (const sq__frame_t *frame = edge->frames; frame != NULL; frame = frame->parent) {
            reach(&search, edge, frame->owner);
        }
        for (const sq__duty_t *duty = edge->duties; duty != NULL; duty = duty->parent) {
            reach(&search, edge, duty->what);
        }
        if (edge->wait->is_barrier) {
            reach(&search, edge, edge->wait->queue);
        }
        if (edge->owner != NULL) {
            reach_list(&search, lists[OF_SEVERAL], edge);
        }
    }
    return false;
}

/* M. Chooses the wait to refuse: the one with the earliest deadline; among equal ones, the first from `closer` on. Never NULL: not all have begun. */
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

/* M, after closes_cycle. Refuses one wait of the cycle, and writes the report of its thread; nothing, if one of the waits has just ended in another
 * way. */
static void break_cycle(sq__edge_t *closer) {
    sq__edge_t *edge = choose(closer);
    while (!sq__token_refuse(edge->wait->token, edge->wait->wait_id)) {
        if (!is_open(edge)) {
            return; /* granted, or its deadline has passed: the cycle is open */
        }
        edge->has_begun = true;
        edge = choose(closer);
    }
    edge->is_refused = true; /* its thread may be awake, but takes this lock before it reads the field */
    sq__deadlock_text_cycle(edge);
}

/* A wait for several tasks can close several cycles. Each round leaves one open wait fewer, so the loop ends. */
static void break_all_cycles(sq__edge_t *closer) {
    while (closes_cycle(closer)) {
        break_cycle(closer);
    }
}

void sq__deadlock_enter(sq__edge_t *edge, const sq__wait_t *wait, sq_time_t deadline) {
    *edge = (sq__edge_t){ .wait = wait, .deadline = deadline, .report = sq__deadlock_report_own() };
    edge->frames = sq__self()->frame;
    edge->duties = sq__self()->duty;
    edge->owner = sq__self()->owner;
    edge->thread_id = sq__self_thread_id();
    sq__thread_name(edge->thread_name, sizeof edge->thread_name);
    sq__edge_t **list = list_for(wait);
    sq__mutex_lock(&lock);
    SQ__LIST_PUT(*list, edge);
    break_all_cycles(edge);
    sq__mutex_unlock(&lock);
}

void sq__deadlock_look_again(const void *object) {
    sq__mutex_lock(&lock);
    for (sq__edge_t *edge = lists[OF_SEVERAL]; edge != NULL; edge = edge->next) {
        if (edge->wait->subject != NULL && edge->wait->subject->object == object) {
            break_all_cycles(edge);
            if (edge->wait->runs == SQ__WAIT_RUNS_TASKS) {
                sq__token_wake(edge->wait->token); /* the new task may be on its loop */
            }
        }
    }
    sq__mutex_unlock(&lock);
}

void sq__deadlock_look_again_at(const sq_queue_t *queue) {
    sq__mutex_lock(&lock);
    for (sq__edge_t *edge = *list_of(queue); edge != NULL; edge = edge->next) {
        if (edge->wait->queue == queue && edge->wait->aim == SQ__AIM_TURN && edge->wait->subject == NULL) {
            break_all_cycles(edge);
        }
    }
    for (sq__edge_t *edge = lists[OF_SEVERAL]; edge != NULL; edge = edge->next) {
        const sq__subject_t *subject = edge->wait->subject;
        bool may_be_queued = subject == NULL ? edge->wait->root == queue : subject->queued != NULL && subject->queued(subject, queue) != 0;
        if (may_be_queued) {
            break_all_cycles(edge);
        }
    }
    sq__mutex_unlock(&lock);
}

bool sq__deadlock_leave(sq__edge_t *edge) {
    sq__mutex_lock(&lock);
    SQ__LIST_REMOVE(edge);
    bool is_refused = edge->is_refused;
    sq__mutex_unlock(&lock);
    if (is_refused) {
        sq__trace_happened("deadlock");
        sq__deadlock_report_finish(edge->report);
    }
    return is_refused;
}

const void *sq__deadlock_waits_for(uint64_t thread_id, char *label, size_t size) {
    const void *maker = NULL;
    label[0] = '\0';
    sq__mutex_lock(&lock);
    for (unsigned i = 0; i <= OF_SEVERAL; i += 1) {
        for (const sq__edge_t *edge = lists[i]; edge != NULL; edge = edge->next) {
            if (edge->thread_id == thread_id) {
                sq__text_copy(label, size, sq__wait_label(edge->wait));
                maker = edge->wait->subject != NULL ? sq__subject_maker(edge->wait->subject) : NULL;
            }
        }
    }
    sq__mutex_unlock(&lock);
    return maker;
}

/* In the child of a fork: their threads exist only in the parent. */
static void forget_waits(void) { memset(lists, 0, sizeof lists); }

SQ__AROUND_FORK(SQ__RANK_WAITS, .lock = &lock, .in_child = forget_waits)

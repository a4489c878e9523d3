#include "wait/deadlock_report.h"

#include "include/sq_current.h"
#include "include/sq_private.h"
#include "observe/observe.h"
#include "platform/json.h"
#include "runner/runner_inline.h"
#include "thread/explored.h"
#include "wait/deadlock_json.h"

#include "platform/clock.h"
#include "platform/text.h"
#include "platform/probe.h"
#include "thread/process.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REPORT_SIZE = 1024, SITES = 16 };

/* A thread's report. The functions that the text of a cycle is to name are looked up when the lock of the waits is released: that reads files. */
typedef struct room {
    char text[REPORT_SIZE]; /* first: what sq_deadlock_report returns */
    unsigned sites;         /* of the text of a cycle */
    struct { size_t at; const void *maker; } site[SITES]; /* the call that belongs at this place of the text; in the order of the text */
    sq__deadlock_threads_t *threads; /* F  for programs, behind this; NULL: not asked for, or not yet when the thread got its room, before main */
} room_t;

static room_t *room_of(char *report) { return (room_t *)(void *)report; }

/* A copy of the newest one, for a dump. */
static sq__mutex_t lock = SQ__MUTEX_INIT;
static char last[REPORT_SIZE];   /* under the lock */
static uint64_t last_when;       /* under the lock */

/* Ends a report: makes it printable, and copies it as the newest one. Labels and names of threads are the program's: what is not printable would
 * reach a terminal. */
static void keep(char *report) {
    sq__make_printable(report, REPORT_SIZE);
    SQ__PROBE2(deadlock, report, 0);
    sq__mutex_lock(&lock);
    memcpy(last, report, strlen(report) + 1);
    last_when = sq__clock_now();
    sq__mutex_unlock(&lock);
}

bool sq__deadlock_last_report(sq__patience_t *patience, char *text, size_t size, uint64_t *when, bool *is_known) {
    *is_known = sq__mutex_lock_patiently(&lock, patience);
    if (!*is_known) {
        return false;
    }
    snprintf(text, size, "%s", last);
    *when = last_when;
    sq__mutex_unlock(&lock);
    return text[0] != '\0';
}

SQ__AROUND_FORK(SQ__RANK_REPORT, .lock = &lock)

typedef struct text {
    char *bytes;
    size_t used;
} text_t;

static void add(text_t *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends to the report. What does not fit is cut off. */
static void add(text_t *text, const char *format, ...) {
    size_t room = REPORT_SIZE - text->used;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text->bytes + text->used, room, format, arguments);
    va_end(arguments);
    if (wanted > 0) {
        text->used += (size_t)wanted < room ? (size_t)wanted : room - 1;
    }
}

static const char *label_of(const sq__frame_t *frame) { return ((const sq_queue_t *)frame->owner)->label; }

/* From the outermost of the tasks in question inwards: "A", "B", "C". `outermost`: a queue; this frame, or one further out, is a task of it. */
static void add_frames(text_t *text, const sq__frame_t *frame, const void *outermost) {
    if (frame->owner == outermost) {
        add(text, "queue \"%s\"", label_of(frame));
        return;
    }
    add_frames(text, frame->parent, outermost);
    if (frame->owner != NULL) {
        add(text, ", in it one of queue \"%s\"", label_of(frame));
    }
}

/* Adds the number of a queue, which dumps name it by: " Queue numbers: "A" 0x1a2b0", or ", "B" 0x1a2b8". */
static void add_number(text_t *text, const sq_queue_t *queue, bool is_first) {
    add(text, "%s \"%s\" %p", is_first ? " Queue numbers:" : ",", queue->label, (const void *)queue);
}

char *sq__deadlock_report_room(void) {
    bool is_new = sq__self()->report == NULL, has_threads = sq__json_reports_are_on();
    char *report = sq__self_report(sizeof(room_t) + (has_threads ? sizeof(sq__deadlock_threads_t) : 0));
    if (is_new && report != NULL) {
        room_t *room = room_of(report);
        room->threads = has_threads ? (sq__deadlock_threads_t *)(void *)(room + 1) : NULL;
    }
    return report;
}

/* Inserts the name of this call into the text. What does not fit is cut off. */
static void insert_site(char *text, size_t at, const void *maker) {
    char name[256];
    sq__site_text(maker, name, sizeof name);
    size_t rest = strlen(text + at), length = strlen(name), room = REPORT_SIZE - 1 - at;
    length = length < room ? length : room;
    rest = rest < room - length ? rest : room - length;
    memmove(text + at + length, text + at, rest);
    memcpy(text + at, name, length);
    text[at + length + rest] = '\0';
}

void sq__deadlock_report_finish(char *report) {
    if (report != NULL) {
        const room_t *room = room_of(report);
        for (unsigned i = room->sites; i > 0; i -= 1) { /* from the end: the places before it stay */
            insert_site(report, room->site[i - 1].at, room->site[i - 1].maker);
        }
        keep(report);
        if (room->threads != NULL) {
            sq__deadlock_json_write(report, room->threads);
        }
    }
}

/* Of a thread that would wait for itself, for `awaited`; NULL: for a once that it is inside. An explored test fails with it. */
static void keep_own(char *report, const sq_queue_t *held, const sq_queue_t *awaited, sq__aim_t aim, const void *once) {
    sq__explored_t *explored = sq__self()->explored;
    sq__deadlock_threads_t *threads = room_of(report)->threads;
    keep(report);
    if (threads != NULL) {
        if (once != NULL) {
            sq__deadlock_json_once(threads, once);
        } else {
            sq__deadlock_json_own(threads, held, awaited, aim);
        }
        sq__deadlock_json_write(report, threads);
    }
    if (explored != NULL) {
        explored->calls->deadlock(explored, report);
    }
}

/* " Thread T runs a task of A, in it one of B": from the outermost of the tasks in question inwards. */
static void add_own_tasks(text_t *text, const void *outermost) {
    char name[16];
    sq__thread_name(name, sizeof name);
    add(text, " Thread \"%s\" (%llu) runs a task of ", name, (unsigned long long)sq__thread_id());
    add_frames(text, sq__self()->frame, outermost);
}

/* What to do instead of a wait for the own queue, or in a cycle, for anything but a turn. */
static const char *advice_for(sq__aim_t aim) {
    switch (aim) {
    case SQ__AIM_END:
        return "The queue is shut down, but this call does not wait: let another thread wait, or none.";
    case SQ__AIM_ROOM:
        return "Use sq_async, which returns EAGAIN while the queue is full, or submit from elsewhere.";
    case SQ__AIM_TASK:
        return "The timer is cancelled, but this call does not wait. Use sq_timer_cancel, which does not, or wait outside of the task.";
    default:
        return "Use async, or sq_sync_or_run (Swift: syncOrRun), which runs inside the task.";
    }
}

void sq__deadlock_onto_itself(sq_queue_t *queue, sq__aim_t aim, const char *doing, const void *caller) {
    sq__trace_hook_refused(queue, aim, caller);
    text_t text = { .bytes = sq__deadlock_report_room() };
    if (text.bytes != NULL) {
        add(&text, "%s queue \"%s\" from its own task: %s.", doing, queue->label,
            aim == SQ__AIM_TURN ? "it would never get its turn" : "the wait could not end before the task does");
        add_own_tasks(&text, queue);
        add(&text, ", and waits for queue \"%s\". %s", queue->label, advice_for(aim));
        add_number(&text, queue, true);
        add(&text, ".");
        keep_own(text.bytes, queue, queue, aim, NULL);
    }
}

void sq__deadlock_onto_own_target(const sq_queue_t *queue, const sq_queue_t *target) {
    text_t text = { .bytes = sq__deadlock_report_room() };
    if (text.bytes != NULL) {
        add(&text, "sync onto queue \"%s\" from a task of its target \"%s\": it would never get its turn.", queue->label, target->label);
        add_own_tasks(&text, target);
        add(&text, ", and waits for queue \"%s\", whose tasks run there. Use async, or call the function: it has the target's turn.",
            queue->label);
        add_number(&text, queue, true);
        add_number(&text, target, false);
        add(&text, ".");
        keep_own(text.bytes, target, queue, SQ__AIM_TURN, NULL);
    }
}

void sq__deadlock_report_once_inside_itself(const void *once) {
    text_t text = { .bytes = sq__deadlock_report_room() };
    if (text.bytes != NULL) {
        add(&text, "sq_once from inside its own function: once \"%p\" would wait for itself. Thread %llu is inside that function.",
            once, (unsigned long long)sq__thread_id());
        keep_own(text.bytes, NULL, NULL, SQ__AIM_TURN, once);
    }
    if (sq__trace_is_on()) {
        char name[24];
        snprintf(name, sizeof name, "once %p", once);
        sq__trace_hook_refused_for(name);
    }
}

/* M. A semaphore, group or item by its label, or else by where it was made. */
static void add_object(text_t *text, const char *kind, const char *label, const void *maker) {
    room_t *room = room_of(text->bytes);
    if (maker == NULL) {
        add(text, "%s \"%s\"", kind, label);
    } else if (room->sites == SITES) {
        add(text, "%s made by %p", kind, maker);
    } else {
        add(text, "%s made by ", kind);
        room->site[room->sites].at = text->used;
        room->site[room->sites].maker = maker;
        room->sites += 1;
    }
}

/* M, after closes_cycle. What the edge's thread holds, and the thread before it in the cycle waits for. */
static void add_held(text_t *text, const sq__edge_t *edge) {
    if (edge->held.frame != NULL) {
        add(text, "runs a task of ");
        add_frames(text, edge->frames, edge->held.frame->owner);
    } else if (edge->held.owned != 0) {
        add(text, "owns the loop \"%s\"", sq__runner_label(edge->held.owned));
    } else if (edge->held.duty == NULL) {
        add(text, "has a barrier at the head of its queue");
    } else if (edge->held.duty->pool != NULL) {
        add(text, "runs an iteration of apply on pool \"%s\"", edge->held.duty->pool);
    } else if (edge->held.duty->item != NULL) {
        add_object(text, "performs item", edge->held.duty->item, sq__maker_of(edge->held.duty->item));
    } else {
        add(text, "is inside the function of once \"%p\"", edge->held.duty->what);
    }
}

/* M, after closes_cycle. What the edge's thread waits for, and where the next thread of the cycle has that. */
static void add_wait(text_t *text, const sq__edge_t *edge) {
    const sq__subject_t *subject = edge->wait->subject;
    const sq__frame_t *needed = edge->onward->held.frame;
    if (subject == NULL) {
        add(text, " and waits for %squeue \"%s\"", edge->wait->aim == SQ__AIM_TASK ? "a timer of " : "", edge->wait->queue->label);
        if (edge->wait->root != edge->wait->queue) {
            add(text, ", whose tasks run on queue \"%s\"", edge->wait->root->label);
        }
    } else {
        add(text, " and waits for ");
        add_object(text, subject->kind, subject->label, sq__subject_maker(subject));
        if (needed != NULL) {
            add(text, ", which %s queue \"%s\"", subject->relation, label_of(needed));
        } else if (edge->onward->held.owned == 0 && edge->onward->held.duty == NULL && edge->onward->wait->is_barrier) {
            add(text, ", which %s queue \"%s\"", subject->relation, edge->onward->wait->queue->label); /* behind its barrier */
        } else if (edge->onward->held.owned != 0) {
            add(text, ", which %s loop \"%s\"", subject->relation, sq__runner_label(edge->onward->held.owned));
        }
    }
    add(text, "%s", edge->deadline != SQ_FOREVER ? ", with a deadline" : "");
}

/* M. Of the queues whose tasks the threads of the cycle run, and that they wait for. */
static void add_numbers(text_t *text, const sq__edge_t *first) {
    const sq__edge_t *edge = first;
    bool is_first = true;
    do {
        const sq_queue_t *held = edge->held.frame != NULL ? edge->held.frame->owner : NULL;
        const sq_queue_t *awaited = edge->wait->subject == NULL ? edge->wait->queue : NULL;
        const sq__frame_t *next = edge->onward->held.frame;
        if (held != NULL) {
            add_number(text, held, is_first);
            is_first = false;
        }
        if (awaited != NULL && (next == NULL || next->owner != awaited)) { /* else it is named as the one that is held */
            add_number(text, awaited, is_first);
            is_first = false;
        }
        edge = edge->onward;
    } while (edge != first);
    add(text, "%s", is_first ? "" : ".");
}

/* M. Of a cycle. An order of the queues helps only if each thread waits for its turn in one. */
static bool are_turns(const sq__edge_t *first) {
    const sq__edge_t *edge = first;
    while (edge->wait->subject == NULL && edge->wait->aim == SQ__AIM_TURN) {
        edge = edge->onward;
        if (edge == first) {
            return true;
        }
    }
    return false;
}

/* M. What to do instead of the wait that was refused, the first of the cycle. */
static const char *advice_for_cycle(const sq__edge_t *first) {
    const sq__subject_t *subject = first->wait->subject;
    if (subject == NULL && first->wait->aim == SQ__AIM_TURN) {
        return are_turns(first) ? "Use async for one of them, or always nest the queues in the same order." : "Use async, or wait outside of the task.";
    }
    switch (subject == NULL ? '\0' : subject->kind[0]) {
    case '\0':
        return advice_for(first->wait->aim);
    case 'g':
        return "Use sq_group_notify (Swift: notify), which runs a task when the group is empty, or wait outside of the task.";
    case 'i':
        return "Use sq_item_notify (Swift: notify), which runs a task when the item is over, or wait outside of the task.";
    case 'o':
        return "Do not wait in the function of a once for what may call it: wait before the once, or after it.";
    default:
        return "Wait outside of the task.";
    }
}

void sq__deadlock_report_cycle(const sq__edge_t *first) {
    if (first->report == NULL) {
        return;
    }
    text_t text = { .bytes = first->report };
    const sq__edge_t *edge = first;
    room_t *room = room_of(text.bytes);
    room->sites = 0;
    add(&text, "deadlock: ");
    do {
        add(&text, "%sthread \"%s\" (%llu) ", edge == first ? "" : "; ", edge->thread_name, (unsigned long long)edge->thread_id);
        add_held(&text, edge);
        add_wait(&text, edge);
        edge = edge->onward;
    } while (edge != first);
    if (first->onward == first) {
        add(&text, ". The thread would wait for itself: this wait was refused.");
    } else {
        add(&text, ". This wait was refused%s, the others continue.", first->deadline != SQ_FOREVER ? ", as it has the earliest deadline" : "");
    }
    add(&text, " %s", advice_for_cycle(first));
    add_numbers(&text, first);
    if (room->threads != NULL) {
        sq__deadlock_json_cycle(room->threads, first);
    }
}

const char *sq_deadlock_report(void) {
    const char *report = sq__self()->report;
    return report != NULL ? report : "";
}

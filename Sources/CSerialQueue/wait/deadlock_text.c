#include "wait/deadlock_text.h"

#include "observe/observe.h"
#include "runner/runner_inline.h"
#include "thread/explored.h"
#include "wait/deadlock_report.h"

#include <stdarg.h>
#include <stdio.h>

/* Empties a report; NULL: there is none. Returns it. */
static sq__deadlock_report_t *begin(sq__deadlock_report_t *report) {
    if (report != NULL) {
        report->used = 0;
        report->sites = 0;
    }
    return report;
}

/* Appends to the report. What does not fit is cut off. */
static __attribute__((format(printf, 2, 3))) void add(sq__deadlock_report_t *report, const char *format, ...) {
    size_t room = sizeof report->text - report->used;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(report->text + report->used, room, format, arguments);
    va_end(arguments);
    if (wanted > 0) {
        report->used += (size_t)wanted < room ? (size_t)wanted : room - 1;
    }
}

static const char *label_of(const sq__frame_t *frame) { return ((const sq_queue_t *)frame->owner)->label; }

/* From the outermost of the tasks in question inwards: "A", "B", "C". `outermost`: a queue; this frame, or one further out, is a task of it. */
static void add_frames(sq__deadlock_report_t *report, const sq__frame_t *frame, const void *outermost) {
    if (frame->owner == outermost) {
        add(report, "queue \"%s\"", label_of(frame));
        return;
    }
    add_frames(report, frame->parent, outermost);
    if (frame->owner != NULL) {
        add(report, ", in it one of queue \"%s\"", label_of(frame));
    }
}

/* Adds the number of a queue, which dumps name it by: " Queue numbers: "A" 0x1a2b0", or ", "B" 0x1a2b8". */
static void add_number(sq__deadlock_report_t *report, const sq_queue_t *queue, bool is_first) {
    add(report, "%s \"%s\" %p", is_first ? " Queue numbers:" : ",", queue->label, (const void *)queue);
}

/* Of a thread that would wait for itself, for `awaited`; NULL: for a once that it is inside. An explored test fails with it. */
static void finish_own(sq__deadlock_report_t *report, const sq_queue_t *held, const sq_queue_t *awaited, sq__aim_t aim, const void *once) {
    sq__explored_t *explored = sq__self()->explored;
    if (report->threads != NULL && once != NULL) {
        sq__deadlock_json_once(report->threads, once);
    } else if (report->threads != NULL) {
        sq__deadlock_json_own(report->threads, held, awaited, aim);
    }
    sq__deadlock_report_finish(report);
    if (explored != NULL) {
        explored->calls->deadlock(explored, report->text);
    }
}

/* " Thread T runs a task of A, in it one of B": from the outermost of the tasks in question inwards. */
static void add_own_tasks(sq__deadlock_report_t *report, const void *outermost) {
    char name[16];
    sq__thread_name(name, sizeof name);
    add(report, " Thread \"%s\" (%llu) runs a task of ", name, (unsigned long long)sq__thread_id());
    add_frames(report, sq__self()->frame, outermost);
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
    sq__deadlock_report_t *report = begin(sq__deadlock_report_own());
    if (report != NULL) {
        add(report, "%s queue \"%s\" from its own task: %s.", doing, queue->label,
            aim == SQ__AIM_TURN ? "it would never get its turn" : "the wait could not end before the task does");
        add_own_tasks(report, queue);
        add(report, ", and waits for queue \"%s\". %s", queue->label, advice_for(aim));
        add_number(report, queue, true);
        add(report, ".");
        finish_own(report, queue, queue, aim, NULL);
    }
}

void sq__deadlock_onto_own_target(const sq_queue_t *queue, const sq_queue_t *target) {
    sq__deadlock_report_t *report = begin(sq__deadlock_report_own());
    if (report != NULL) {
        add(report, "sync onto queue \"%s\" from a task of its target \"%s\": it would never get its turn.", queue->label, target->label);
        add_own_tasks(report, target);
        add(report, ", and waits for queue \"%s\", whose tasks run there. Use async, or call the function: it has the target's turn.",
            queue->label);
        add_number(report, queue, true);
        add_number(report, target, false);
        add(report, ".");
        finish_own(report, target, queue, SQ__AIM_TURN, NULL);
    }
}

void sq__deadlock_report_once_inside_itself(const void *once) {
    sq__deadlock_report_t *report = begin(sq__deadlock_report_own());
    if (report != NULL) {
        add(report, "sq_once from inside its own function: once \"%p\" would wait for itself. Thread %llu is inside that function.",
            once, (unsigned long long)sq__thread_id());
        finish_own(report, NULL, NULL, SQ__AIM_TURN, once);
    }
    if (sq__trace_is_on()) {
        char name[24];
        snprintf(name, sizeof name, "once %p", once);
        sq__trace_hook_refused_for(name);
    }
}

/* M. A semaphore, group or item by its label, or else by where it was made. */
static void add_object(sq__deadlock_report_t *report, const char *kind, const char *label, const void *maker) {
    if (maker == NULL) {
        add(report, "%s \"%s\"", kind, label);
    } else if (report->sites == SQ__REPORT_SITES) {
        add(report, "%s made by %p", kind, maker);
    } else {
        add(report, "%s made by ", kind);
        report->site[report->sites].at = report->used;
        report->site[report->sites].maker = maker;
        report->sites += 1;
    }
}

/* M, after closes_cycle. What the edge's thread holds, and the thread before it in the cycle waits for. */
static void add_held(sq__deadlock_report_t *report, const sq__edge_t *edge) {
    if (edge->held.frame != NULL) {
        add(report, "runs a task of ");
        add_frames(report, edge->frames, edge->held.frame->owner);
    } else if (edge->held.owned != 0) {
        add(report, "owns the loop \"%s\"", sq__runner_label(edge->held.owned));
    } else if (edge->held.duty == NULL) {
        add(report, "has a barrier at the head of its queue");
    } else if (edge->held.duty->pool != NULL) {
        add(report, "runs an iteration of apply on pool \"%s\"", edge->held.duty->pool);
    } else if (edge->held.duty->item != NULL) {
        add_object(report, "performs item", edge->held.duty->item, sq__maker_of(edge->held.duty->item));
    } else {
        add(report, "is inside the function of once \"%p\"", edge->held.duty->what);
    }
}

/* M, after closes_cycle. What the edge's thread waits for, and where the next thread of the cycle has that. */
static void add_wait(sq__deadlock_report_t *report, const sq__edge_t *edge) {
    const sq__subject_t *subject = edge->wait->subject;
    const sq__frame_t *needed = edge->onward->held.frame;
    if (subject == NULL) {
        add(report, " and waits for %squeue \"%s\"", edge->wait->aim == SQ__AIM_TASK ? "a timer of " : "", edge->wait->queue->label);
        if (edge->wait->root != edge->wait->queue) {
            add(report, ", whose tasks run on queue \"%s\"", edge->wait->root->label);
        }
    } else {
        add(report, " and waits for ");
        add_object(report, subject->kind, subject->label, sq__subject_maker(subject));
        if (needed != NULL) {
            add(report, ", which %s queue \"%s\"", subject->relation, label_of(needed));
        } else if (edge->onward->held.owned == 0 && edge->onward->held.duty == NULL && edge->onward->wait->is_barrier) {
            add(report, ", which %s queue \"%s\"", subject->relation, edge->onward->wait->queue->label); /* behind its barrier */
        } else if (edge->onward->held.owned != 0) {
            add(report, ", which %s loop \"%s\"", subject->relation, sq__runner_label(edge->onward->held.owned));
        }
    }
    add(report, "%s", edge->deadline != SQ_FOREVER ? ", with a deadline" : "");
}

/* M. Of the queues whose tasks the threads of the cycle run, and that they wait for. */
static void add_numbers(sq__deadlock_report_t *report, const sq__edge_t *first) {
    const sq__edge_t *edge = first;
    bool is_first = true;
    do {
        const sq_queue_t *held = edge->held.frame != NULL ? edge->held.frame->owner : NULL;
        const sq_queue_t *awaited = edge->wait->subject == NULL ? edge->wait->queue : NULL;
        const sq__frame_t *next = edge->onward->held.frame;
        if (held != NULL) {
            add_number(report, held, is_first);
            is_first = false;
        }
        if (awaited != NULL && (next == NULL || next->owner != awaited)) { /* else it is named as the one that is held */
            add_number(report, awaited, is_first);
            is_first = false;
        }
        edge = edge->onward;
    } while (edge != first);
    add(report, "%s", is_first ? "" : ".");
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

void sq__deadlock_text_cycle(const sq__edge_t *first) {
    sq__deadlock_report_t *report = begin(first->report);
    const sq__edge_t *edge = first;
    if (report == NULL) {
        return;
    }
    add(report, "deadlock: ");
    do {
        add(report, "%sthread \"%s\" (%llu) ", edge == first ? "" : "; ", edge->thread_name, (unsigned long long)edge->thread_id);
        add_held(report, edge);
        add_wait(report, edge);
        edge = edge->onward;
    } while (edge != first);
    if (first->onward == first) {
        add(report, ". The thread would wait for itself: this wait was refused.");
    } else {
        add(report, ". This wait was refused%s, the others continue.", first->deadline != SQ_FOREVER ? ", as it has the earliest deadline" : "");
    }
    add(report, " %s", advice_for_cycle(first));
    add_numbers(report, first);
    if (report->threads != NULL) {
        sq__deadlock_json_cycle(report->threads, first);
    }
}

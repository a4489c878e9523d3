#include "queue/report.h"

#include "include/sq_current.h"

#include <stdarg.h>
#include <stdio.h>

enum { REPORT_SIZE = 1024 };

typedef struct text {
    char *bytes;
    size_t used;
} text_t;

static void add(text_t *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

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

/* From the outermost of the tasks in question inwards: "A", "B", "C". */
static void add_frames(text_t *text, const sq__frame_t *frame, const sq_queue_t *outermost) {
    if (frame->owner == outermost) {
        add(text, "queue \"%s\"", label_of(frame));
        return;
    }
    add_frames(text, frame->parent, outermost);
    add(text, ", in it one of queue \"%s\"", label_of(frame));
}

char *sq__report_room(void) { return sq__self_report(REPORT_SIZE); }

void sq__deadlock_onto_itself(const sq_queue_t *queue, const char *doing) {
    text_t text = { .bytes = sq__report_room() };
    if (text.bytes == NULL) {
        return;
    }
    char name[16];
    sq__thread_name(name, sizeof name);
    add(&text, "%s queue \"%s\" from its own task: it would never get its turn. Thread \"%s\" (%llu) runs a task of ", doing,
        queue->label, name, (unsigned long long)sq__thread_id());
    add_frames(&text, sq__self()->frame, queue);
    add(&text, ", and waits for queue \"%s\". Use async, or sq_sync_or_run (Swift: syncOrRun), which runs inside the task.",
        queue->label);
}

/* The queue that `edge` holds and the edge before it waits for. */
static const sq_queue_t *held_queue(const sq__edge_t *edge) {
    const sq__edge_t *before = edge;
    while (before->onward != edge) {
        before = before->onward;
    }
    return before->wait->queue;
}

void sq__report_cycle(const sq__edge_t *first) {
    if (first->report == NULL) {
        return;
    }
    text_t text = { .bytes = first->report };
    const sq__edge_t *edge = first;
    add(&text, "deadlock: ");
    do {
        add(&text, "%sthread \"%s\" (%llu) runs a task of ", edge == first ? "" : "; ", edge->thread_name,
            (unsigned long long)edge->thread_id);
        add_frames(&text, edge->frames, held_queue(edge));
        add(&text, " and waits for queue \"%s\"%s", edge->wait->queue->label,
            edge->deadline != SQ_FOREVER ? ", with a deadline" : "");
        edge = edge->onward;
    } while (edge != first);
    add(&text, ". This wait was refused%s, the others continue. Use async for one of them, or always nest the queues in the "
               "same order.", first->deadline != SQ_FOREVER ? ", as it has the earliest deadline" : "");
}

const char *sq_deadlock_report(void) {
    const char *report = sq__self()->report;
    return report != NULL ? report : "";
}

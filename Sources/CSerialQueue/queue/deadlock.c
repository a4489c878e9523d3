#include "queue/deadlock.h"

#include "include/sq_current.h"
#include "thread/self.h"

#include <stdio.h>

enum { REPORT_SIZE = 1024 };

typedef struct text {
    char *bytes;
    size_t used;
} text_t;

static void add(text_t *text, const char *format, const char *words) {
    int wanted = snprintf(text->bytes + text->used, REPORT_SIZE - text->used, format, words);
    size_t room = REPORT_SIZE - text->used - 1;
    text->used += wanted < 0 ? 0 : (size_t)wanted < room ? (size_t)wanted : room;
}

/* "A" -> "B" -> "A": from the task that is waited for, inwards to the one that waits. */
static void add_frames(text_t *text, const sq__frame_t *frame, const sq_queue_t *from) {
    if (frame->owner != from) {
        add_frames(text, frame->parent, from);
    }
    add(text, "\"%s\" -> ", ((const sq_queue_t *)frame->owner)->label);
}

void sq__deadlock_onto_itself(const sq_queue_t *queue) {
    text_t text = { .bytes = sq__self_report(REPORT_SIZE) };
    if (text.bytes == NULL) {
        return;
    }
    char name[32], thread[80];
    sq__thread_name(name, sizeof name);
    snprintf(thread, sizeof thread, "thread \"%s\" (%llu)", name, (unsigned long long)sq__thread_id());
    add(&text, "sync onto queue \"%s\" from its own task would never get its turn: ", queue->label);
    add(&text, "%s runs ", thread);
    add_frames(&text, sq__self()->frame, queue);
    add(&text, "\"%s\". Use async, or sq_sync_or_run (Swift: syncOrRun), which runs inside the task.", queue->label);
}

const char *sq_deadlock_report(void) {
    const char *report = sq__self()->report;
    return report != NULL ? report : "";
}

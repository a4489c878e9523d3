#include "explore/trap.h"

#include "explore/run_state.h"

#include <string.h>

/* Collects small pieces, so that few writes are needed. */
typedef struct buffer {
    char bytes[512];
    size_t used;
} buffer_t;

static void flush(buffer_t *buffer) {
    sq__fault_write(buffer->bytes, buffer->used);
    buffer->used = 0;
}

/* Appends the bytes, and writes whenever the buffer is full. Async-signal-safe. */
static void put(void *context, const char *bytes, size_t length) {
    buffer_t *buffer = context;
    for (size_t i = 0; i < length; i += 1) {
        buffer->bytes[buffer->used++] = bytes[i];
        if (buffer->used == sizeof buffer->bytes) {
            flush(buffer);
        }
    }
}

static void put_text(buffer_t *buffer, const char *text) { put(buffer, text, strlen(text)); }

static void put_tape(buffer_t *buffer, const sq__tape_t *tape, const char *name) {
    put_text(buffer, "  replay    SQ_TAPE='");
    sq__tape_spell(tape, name, put, buffer);
    put_text(buffer, "'\n");
}

/* A thread in control is the only one that writes the tape; it is the one that was interrupted, or a test's own thread was, which
 * ends the process anyway. */
void sq__explore_trapped(const char *signal) {
    const sq__thread_t *thread = sq__run_thread();
    if (thread == NULL || thread->run->pool == NULL) {
        return;
    }
    const sq__run_t *run = thread->run;
    buffer_t buffer = { .used = 0 };
    put_text(&buffer, "\nsq_explore: ");
    put_text(&buffer, run->name);
    put_text(&buffer, " ends the process by ");
    put_text(&buffer, signal);
    put_text(&buffer, "; this schedule does so again:\n");
    if (run->failure != NULL) {
        put_text(&buffer, "  before    it failed: ");
        put_text(&buffer, run->failure);
        put_text(&buffer, "\n");
    }
    put_tape(&buffer, &run->chooser.taken, run->name);
    if (run->found != NULL) {
        put_text(&buffer, "It was tried because a similar schedule failed: ");
        put_text(&buffer, run->found);
        put_text(&buffer, "\n");
        put_tape(&buffer, run->found_tape, run->name);
    }
    flush(&buffer);
}

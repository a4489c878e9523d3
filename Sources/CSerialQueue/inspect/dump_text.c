#include "inspect/dump_text.h"

#include "platform/file.h"

#include <stdarg.h>
#include <stdio.h>

enum { MOST = 2000 };

void sq__dump_flush(sq__dump_text_t *text) {
    if (text->error == 0 && text->used > 0) {
        text->error = sq__file_write(text->file, text->bytes, text->used);
    }
    text->used = 0;
}

void sq__dump_add(sq__dump_text_t *text, const char *format, ...) {
    if (text->used + MOST > sizeof text->bytes) {
        sq__dump_flush(text);
    }
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text->bytes + text->used, MOST, format, arguments);
    va_end(arguments);
    if (wanted > 0) {
        text->used += wanted < MOST ? (size_t)wanted : MOST - 1;
    }
}

void sq__dump_add_none(sq__dump_text_t *text, size_t lines) {
    if (lines == 0) {
        sq__dump_add(text, "  none\n");
    }
}

void sq__dump_add_time(sq__dump_text_t *text, uint64_t nanoseconds) {
    uint64_t microseconds = nanoseconds / 1000;
    if (microseconds < 1000000) {
        sq__dump_add(text, "%llu.%03llu ms", (unsigned long long)(microseconds / 1000), (unsigned long long)(microseconds % 1000));
    } else {
        unsigned long long milliseconds = microseconds / 1000;
        sq__dump_add(text, "%llu.%03llu s", milliseconds / 1000, milliseconds % 1000);
    }
}

void sq__dump_add_thread_of(sq__dump_text_t *text, uint64_t thread_id) {
    char name[16];
    sq__thread_name_of(thread_id, name, sizeof name);
    sq__dump_add(text, "thread \"%s\" (%llu)", name, (unsigned long long)thread_id);
}

void sq__dump_add_thread(sq__dump_text_t *text, const sq__view_thread_t *thread) { sq__dump_add_thread_of(text, thread->self.thread_id); }

void sq__dump_add_last_owner(sq__dump_text_t *text, uint64_t owner) {
    if (owner == 0) {
        sq__dump_add(text, "none has yet");
    } else {
        sq__dump_add(text, "thread %llu was the last", (unsigned long long)owner);
    }
}

void sq__dump_add_ready(sq__dump_text_t *text, const sq__view_queue_t *queue) {
    if (queue->lacks_owner) {
        sq__dump_add(text, "no thread runs its loop: ");
        sq__dump_add_last_owner(text, queue->owner);
    } else if (queue->owner != 0) {
        sq__dump_add(text, "waits for ");
        sq__dump_add_thread_of(text, queue->owner);
        sq__dump_add(text, ", which owns its loop");
    } else {
        sq__dump_add(text, "waits for a thread of its pool");
    }
}

void sq__dump_add_queue(sq__dump_text_t *text, const char *label, const void *queue) { sq__dump_add(text, "queue \"%s\" %p", label, queue); }

void sq__dump_add_alike(sq__dump_text_t *text, size_t count, const char *first) {
    sq__dump_add(text, "  ");
    if (count > 1) {
        sq__dump_add(text, "%zu alike, %s: ", count, first);
    }
}

void sq__dump_add_object(sq__dump_text_t *text, const sq__view_t *view, const char *kind, const char *label, const void *maker) {
    char name[256];
    if (maker == NULL) {
        sq__dump_add(text, "%s \"%s\"", kind, label);
    } else {
        sq__symbols_text(view->symbols, sq__site_of_call(maker), name, sizeof name);
        sq__dump_add(text, "%s made by %s", kind, name);
    }
}

void sq__dump_add_site(sq__dump_text_t *text, const sq__view_t *view, const void *site, bool is_call) {
    char name[256];
    if (site != NULL) {
        sq__symbols_text(view->symbols, sq__site_of_call(site), name, sizeof name);
        sq__dump_add(text, is_call ? ", in a call by %s" : ", submitted by %s", name);
    }
}

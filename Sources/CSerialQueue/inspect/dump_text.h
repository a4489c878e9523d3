/* dump_text.h: the text of a dump, on its way to the file. */
#pragma once

#include "inspect/dump_view.h"

enum { SQ__DUMP_BUFFER = 32768 };

typedef struct sq__dump_text {
    int file;
    int error; /* the first of the writes */
    size_t used;
    char bytes[SQ__DUMP_BUFFER];
} sq__dump_text_t;

/* Appends to the text, which is flushed before it is full. One call adds at most 2,000 characters. */
void sq__dump_add(sq__dump_text_t *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "3.2 ms", "12.301 s". */
void sq__dump_add_time(sq__dump_text_t *text, uint64_t nanoseconds);

/* "thread "name" (id)" */
void sq__dump_add_thread_of(sq__dump_text_t *text, uint64_t thread_id);
void sq__dump_add_thread(sq__dump_text_t *text, const sq__view_thread_t *thread);

/* What a queue that is ready waits for: a thread of its pool, the owner of its loop, or one. */
void sq__dump_add_ready(sq__dump_text_t *text, const sq__view_queue_t *queue);

/* Which thread was the last owner of a loop that has none: "none has yet", "thread 4711 was the last". */
void sq__dump_add_last_owner(sq__dump_text_t *text, uint64_t owner);

/* "queue "label" 0x55d0c8a012a0": a queue's number is its address. */
void sq__dump_add_queue(sq__dump_text_t *text, const char *label, const void *queue);

/* "semaphore "label"", or without a label "semaphore made by F". */
void sq__dump_add_object(sq__dump_text_t *text, const sq__view_t *view, const char *kind, const char *label, const void *maker);

/* The beginning of a line: "  ", or for several items that are one line "  42 alike, FIRST: ". */
void sq__dump_add_alike(sq__dump_text_t *text, size_t count, const char *first);

/* ", submitted by F" or ", in a call by F"; nothing if the site is not known. By a function in C, from a line of a file in Swift. */
void sq__dump_add_site(sq__dump_text_t *text, const sq__view_t *view, const void *site, bool is_call);

/* "  none", below the title of a section without a line. */
void sq__dump_add_none(sq__dump_text_t *text, size_t lines);

/* Writes what was appended and not written yet. After an error (text->error) it is dropped. */
void sq__dump_flush(sq__dump_text_t *text);

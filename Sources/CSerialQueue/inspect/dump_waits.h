/* dump_waits.h: what each thread waits for. */
#pragma once

#include "inspect/dump_fold.h"

/* The threads that have what this one waits for, *count of them, as keys. *what: the queue or once; of several queues the first that a thread
 * runs. */
const sq__view_key_t *sq__dump_holders_of(const sq__view_t *view, const sq__view_thread_t *thread, const void **what, size_t *count);

/* Where the newest member of the group that it waits for was added; NULL: it waits for no group, or this is not known. */
const void *sq__dump_entered_by(const sq__view_thread_t *thread);

/* Fills the section, and marks the queues that are in a cycle. After sq__view_look_at_queues. */
void sq__dump_waits_fold(sq__view_t *view, sq__section_t *section);

/* Wants the symbols of its lines. */
void sq__dump_waits_want(sq__view_t *view, const sq__section_t *section);

void sq__dump_waits(sq__dump_text_t *text, const sq__view_t *view, const sq__section_t *section);

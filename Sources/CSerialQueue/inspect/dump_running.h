/* dump_running.h: what each thread runs. */
#pragma once

#include "inspect/dump_fold.h"

/* Since when the task has been running: the time that a watched queue has noted (*is_exact), or else the begin of the longest wait during which no
 * other task began. 0: not known. */
uint64_t sq__dump_runs_since(const sq__view_t *view, const sq__view_frame_t *frame, bool *is_exact);

/* Fills the section, and marks the queues that threads run. After sq__dump_waits_fold. */
void sq__dump_running_fold(sq__view_t *view, sq__section_t *section);

/* Wants the symbols of its lines, and those of one thread. */
void sq__dump_running_want(sq__view_t *view, const sq__section_t *section);
void sq__dump_want_functions(sq__view_t *view, const sq__view_thread_t *thread);

void sq__dump_running(sq__dump_text_t *text, const sq__view_t *view, const sq__section_t *section);

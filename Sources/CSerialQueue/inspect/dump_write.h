/* dump_write.h: the sections of a dump. */
#ifndef SQ__INSPECT_DUMP_WRITE_H
#define SQ__INSPECT_DUMP_WRITE_H

#include "inspect/dump_text.h"
#include "inspect/dump_view.h"

/* dump_waits.c: what each thread waits for. */
void sq__dump_waits(sq__dump_text_t *text, sq__view_t *view);

/* dump_running.c: what each thread runs. */
void sq__dump_running(sq__dump_text_t *text, const sq__view_t *view);

/* "thread "name" (id)" */
void sq__dump_add_thread(sq__dump_text_t *text, const sq__view_thread_t *thread);

/* dump_site.c: ", submitted by F" or ", in a call by F"; nothing if the site is not known. By a function in C, from a line of a file in Swift. */
void sq__dump_add_site(sq__dump_text_t *text, const sq__view_t *view, sq__site_t site, bool is_call);

/* dump_work.c: queues, suspended queues, pools. Changes the order of `queues`, so they come after the waits. */
void sq__dump_queues(sq__dump_text_t *text, sq__view_t *view);
void sq__dump_suspended(sq__dump_text_t *text, const sq__view_t *view);
void sq__dump_pools(sq__dump_text_t *text, const sq__view_t *view);

/* dump_timers.c */
void sq__dump_timers(sq__dump_text_t *text, const sq__view_t *view);

#endif

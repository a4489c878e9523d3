/* dump_site.h: threads and call sites, as a dump names them. */
#ifndef SQ__INSPECT_DUMP_SITE_H
#define SQ__INSPECT_DUMP_SITE_H

#include "inspect/dump_text.h"
#include "inspect/dump_view.h"

/* "thread "name" (id)" */
void sq__dump_add_thread(sq__dump_text_t *text, const sq__view_thread_t *thread);

/* ", submitted by F" or ", in a call by F"; nothing if the site is not known. By a function in C, from a line of a file in Swift. */
void sq__dump_add_site(sq__dump_text_t *text, const sq__view_t *view, const void *site, bool is_call);

#endif

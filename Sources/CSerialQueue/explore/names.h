/* names.h: what a run does, in words. */
#ifndef SQ__EXPLORE_NAMES_H
#define SQ__EXPLORE_NAMES_H

#include "explore/run.h"

/* The function that is next in a ready queue; NULL: it cannot be told. */
sq_function_t sq__next_function(sq_queue_t *queue);

/* The name of a function, cut to `size`; "" if it says nothing. */
void sq__name_function(sq_function_t function, char *name, size_t size);

/* "run_transfer" of queue "bob": in words, for the record. To be freed; NULL: no memory. */
char *sq__name_task(const sq_queue_t *queue, sq_function_t function, const char *name);
char *sq__name_thread(const sq__thread_t *thread);

/* What the thread waits for; as above. */
char *sq__name_wait(const sq__thread_t *thread);

/* What a way leads to; as above. */
char *sq__name_way(const sq__way_t *way);

#endif

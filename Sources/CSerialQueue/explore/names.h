/* names.h: what a run does, in words. */
#ifndef SQ__EXPLORE_NAMES_H
#define SQ__EXPLORE_NAMES_H

#include "explore/run.h"

/* The function that is next in a ready queue; NULL: unknown. */
sq_function_t sq__next_function(sq_queue_t *queue);

/* The name of a function, or NULL's; "" if the name says nothing. Valid until the next call. */
const char *sq__name_function(sq__run_t *run, sq_function_t function);

/* "run_transfer" of queue "bob": in words, for the record. To be freed; NULL: no memory. */
char *sq__name_task(sq__run_t *run, const sq_queue_t *queue, sq_function_t function, const char *name);
char *sq__name_thread(const sq__thread_t *thread);

/* What the thread waits for; as above. */
char *sq__name_wait(const sq__thread_t *thread);

/* The queue of a timer or delayed task; NULL: it is none. */
const sq_queue_t *sq__queue_of_alarm(const sq__alarm_t *alarm);

/* What a way leads to; as above. */
char *sq__name_way(sq__run_t *run, const sq__way_t *way);

#endif

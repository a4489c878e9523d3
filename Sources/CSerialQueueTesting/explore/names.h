/* names.h: what a run does, in words. */
#pragma once

#include "explore/run_state.h"
#include "include/sq_explore_private.h" /* sq__explore_name_closures_by */

/* What is next in a ready queue; a function of NULL: not known. By the thread in control, before it takes the queue's entry. */
sq__called_t sq__next_called(sq_queue_t *queue);

/* The label of a work item, or the name of a function; "" if the name says nothing. Valid until the next call. */
const char *sq__name_called(sq__run_t *run, sq__called_t called);

/* "run_transfer" of queue "bob": in words, for the record. To be freed; NULL: no memory. */
char *sq__name_thread(const sq__thread_t *thread);

/* What the thread waits for; as above. */
char *sq__name_wait(const sq__thread_t *thread);

/* The queue of a timer or delayed task; NULL: it is none. */
const sq_queue_t *sq__queue_of_alarm(const sq__alarm_t *alarm);

/* What a way leads to; as above. */
char *sq__name_way(sq__run_t *run, const sq__way_t *way);

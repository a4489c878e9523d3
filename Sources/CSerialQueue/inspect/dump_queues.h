/* dump_queues.h: the queues of a dump. */
#pragma once

#include "inspect/dump_view.h"

/* Fills `pools`, `queues` and `order`, and adds the timers of pools with clocks of their own; after the threads. */
void sq__view_look_at_queues(sq__view_t *view);

/* Fills in oldest_site and oldest_is_call, if the site of the oldest waiting task is known. Costs four system calls. */
void sq__view_find_site(sq__view_queue_t *queue);

/* The queue with this address. NULL: it was not found. */
sq__view_queue_t *sq__view_queue_of(const sq__view_t *view, const void *queue);

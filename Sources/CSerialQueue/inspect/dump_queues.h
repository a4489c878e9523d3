/* dump_queues.h: the queues of a dump. */
#pragma once

#include "inspect/dump_view.h"

/* Fills `pools` and `queues`, after the threads. */
void sq__view_look_at_queues(sq__view_t *view);

/* NULL: it was not found. */
sq__view_queue_t *sq__view_queue_of(const sq__view_t *view, const void *queue);

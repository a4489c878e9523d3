/* order.h: events by time. */
#pragma once

#include "events.h"

/* The numbers of all events, by time, those of the same time as in the file; for free(). */
uint32_t *order_by_time(const trace_t *trace);

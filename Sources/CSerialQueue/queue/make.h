/* make.h: making a queue, except for its target. */
#pragma once

#include "include/sq_queue.h"

/* As sq_queue_create, with options of the right size, whose `target` is not looked at. */
sq_queue_t *sq__queue_make(const char *label, const sq_queue_options_t *options);

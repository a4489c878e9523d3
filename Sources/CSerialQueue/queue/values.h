/* values.h: the values that a program has attached to a queue. */
#pragma once

#include "include/sq_private.h"
#include "include/sq_value.h"

/* Releases the values of a queue that is about to be freed. In the child of a fork their functions are not called. */
void sq__values_release(sq_queue_t *queue);

/* values.h: the values that a program has attached to a queue. */
#pragma once

#include "include/sq_private.h"
#include "include/sq_value.h"

/* Releases the values of a queue that is about to be freed. No lock is held: their functions are called, but not in the child of a fork. */
void sq__values_release(sq_queue_t *queue);

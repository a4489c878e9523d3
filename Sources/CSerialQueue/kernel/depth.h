/* depth.h: how many tasks wait, how many have begun, and how many wait no longer. */
#pragma once

#include "kernel/kernel.h"

/* O. Reads the depth, and keeps it if it is the highest so far. */
void sq__depth_sample(sq_queue_t *queue);

/* shutdown.h: the part of a shutdown that does not wait. */
#pragma once

#include "include/sq_shutdown.h"
#include "state/queue.h"

/* L. Closes the queue, if it is not closed yet. True: the caller now holds the baton. */
bool sq__shutdown_close(sq_queue_t *queue, sq_shutdown_mode_t mode);

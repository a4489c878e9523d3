/* suspend.h: the end of a suspended queue that nobody can resume. */
#pragma once

#include "state/state_inline.h"

/* Called after the last release of a suspended queue: discards what waits. False: the queue is no longer suspended, or has
 * ended. */
bool sq__suspend_abandon(sq_queue_t *queue);

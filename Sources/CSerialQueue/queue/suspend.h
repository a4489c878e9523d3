/* suspend.h: the end of a suspended queue that nobody can resume. */
#pragma once

#include "state/state_inline.h"

/* (l3) of create.c, if the queue is suspended. If that leaves it released, ends the suspension, and lets what waits be discarded. Takes the lock.
 * True: the caller must not touch the queue again. False: nothing has changed; the queue is no longer suspended, or has ended. */
bool sq__suspend_abandon(sq_queue_t *queue);

/* event.h: a file descriptor, event.reads, that says "something is ready". */
#pragma once

#include "platform/event_fd.h"

#include <stdbool.h>
#include <stdint.h>

/* Opens a descriptor that is not readable, and that programs started by exec do not inherit. Returns 0 and *event, or EMFILE, ENFILE
 * or ENOMEM. */
int sq__event_open(sq__event_fd_t *event);

void sq__event_close(sq__event_fd_t event);

/* Makes it readable. */
void sq__event_set(sq__event_fd_t event);

/* Makes it not readable. Returns false if it was not. Never blocks. */
bool sq__event_clear(sq__event_fd_t event);

/* Sleeps until it is readable. Returns false if the deadline, on the monotonic clock, passed first. May return true too early. */
bool sq__event_wait(sq__event_fd_t event, uint64_t deadline);

/* event.h: a file descriptor that says "something is ready". */
#ifndef SQ__PLATFORM_EVENT_H
#define SQ__PLATFORM_EVENT_H

#include "platform/system.h"

#include <stdbool.h>
#include <stdint.h>

/* Opens a descriptor that is not readable, and that programs started by exec do not inherit. Returns 0 and *event, or EMFILE, ENFILE
 * or ENOMEM. */
int sq__event_open(int *event);

void sq__event_close(int event);

/* Makes it readable. */
void sq__event_set(int event);

/* Makes it not readable. Returns false if it was not. Never blocks. */
bool sq__event_clear(int event);

/* Sleeps until it is readable. Returns false if the deadline, on the monotonic clock, passed first. May return true too early. */
bool sq__event_wait(int event, uint64_t deadline);

#endif

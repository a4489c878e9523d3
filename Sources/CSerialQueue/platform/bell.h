/* bell.h: a bell, on which a thread sleeps until another one, or a signal handler, rings it. */
#ifndef SQ__PLATFORM_BELL_H
#define SQ__PLATFORM_BELL_H

#include "platform/system.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns 0 and *bell, or an errno code. */
int sq__bell_create(int *bell);
/* May be called in a signal handler. Keeps errno. */
void sq__bell_ring(int bell);
/* Waits until the bell has been rung since the last call, for at most this many nanoseconds; SQ__NEVER: without a limit. True: it was rung. */
bool sq__bell_wait(int bell, uint64_t nanoseconds);

#endif

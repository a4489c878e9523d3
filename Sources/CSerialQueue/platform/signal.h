/* signal.h: a signal that wakes a thread of the library. */
#pragma once

#include "platform/system.h"

/* Starts a thread that calls `call` after each such signal, and once for several signals that come during a call. Calls
 * `replaced` on it, about a second after the start, if the program has then installed another handler. May be called once in a process.
 * Returns 0; EBUSY: the program handles or ignores the signal; or another errno code. */
int sq__signal_begin(int number, void (*call)(void), void (*replaced)(void));

/* Called in the child of a fork, where that thread does not exist: starts it again, if the parent had it. */
void sq__signal_begin_again(void);

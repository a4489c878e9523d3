/* signal.h: a signal that wakes a thread of the library.
 *
 * DESIGN. Only that thread accepts the signal: the program's threads block it, because they inherit the mask of the thread that loads the library
 * before main. So no call of the program is interrupted: pause, sleep and poll would return for a handler that the program does not know of.
 * The thread needs no descriptor, which the program might close (wakeup.h). A thread of the program that accepts the signal all the same (it was there
 * before the library was loaded, it has set its own mask, or it sleeps in sigsuspend, as libdispatch's main thread does) runs the same handler. */
#pragma once

#include "platform/system.h"

#include <stdint.h>

/* Blocks the signal in the calling thread, and starts a thread that calls `call` after each such signal, and once for several signals that come
 * during a call. Calls `replaced` on it, about a second after the start, if the program has then installed another handler. May be called once in a
 * process. Returns 0; EBUSY: the program handles or ignores the signal; or another errno code. */
int sq__signal_begin(int number, void (*call)(void), void (*replaced)(void));

/* Waits until `call` has returned for all signals that were sent before, at most this long: the process is about to end. */
void sq__signal_finish(uint64_t nanoseconds);

/* Called in the child of a fork, where that thread does not exist: starts it again, if the parent had it. */
void sq__signal_begin_again(void);

/* signal_handler.h: a handler for a signal that the program does not handle. */
#pragma once

#include "platform/system.h"

#include <stddef.h>

/* Makes function(number) the handler of the signal, if it is not that already: the child of a fork has its parent's handlers. Returns 0, EBUSY
 * (another function handles the signal, or the program ignores it) or EINVAL. */
int sq__signal_take(int number, void (*function)(int));
/* Undoes it, if `function` is still the handler. */
void sq__signal_give_back(int number, void (*function)(int));
/* Whether the calling thread accepts the signal; threads that it starts inherit that. A thread that does accepts it for the process, even if all others
 * block it. */
void sq__signal_accept(int number);
void sq__signal_block(int number);
/* The number of the signal with this name ("USR1", "SIGUSR1", "RTMIN+2"); 0: there is none, or programs may not use it freely. */
int sq__signal_named(const char *name, size_t length);

/* signal.h: a signal that wakes a thread of the library. */
#ifndef SQ__PLATFORM_SIGNAL_H
#define SQ__PLATFORM_SIGNAL_H

#include "platform/system.h"

#include <stdbool.h>

/* The value of an environment variable; NULL: it is not set, or the program has more rights than its user. */
const char *sq__environment(const char *name);

/* The number of a signal by its name ("USR1", "SIGUSR1", "RTMIN+2"); 0: it is none, or none that a program may use freely. */
int sq__signal_named(const char *name);

/* Has a thread call `call` after each such signal; once for several that come while it is called. Returns 0; EBUSY: the program
 * handles or ignores the signal; or another errno code. Once in a process. */
int sq__signal_begin(int number, void (*call)(void));

/* In the child of a fork, where that thread does not exist: starts it again, if it was there. */
void sq__signal_begin_again(void);

#endif

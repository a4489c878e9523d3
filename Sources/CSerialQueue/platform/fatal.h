/* fatal.h: a message on stderr, then abort. */
#ifndef SQ__PLATFORM_FATAL_H
#define SQ__PLATFORM_FATAL_H

#include "platform/system.h"

/* For misuse that no return value can report, and for unrecoverable failures of the system. Writes "SerialQueue: ", the formatted
 * message and a newline in one write, and aborts. Allocates nothing. */
_Noreturn void sq__fatal(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* Has `function` called before the process ends in sq__fatal, after the message was written. It must take no lock. */
void sq__fatal_first(void (*function)(void));

#endif

/* fatal.h: a message on stderr, then abort. */
#pragma once

#include "platform/system.h"

/* For misuse that no return value can report, and for unrecoverable failures of the system. Writes "SerialQueue: ", the formatted
 * message and a newline in one write, and aborts. Allocates nothing. */
_Noreturn void sq__fatal(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* Registers a function that sq__fatal calls after it has written the message, before it aborts. It must take no lock. */
void sq__fatal_first(void (*function)(void));

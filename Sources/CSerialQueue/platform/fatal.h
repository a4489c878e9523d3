/* fatal.h: a message on stderr, then abort. */
#pragma once

#include "platform/system.h"

/* For misuse that no return value can report, and for unrecoverable failures of the system. Writes "SerialQueue: ", the formatted
 * message and a newline in one write, and aborts. Allocates nothing. */
_Noreturn void sq__fatal(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* The same, but it returns instead of aborting: something else is about to end the program. */
void sq__fatal_message(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* Registers a function that these two call after they have written the message. It must take no lock. */
void sq__fatal_first(void (*function)(void));

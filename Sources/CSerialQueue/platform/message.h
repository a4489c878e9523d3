/* message.h: a line on stderr. */
#pragma once

#include "platform/system.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Writes "SerialQueue: ", the formatted message, truncated if it is too long, and a newline. Does so in one write, so that the lines of several
 * threads do not mix. Allocates nothing. Writes nothing if the process began without a standard error. */
void sq__message(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* The same, with the arguments themselves. */
void sq__report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes the bytes in one write; nothing if the process began without a standard error. */
void sq__report_bytes(const void *bytes, size_t count);

/* True: the process began with a standard error. */
bool sq__report_has_file(void);

/* True: a person reads the lines as they come. */
bool sq__report_is_on_terminal(void);

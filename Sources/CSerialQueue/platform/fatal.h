/* fatal.h: one sentence on stderr, then abort. */
#ifndef SQ__PLATFORM_FATAL_H
#define SQ__PLATFORM_FATAL_H

#include "platform/system.h"

/* For misuse that cannot be returned and for failures of the system that leave no way on. Writes "SerialQueue: ", the
 * formatted sentence and a newline in one write, and aborts. Allocates nothing. */
_Noreturn void sq__fatal(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

#endif

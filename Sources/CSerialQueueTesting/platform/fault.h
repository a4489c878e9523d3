/* fault.h: learning of a fault that is about to end the program.
 *
 * DESIGN. A fault is a signal that the program's own code causes: SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS or SIGFPE. While somebody watches
 * for them, our handler is called first, and then the one that was there before; if there was none, the system does what it always does.
 * A program that installs a handler of its own meanwhile keeps it. */
#pragma once

#include "platform/system.h"

#include <stdbool.h>
#include <stddef.h>

/* Calls `function` with the signal's name ("SIGSEGV") on each thread that gets such a signal, before the handler of the program. The
 * function may only do what is async-signal-safe. All callers pass the same one. Returns whether it watches: not if another
 * thread has held the lock since before a fork. */
bool sq__fault_watch(void (*function)(const char *name));

/* Undoes one sq__fault_watch that returned true. */
void sq__fault_unwatch(void);

/* Writes to stderr. Async-signal-safe. */
void sq__fault_write(const char *text, size_t length);

/* program.h: the program that uses the library, as a process: its number, environment, end, and the files of its code. */
#pragma once

#include "platform/mutex.h"
#include "platform/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The system's number for this process. */
int sq__process_id(void);

/* The value of an environment variable; NULL: it is not set, or the program has more rights than its user. */
const char *sq__environment(const char *name);

/* Registers a function to be called when the process ends by exit, or by a return from main. Returns 0 or ENOMEM. */
int sq__program_at_exit(void (*function)(void));

/* Writes the path of the working folder, with a '/' at its end. Returns its length; 0: it has none, or the path is too long. */
size_t sq__program_folder(char *path, size_t size);

/* Finds the file that this code was loaded from: the path of the program or library, truncated if it is too long, and the address in the file,
 * as tools show it. False: there is no such file. */
bool sq__code_find(const void *address, char *path, size_t size, uint64_t *offset);

/* How many bytes of thread-local variables the loaded code has, at most. The C library may take them from each thread's stack. */
size_t sq__code_thread_locals(void);

/* Around a fork: no thread of the library is in the dynamic linker then. */
extern sq__mutex_t sq__code_lock;

/* file.h: a file that is written from its beginning; and a bell, on which a thread sleeps until another one, or a signal handler, rings
 * it. Also what traces need from the system: exit, signals, clocks, the place of code in files. */
#ifndef SQ__PLATFORM_FILE_H
#define SQ__PLATFORM_FILE_H

#include "platform/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Creates the file, or empties it. Returns 0 and *file, or an errno code. Programs that this one executes do not inherit the descriptor. */
int sq__file_create(const char *path, int *file);

/* Writes all of it. Returns 0 or an errno code. */
int sq__file_write(int file, const void *bytes, size_t count);

/* Returns 0 or an errno code: some file systems report only here that a write has failed. */
int sq__file_close(int file);

/* Writes a line to stderr, after "SerialQueue: ", in one write. */
void sq__report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Registers a function to be called when the process ends by exit, or by a return from main. Returns 0 or ENOMEM. */
int sq__file_at_exit(void (*function)(void));

/* Returns 0 and *bell, or an errno code. */
int sq__bell_create(int *bell);
/* May be called in a signal handler. Keeps errno. */
void sq__bell_ring(int bell);
/* Waits until the bell has been rung since the last call, for at most this many nanoseconds; SQ__NEVER: without a limit. True: it was rung. */
bool sq__bell_wait(int bell, uint64_t nanoseconds);

/* The system's number for this process. */
int sq__process_id(void);

/* Makes function(number) the handler of the signal. Returns 0, EBUSY (the program handles the signal itself) or EINVAL. */
int sq__signal_take(int number, void (*function)(int));
/* Undoes it, if `function` is still the handler. */
void sq__signal_give_back(int number, void (*function)(int));
/* The number of the signal with this name, without SIG; 0: there is none. */
int sq__signal_number(const char *name, size_t length);

/* Two other clocks, read one after the other: the time since the machine was started, and the time of day, in nanoseconds. */
void sq__clock_others(uint64_t *since_boot, uint64_t *of_day);

/* Finds the file that this code was loaded from: the path of the program or library, truncated if it is too long, and the address in the file,
 * as tools show it. False: there is no such file. */
bool sq__code_find(const void *address, char *path, size_t size, uint64_t *offset);

#endif

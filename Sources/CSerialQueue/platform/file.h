/* file.h: writing into files, so that the program notices nothing but the bytes. */
#pragma once

#include "platform/system.h"

#include <stdbool.h>
#include <stddef.h>

/* Opens a file to write into, with what it contains; creates it, if `creates`. Does not wait: a FIFO without a reader is ENXIO. The descriptor is
 * above those of the standard files, and programs started by exec do not inherit it. Returns 0 and *file, or an errno code. */
int sq__file_open(const char *path, bool creates, int *file);

/* Writes all of it, however long the reader takes. The thread is not cancelled there, keeps its errno, and gets neither SIGPIPE nor SIGXFSZ for
 * it. Returns 0 or an errno code: EPIPE, EFBIG, .... Async-signal-safe. */
int sq__file_write(int file, const void *bytes, size_t count);

/* The same in one write, of what goes in at once. Returns how many bytes that was, or a negative errno code. */
ptrdiff_t sq__file_write_some(int file, const void *bytes, size_t count);

/* Waits until it can be written to, after EAGAIN: the program has made its descriptor one that does not block. */
void sq__file_await_room(int file);

/* Returns 0 or an errno code: some file systems report only here that a write has failed. */
int sq__file_close(int file);

/* Gives a descriptor of ours a number above those of the standard files: a program that was started without these may open its own under their
 * numbers, and its messages go there. Programs started by exec do not inherit it. Returns whether it has one; if not, it was closed, and errno says why. */
bool sq__file_above_standard(int *file);

/* Marks a file of ours by something that programs hardly ever set, and returns the mark: another file that the program opens under the same number
 * does not have it. Where the system has no such mark, both return an error, for each file the same. */
int sq__file_mark(int file);
int sq__file_mark_of(int file);

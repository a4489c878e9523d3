/* file.h: a file that is written from its beginning. Programs that this one executes do not inherit the descriptors. */
#pragma once

#include "platform/system.h"

#include <stdbool.h>
#include <stddef.h>

/* Creates the file, or empties it. Returns 0 and *file, or an errno code. */
int sq__file_create(const char *path, int *file);

/* Creates the file, or opens it with what it contains. Returns 0 and *file, or an errno code. */
int sq__file_open(const char *path, int *file);

/* Returns 0, also for what has no length such as a pipe, or an errno code. */
int sq__file_empty(int file);

/* Writes all of it. Returns 0 or an errno code. Async-signal-safe. */
int sq__file_write(int file, const void *bytes, size_t count);

/* Returns 0 or an errno code: some file systems report only here that a write has failed. */
int sq__file_close(int file);

/* Gives a descriptor of ours a number above those of the standard files: a program that was started without these may open its own under their
 * numbers, and its messages go there. Programs started by exec do not inherit it. Returns whether it has one; if not, it was closed, and errno says why. */
bool sq__file_above_standard(int *file);

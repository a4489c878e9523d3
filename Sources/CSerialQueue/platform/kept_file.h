/* kept_file.h: a file of ours that stays open while the program does what it likes.
 *
 * DESIGN. The program may close every descriptor that it does not know, as daemons do, and the system gives the number to the next file that the
 * program opens. So each use of the number first asks whether it still is our file: by its device and inode, and, because the next file may have the
 * inode of one that was removed, by its signal (F_SETSIG; elsewhere its owner, F_SETOWN), which we set and programs hardly ever set. If it is not
 * ours, the file is opened again by its path, neither created nor emptied, and written on from where the last write ended; what is found there must
 * be the same file. A number that is not ours is neither written to nor closed. Between the question and the write another thread of the program may
 * close the descriptor and open a file: no system has a write "if it still is this file". That moment is a microsecond.
 *
 * Two processes must not write into one file: the one that keeps it open has a lock on it (flock), which ends with the process at
 * the latest. The child of a fork closes its copy. */
#pragma once

#include "platform/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sq__kept_file {
    const char *path; /* the caller's; absolute, or it is lost when the program changes its directory and closes the descriptor */
    int number;       /* stays after the close; -1: none was opened */
    bool is_lost;     /* the program has closed the descriptor, and the file was not found again */
    int mark;         /* of a signal that nothing sends */
    uint64_t device, inode, written;
} sq__kept_file_t;

#define SQ__KEPT_FILE_NONE { .number = -1 }

/* Opens the file with what it contains, or creates it; as sq__file_open. Returns EAGAIN if another process keeps it open. */
int sq__kept_file_open(sq__kept_file_t *file, const char *path);

/* Removes what it had before. Returns 0, also for what has no length such as a pipe, or an errno code. */
int sq__kept_file_empty(sq__kept_file_t *file);

/* Writes all of it behind what was written before. Returns 0 or an errno code; if the file was lost, why it could not be opened again. */
int sq__kept_file_write(sq__kept_file_t *file, const void *bytes, size_t count);

/* As sq__kept_file_close, which reports failed writes, but the file stays open. */
int sq__kept_file_settle(sq__kept_file_t *file);

/* Closes it, unless it was closed by the program. From now on others may open it. Returns 0 or an errno code. */
int sq__kept_file_close(sq__kept_file_t *file);

/* The same in the child of a fork: the parent keeps it open. */
int sq__kept_file_close_copy(sq__kept_file_t *file);

#include "platform/kept_file.h"

#include "platform/file.h"
#include "platform/quiet.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A device such as /dev/null may be used by many. */
static bool is_locked(const struct stat *status) { return S_ISREG(status->st_mode) || S_ISFIFO(status->st_mode); }

/* Opens and locks it; what the descriptor is, in *status. */
static int open_and_lock(const char *path, bool creates, int *number, struct stat *status) {
    int error = sq__file_open(path, creates, number);
    if (error) {
        *number = -1;
        return error;
    }
    if (fstat(*number, status) != 0) {
        error = errno;
    } else if (is_locked(status) && flock(*number, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        error = EAGAIN; /* with another error the file system has no locks */
    }
    if (error) {
        (void)sq__file_close(*number);
        *number = -1;
    }
    return error;
}

int sq__kept_file_open(sq__kept_file_t *file, const char *path) {
    struct stat status;
    *file = (sq__kept_file_t){ .path = path };
    int error = open_and_lock(path, true, &file->number, &status);
    if (error == 0) {
        file->mark = sq__file_mark(file->number);
        file->device = (uint64_t)status.st_dev;
        file->inode = (uint64_t)status.st_ino;
    }
    return error;
}

static bool is_same(const sq__kept_file_t *file, const struct stat *status) {
    return file->device == (uint64_t)status->st_dev && file->inode == (uint64_t)status->st_ino;
}

/* The number is still ours. */
static bool is_kept(const sq__kept_file_t *file) {
    struct stat status;
    return file->number >= 0 && sq__file_mark_of(file->number) == file->mark && fstat(file->number, &status) == 0 && is_same(file, &status);
}

/* The lock may be that of the descriptor which the program has closed: a child has a copy until its exec. That takes milliseconds. */
static int open_and_await_lock(sq__kept_file_t *file, struct stat *status) {
    enum { MOST_TRIES = 100, PAUSE = 5000000 /* nanoseconds */ };
    int error = open_and_lock(file->path, false, &file->number, status);
    for (int tries = 1; error == EAGAIN && tries < MOST_TRIES; tries += 1) {
        sq__quiet_t quiet = sq__quiet_begin();
        nanosleep(&(struct timespec){ .tv_nsec = PAUSE }, NULL);
        sq__quiet_end(quiet);
        error = open_and_lock(file->path, false, &file->number, status);
    }
    return error;
}

static int open_again(sq__kept_file_t *file) {
    struct stat status = { .st_mode = 0 };
    int error = open_and_await_lock(file, &status);
    bool is_shorter = S_ISREG(status.st_mode) && (uint64_t)status.st_size < file->written; /* another one with the inode of ours */
    if (error == 0 && (is_shorter || !is_same(file, &status))) {
        (void)sq__file_close(file->number);
        error = ENOENT;
    }
    if (error) {
        file->number = -1;
        file->is_lost = true;
        return error;
    }
    file->mark = sq__file_mark(file->number);
    (void)lseek(file->number, (off_t)file->written, SEEK_SET); /* what cannot be sought in has no position */
    return 0;
}

/* Before each use of the number. */
static int keep(sq__kept_file_t *file) {
    return is_kept(file) ? 0 : open_again(file);
}

int sq__kept_file_empty(sq__kept_file_t *file) {
    int error = keep(file);
    return error != 0 || ftruncate(file->number, 0) == 0 || errno == EINVAL ? error : errno;
}

int sq__kept_file_write(sq__kept_file_t *file, const void *bytes, size_t count) {
    for (const char *at = bytes; count > 0;) {
        int error = keep(file);
        ptrdiff_t written = error ? 0 : sq__file_write_some(file->number, at, count);
        if (written >= 0) {
            at += written, count -= (size_t)written, file->written += (uint64_t)written;
        } else if (written == -EAGAIN) {
            sq__file_await_room(file->number);
        } else if (written == -EBADF) {
            error = open_again(file); /* it was closed since the question */
        } else if (written != -EINTR) {
            error = (int)-written;
        }
        if (error) {
            return error;
        }
    }
    return 0;
}

int sq__kept_file_settle(sq__kept_file_t *file) {
    int copy = is_kept(file) ? fcntl(file->number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    return copy >= 0 ? sq__file_close(copy) : 0;
}

/* The number stays: a fork copies the descriptors first and the memory then, and a child whose memory said that there is none would keep its copy. */
int sq__kept_file_close_copy(sq__kept_file_t *file) { return is_kept(file) ? sq__file_close(file->number) : 0; }

int sq__kept_file_close(sq__kept_file_t *file) {
    if (is_kept(file)) {
        (void)flock(file->number, LOCK_UN); /* a child that has not come to its exec has a copy, and with it the lock */
    }
    return sq__kept_file_close_copy(file);
}

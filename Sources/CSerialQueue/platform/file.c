#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int sq__file_create(const char *path, int *file) {
    *file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return *file >= 0 ? 0 : errno;
}

int sq__file_open(const char *path, int *file) {
    *file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    return *file >= 0 ? 0 : errno;
}

int sq__file_empty(int file) { return ftruncate(file, 0) == 0 || errno == EINVAL ? 0 : errno; }

int sq__file_write(int file, const void *bytes, size_t count) {
    for (const char *at = bytes; count > 0;) {
        ssize_t written = write(file, at, count);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        at += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

int sq__file_close(int file) { return close(file) == 0 || errno == EINTR ? 0 : errno; }

bool sq__file_above_standard(int *file) {
    if (*file > STDERR_FILENO) {
        return true;
    }
    int low = *file;
    *file = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    (void)close(low);
    errno = error;
    return *file >= 0;
}

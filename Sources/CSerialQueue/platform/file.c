#include "platform/file.h"

#include "platform/quiet.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

int sq__file_open(const char *path, bool creates, int *file) {
    sq__quiet_t quiet = sq__quiet_begin();
    *file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (creates ? O_CREAT : 0), 0644);
    int error = *file >= 0 && sq__file_above_standard(file) ? 0 : errno;
    if (error == 0) {
        (void)fcntl(*file, F_SETFL, 0); /* from here on a write waits for the reader of a FIFO */
    }
    sq__quiet_end(quiet);
    return error;
}

/* Takes the signal that a write of this thread has caused. It is pending, unless the write has failed for another reason. */
static void take_signal(int number) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
#if SQ__LINUX || defined(__FreeBSD__)
    (void)sigtimedwait(&one, NULL, &(struct timespec){ 0 }); /* does not sleep, so it is not interrupted */
#else
    sigset_t pending;
    if (sigpending(&pending) == 0 && sigismember(&pending, number)) {
        (void)sigwait(&one, &number);
    }
#endif
}

/* A signal that was pending before is the program's, and stays. */
ptrdiff_t sq__file_write_some(int file, const void *bytes, size_t count) {
    sigset_t caused, before, pending;
    sq__quiet_t quiet = sq__quiet_begin();
    sigemptyset(&caused);
    sigaddset(&caused, SIGPIPE);
    sigaddset(&caused, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &caused, &before);
    sigpending(&pending);
    ptrdiff_t written = write(file, bytes, count);
    int error = written < 0 ? errno : 0, number = error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
    if (number != 0 && !sigismember(&pending, number)) {
        take_signal(number);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sq__quiet_end(quiet);
    return error ? -error : written;
}

void sq__file_await_room(int file) {
    sq__quiet_t quiet = sq__quiet_begin();
    (void)poll(&(struct pollfd){ .fd = file, .events = POLLOUT }, 1, -1);
    sq__quiet_end(quiet);
}

int sq__file_write(int file, const void *bytes, size_t count) {
    for (const char *at = bytes; count > 0;) {
        ptrdiff_t written = sq__file_write_some(file, at, count);
        if (written >= 0) {
            at += written, count -= (size_t)written;
        } else if (written == -EAGAIN) {
            sq__file_await_room(file);
        } else if (written != -EINTR) {
            return (int)-written;
        }
    }
    return 0;
}

int sq__file_close(int file) {
    sq__quiet_t quiet = sq__quiet_begin();
    int error = close(file) == 0 || errno == EINTR ? 0 : errno;
    sq__quiet_end(quiet);
    return error;
}

bool sq__file_above_standard(int *file) {
    if (*file > STDERR_FILENO) {
        return true;
    }
    int low = *file;
    *file = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno == EINVAL ? EMFILE : errno; /* EINVAL: the limit does not permit such a number at all */
    (void)close(low);
    errno = error;
    return *file >= 0;
}

/* Linux: the signal for what happens to the file. The owner of that signal is no such mark: a child in another namespace of processes has no
 * number for it. */
int sq__file_mark_of(int file) {
#if SQ__LINUX
    return fcntl(file, F_GETSIG);
#else
    return fcntl(file, F_GETOWN);
#endif
}

int sq__file_mark(int file) {
#if SQ__LINUX
    (void)fcntl(file, F_SETSIG, SIGIO);
#else
    (void)fcntl(file, F_SETOWN, getpid());
#endif
    return sq__file_mark_of(file);
}

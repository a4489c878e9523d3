#include "platform/event_fd.h"

#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#if defined(__APPLE__)
/* A program that another thread executes between these calls inherits it: there is no better call. */
static int make_pipe(int ends[2]) {
    if (pipe(ends) != 0) {
        return -1;
    }
    for (int i = 0; i < 2; i += 1) {
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(ends[i], F_SETFL, fcntl(ends[i], F_GETFL) | O_NONBLOCK);
    }
    return 0;
}
#else
static int make_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }
#endif

int sq__event_fd_open_pipe(sq__event_fd_t *event_fd) {
    int ends[2];
    if (make_pipe(ends) != 0) {
        return errno;
    }
    if (!sq__file_above_standard(&ends[0]) || !sq__file_above_standard(&ends[1])) {
        int error = errno;
        sq__event_fd_close((sq__event_fd_t){ .reads = ends[0], .writes = ends[1] });
        return error;
    }
    *event_fd = (sq__event_fd_t){ .reads = ends[0], .writes = ends[1] };
    return 0;
}

void sq__event_fd_close(sq__event_fd_t event_fd) {
    close(event_fd.reads);
    if (event_fd.writes != event_fd.reads) {
        close(event_fd.writes);
    }
}

/* EAGAIN: it was signalled very often since it was last cleared, so it is readable. */
bool sq__event_fd_signal(sq__event_fd_t event_fd) {
    const uint64_t one = 1;
    ssize_t length;
    do {
        if (event_fd.writes == event_fd.reads) {
            length = write(event_fd.writes, &one, sizeof one);
        } else {
            length = sq__file_write_some(event_fd.writes, &one, sizeof one); /* no SIGPIPE, if the program has closed the other end */
            errno = length < 0 ? (int)-length : errno;
        }
    } while (length < 0 && errno == EINTR);
    return length > 0 || errno == EAGAIN;
}

/* An eventfd has one number, a pipe one for each time that it was rung. */
int sq__event_fd_clear(sq__event_fd_t event_fd) {
    uint64_t rung[64];
    ssize_t length;
    bool sounded = false;
    do {
        while ((length = read(event_fd.reads, rung, sizeof rung)) < 0 && errno == EINTR) {
        }
        sounded = sounded || length > 0;
    } while (length == (ssize_t)sizeof rung);
    return length < 0 && errno != EAGAIN ? -1 : sounded;
}

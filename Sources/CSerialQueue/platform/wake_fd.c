#include "platform/wake_fd.h"

#include "platform/mutex.h"

#include <errno.h>
#include <poll.h>

int sq__wake_fd_create(sq__event_fd_t *wake_fd) { return sq__event_fd_open(wake_fd); }

void sq__wake_fd_signal(sq__event_fd_t wake_fd) {
    int kept = errno;
    (void)sq__event_fd_signal(wake_fd);
    errno = kept;
}

bool sq__wake_fd_wait(sq__event_fd_t wake_fd, uint64_t nanoseconds) {
    struct pollfd wanted = { .fd = wake_fd.reads, .events = POLLIN };
    int milliseconds = nanoseconds == SQ__NEVER ? -1 : (int)(nanoseconds / 1000000);
    return poll(&wanted, 1, milliseconds) > 0 && sq__event_fd_clear(wake_fd) > 0;
}

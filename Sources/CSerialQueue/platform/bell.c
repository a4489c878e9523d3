#include "platform/bell.h"

#include "platform/mutex.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int sq__bell_create(int *bell) {
    *bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return *bell >= 0 ? 0 : errno;
}

void sq__bell_ring(int bell) {
    int kept = errno;
    uint64_t one = 1;
    ssize_t written = write(bell, &one, sizeof one); /* fails only if it was rung 2^64 - 2 times */
    (void)written;
    errno = kept;
}

bool sq__bell_wait(int bell, uint64_t nanoseconds) {
    struct pollfd wanted = { .fd = bell, .events = POLLIN };
    int milliseconds = nanoseconds == SQ__NEVER ? -1 : (int)(nanoseconds / 1000000);
    uint64_t count;
    return poll(&wanted, 1, milliseconds) > 0 && read(bell, &count, sizeof count) == (ssize_t)sizeof count;
}

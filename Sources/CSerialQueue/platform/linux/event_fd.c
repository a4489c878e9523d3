#include "platform/event_fd.h"

#if SQ__LINUX

#include "platform/file.h"

#include <errno.h>
#include <sys/eventfd.h>

int sq__event_fd_open(sq__event_fd_t *event_fd) {
    int file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (file < 0) { /* a sandbox may refuse it with any code */
        return errno == EMFILE || errno == ENFILE ? errno : sq__event_fd_open_pipe(event_fd);
    }
    if (!sq__file_above_standard(&file)) {
        return errno;
    }
    *event_fd = (sq__event_fd_t){ .reads = file, .writes = file };
    return 0;
}

#endif

#include "platform/event.h"

#include "platform/clock.h"
#include "platform/fatal.h"
#include "platform/file.h"
#include "platform/mutex.h"
#include "platform/quiet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int sq__event_open(sq__event_fd_t *event) {
    sq__quiet_t quiet = sq__quiet_begin();
    int error = sq__event_fd_open(event);
    if (error == 0) {
        event->mark = sq__file_mark(event->reads);
        (void)sq__file_mark(event->writes);
    }
    sq__quiet_end(quiet);
    return error == 0 || error == EMFILE || error == ENFILE ? error : ENOMEM;
}

/* False: the program has closed the file, and perhaps opened its own under this number. Between this question and a use of the number another thread may
 * do so: no system has both in one call. */
static bool is_ours(int file, int mark) {
    bool has_mark = sq__file_mark_of(file) == mark;
    return has_mark && (mark > 0 || fcntl(file, F_GETFD) >= 0 || errno != EBADF); /* with another error a sandbox refuses to say */
}

/* Perhaps on the thread of the program that releases the last reference, and that another one cancels. */
void sq__event_close(sq__event_fd_t event) {
    sq__quiet_t quiet = sq__quiet_begin();
    bool has_both = is_ours(event.reads, event.mark) && is_ours(event.writes, event.mark);
    if (has_both) { /* else the program has closed one, and the other one too: it closes all */
        sq__event_fd_close(event);
    }
    sq__quiet_end(quiet);
}

static void check(bool ok) {
    if (!ok) {
        sq__fatal("the program has closed the descriptor of a loop pool. It belongs to the pool: poll it, but don't close it. A program that closes "
                  "all descriptors does so before it makes the pool.");
    }
}

void sq__event_set(sq__event_fd_t event) {
    sq__quiet_t quiet = sq__quiet_begin();
    check(is_ours(event.writes, event.mark) && sq__event_fd_signal(event));
    sq__quiet_end(quiet);
}

bool sq__event_clear(sq__event_fd_t event) {
    sq__quiet_t quiet = sq__quiet_begin();
    int sounded = is_ours(event.reads, event.mark) ? sq__event_fd_clear(event) : -1;
    check(sounded >= 0);
    sq__quiet_end(quiet);
    return sounded > 0;
}

/* Returns 0 after this many nanoseconds. POSIX counts milliseconds: rounded up, so that a caller does not spin before its time comes. */
static int poll_for(struct pollfd *wanted, uint64_t nanoseconds) {
#if SQ__LINUX
    struct timespec limit = { .tv_sec = (time_t)(nanoseconds / 1000000000u), .tv_nsec = (long)(nanoseconds % 1000000000u) };
    return ppoll(wanted, 1, nanoseconds == SQ__NEVER ? NULL : &limit, NULL);
#else
    uint64_t milliseconds = nanoseconds / 1000000 + (nanoseconds % 1000000 != 0);
    return poll(wanted, 1, nanoseconds == SQ__NEVER ? -1 : milliseconds < INT_MAX ? (int)milliseconds : INT_MAX);
#endif
}

bool sq__event_wait(sq__event_fd_t event, uint64_t deadline) {
    sq__quiet_t quiet = sq__quiet_begin();
    struct pollfd wanted = { .fd = event.reads, .events = POLLIN };
    uint64_t now = deadline != SQ__NEVER ? sq__clock_now() : 0;
    int found = poll_for(&wanted, deadline == SQ__NEVER ? SQ__NEVER : deadline > now ? deadline - now : 0);
    check(found <= 0 || is_ours(event.reads, event.mark)); /* another file may be readable forever */
    sq__quiet_end(quiet);
    return found != 0 || sq__clock_now() < deadline; /* below 0: a signal came */
}

#include "platform/event.h"

#include "platform/clock.h"
#include "platform/fatal.h"
#include "platform/mutex.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

int sq__event_open(sq__event_fd_t *event) {
    int error = sq__event_fd_open(event);
    return error == 0 || error == EMFILE || error == ENFILE ? error : ENOMEM;
}

void sq__event_close(sq__event_fd_t event) { sq__event_fd_close(event); }

/* Around a system call: keeps errno, and prevents that the thread is cancelled there, because the caller has a lock or a reference. */
typedef struct quiet {
    int error, cancel_state;
} quiet_t;

static quiet_t begin_quiet(void) {
    quiet_t quiet = { .error = errno };
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &quiet.cancel_state);
    return quiet;
}

static void end_quiet(quiet_t quiet) {
    pthread_setcancelstate(quiet.cancel_state, NULL);
    errno = quiet.error;
}

static void check(bool ok) {
    if (!ok) {
        sq__fatal("the descriptor of a loop pool is gone (%s). It belongs to the pool: poll it, but don't close it.", strerror(errno));
    }
}

void sq__event_set(sq__event_fd_t event) {
    quiet_t quiet = begin_quiet();
    check(sq__event_fd_signal(event));
    end_quiet(quiet);
}

bool sq__event_clear(sq__event_fd_t event) {
    quiet_t quiet = begin_quiet();
    int sounded = sq__event_fd_clear(event);
    check(sounded >= 0);
    end_quiet(quiet);
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
    quiet_t quiet = begin_quiet();
    struct pollfd wanted = { .fd = event.reads, .events = POLLIN };
    uint64_t now = deadline != SQ__NEVER ? sq__clock_now() : 0;
    int found = poll_for(&wanted, deadline == SQ__NEVER ? SQ__NEVER : deadline > now ? deadline - now : 0);
    end_quiet(quiet);
    return found != 0 || sq__clock_now() < deadline; /* below 0: a signal came */
}

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* ppoll */
#endif
#include "platform/event.h"

#include "platform/clock.h"
#include "platform/fatal.h"
#include "platform/mutex.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

int sq__event_open(int *event) {
    *event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (*event >= 0) {
        return 0;
    }
    return errno == EMFILE || errno == ENFILE ? errno : ENOMEM;
}

void sq__event_close(int event) { close(event); }

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

/* EAGAIN: it was clear, or has been set 2^64 - 2 times since it was last cleared. */
static void check(ssize_t length) {
    if (length < 0 && errno != EAGAIN) {
        sq__fatal("the descriptor of a loop pool is gone (%s). It belongs to the pool: poll it, but don't close it.", strerror(errno));
    }
}

void sq__event_set(int event) {
    quiet_t quiet = begin_quiet();
    const uint64_t one = 1;
    ssize_t length;
    while ((length = write(event, &one, sizeof one)) < 0 && errno == EINTR) {
    }
    check(length);
    end_quiet(quiet);
}

bool sq__event_clear(int event) {
    quiet_t quiet = begin_quiet();
    uint64_t count;
    ssize_t length;
    while ((length = read(event, &count, sizeof count)) < 0 && errno == EINTR) {
    }
    check(length);
    end_quiet(quiet);
    return length > 0;
}

bool sq__event_wait(int event, uint64_t deadline) {
    quiet_t quiet = begin_quiet();
    struct pollfd poll = { .fd = event, .events = POLLIN };
    struct timespec rest, *limit = NULL;
    if (deadline != SQ__NEVER) {
        uint64_t now = sq__clock_now(), nanoseconds = deadline > now ? deadline - now : 0;
        rest = (struct timespec){ .tv_sec = (time_t)(nanoseconds / 1000000000u), .tv_nsec = (long)(nanoseconds % 1000000000u) };
        limit = &rest;
    }
    int found = ppoll(&poll, 1, limit, NULL);
    end_quiet(quiet);
    return found != 0 || sq__clock_now() < deadline; /* below 0: a signal came */
}

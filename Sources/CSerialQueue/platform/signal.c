#include "platform/signal.h"

#include "platform/event_fd.h"
#include "platform/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

/* Written before the handler is installed. */
static sq__event_fd_t event_fd = { -1, -1 };
static int awaited;
static void (*awaited_call)(void), (*replaced_call)(void);
static sq__thread_start_t start;

static void handle(int number) {
    int error = errno;
    (void)number;
    (void)sq__event_fd_signal(event_fd); /* fails only if the program has closed a file that is not its own */
    errno = error;
}

/* The library takes the signal before main begins. By now the program has installed its own handlers, as a rule. */
static void check_handler(void) {
    enum { AFTER = 1000 }; /* milliseconds */
    struct sigaction present;
    struct pollfd readable = { .fd = event_fd.reads, .events = POLLIN };
    if (poll(&readable, 1, AFTER) <= 0 && sigaction(awaited, NULL, &present) == 0 && present.sa_handler != handle) {
        replaced_call();
    }
}

/* This thread accepts the signal even if all others block it. It blocks SIGPIPE: a dump into a closed pipe must not end the program. */
static void await_signals(void *unused) {
    sigset_t mine, pipe;
    (void)unused;
    sigemptyset(&mine);
    sigaddset(&mine, awaited);
    pthread_sigmask(SIG_UNBLOCK, &mine, NULL);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, NULL);
    check_handler();
    struct pollfd readable = { .fd = event_fd.reads, .events = POLLIN };
    int sounded = 0;
    while (sounded >= 0 && !(readable.revents & POLLNVAL)) { /* else the program has closed a file that is not its own */
        (void)poll(&readable, 1, -1);
        sounded = sq__event_fd_clear(event_fd);
        if (sounded > 0) {
            awaited_call();
        }
    }
}

/* A program without the standard files may open them later. */
static bool raise_above_standard(int *file) {
    if (*file > STDERR_FILENO) {
        return true;
    }
    int low = *file;
    *file = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(low);
    return *file >= 0;
}

static int open_bell(void) {
    int error = sq__event_fd_open(&event_fd);
    if (error == 0) {
        bool is_one = event_fd.writes == event_fd.reads, ok = raise_above_standard(&event_fd.reads);
        if (is_one) {
            event_fd.writes = event_fd.reads;
        } else {
            ok = raise_above_standard(&event_fd.writes) && ok;
        }
        error = ok ? 0 : errno;
    }
    return error;
}

int sq__signal_begin(int number, void (*call)(void), void (*replaced)(void)) {
    struct sigaction before, action = { .sa_handler = handle, .sa_flags = SA_RESTART };
    if (sigaction(number, NULL, &before) != 0) {
        return errno;
    }
    if (before.sa_flags & SA_SIGINFO || before.sa_handler != SIG_DFL) {
        return EBUSY;
    }
    int error = open_bell();
    if (error) {
        return error;
    }
    awaited = number;
    awaited_call = call;
    replaced_call = replaced;
    sigfillset(&action.sa_mask);
    error = sq__thread_start(&start, await_signals, NULL, &(sq__thread_kind_t){ .name = "sq-dump" });
    if (error == 0 && sigaction(number, &action, NULL) != 0) {
        error = errno;
    }
    return error;
}

void sq__signal_begin_again(void) {
    if (awaited != 0) { /* the parent's descriptors would wake the parent, and one of the two would read what is for the other */
        sq__event_fd_t parents = event_fd;
        (void)open_bell();
        sq__event_fd_close(parents);
        (void)sq__thread_start(&start, await_signals, NULL, &(sq__thread_kind_t){ .name = "sq-dump" });
    }
}

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* SA_RESTART */
#endif
#include "platform/signal.h"

#include "platform/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Written before the handler is installed. */
static int event = -1;
static int awaited;
static void (*awaited_call)(void), (*replaced_call)(void);
static sq__thread_start_t start;

static void handle(int number) {
    int error = errno;
    uint64_t one = 1;
    (void)number;
    if (write(event, &one, sizeof one) < 0) { /* fails only if very many signals wait already: then one more makes no difference */
    }
    errno = error;
}

/* The library takes the signal before main begins. By now the program has installed its own handlers, as a rule. */
static void check_handler(void) {
    enum { AFTER = 1000 }; /* milliseconds */
    struct sigaction present;
    struct pollfd readable = { .fd = event, .events = POLLIN };
    if (poll(&readable, 1, AFTER) <= 0 && sigaction(awaited, NULL, &present) == 0 && present.sa_handler != handle) {
        replaced_call();
    }
}

/* This thread accepts the signal even if all others block it. It blocks SIGPIPE: a dump into a closed pipe must not end the program. */
static void await_signals(void *unused) {
    sigset_t mine, pipe;
    uint64_t count;
    (void)unused;
    sigemptyset(&mine);
    sigaddset(&mine, awaited);
    pthread_sigmask(SIG_UNBLOCK, &mine, NULL);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, NULL);
    check_handler();
    for (;;) {
        if (read(event, &count, sizeof count) == (ssize_t)sizeof count) {
            awaited_call();
        } else if (errno != EINTR) {
            return; /* the program has closed a file that is not its own */
        }
    }
}

static int open_event(void) {
    int file = eventfd(0, EFD_CLOEXEC);
    if (file < 0 || file > STDERR_FILENO) {
        return file;
    }
    int higher = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* a program without those files may open them later */
    close(file);
    return higher;
}

int sq__signal_begin(int number, void (*call)(void), void (*replaced)(void)) {
    struct sigaction before, action = { .sa_handler = handle, .sa_flags = SA_RESTART };
    if (sigaction(number, NULL, &before) != 0) {
        return errno;
    }
    if (before.sa_flags & SA_SIGINFO || before.sa_handler != SIG_DFL) {
        return EBUSY;
    }
    event = open_event();
    if (event < 0) {
        return errno;
    }
    awaited = number;
    awaited_call = call;
    replaced_call = replaced;
    sigfillset(&action.sa_mask);
    int error = sq__thread_start(&start, await_signals, NULL, &(sq__thread_kind_t){ .name = "sq-dump" });
    if (error == 0 && sigaction(number, &action, NULL) != 0) {
        error = errno;
    }
    return error;
}

void sq__signal_begin_again(void) {
    if (event >= 0) { /* the parent's descriptor would wake the parent, and one of the two would read what is for the other */
        int fresh = open_event();
        close(event);
        event = fresh;
        (void)sq__thread_start(&start, await_signals, NULL, &(sq__thread_kind_t){ .name = "sq-dump" });
    }
}

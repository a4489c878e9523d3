/* watchdog.c: ends a test that hangs, and prints where each thread is.
 *
 * DESIGN. The process's alarm clock, not a thread: a thread would spoil the count of threads. When it rings, the handler prints
 * the name of the test and sends each thread a signal, one after the other, on which the thread prints its own call stack.
 * Neither backtrace() nor a child process is promised to be safe in a handler; they work here because backtrace() was called
 * once before (it loads libgcc then), because _Fork() runs no fork handlers, and because the process is lost anyway. Under
 * ThreadSanitizer a thread that computes gets its signal late: Tests/C/run has a second limit. */
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#else /* musl */
static int backtrace(void **frames, int size) { return (void)frames, (void)size, 0; }
static void backtrace_symbols_fd(void *const *frames, int size, int file) { (void)frames, (void)size, (void)file; }
#endif
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The library blocks all signals on its threads but those that a thread can cause itself: this is one of them. */
#define ASK_SIGNAL SIGSYS

enum { LEAST_SECONDS = 60, USUAL_SECONDS = 120, DEEPEST = 64 };

static unsigned seconds;
static const char *volatile watched;
static volatile sig_atomic_t printed;
static char program[4096];

static void say(const char *text) {
    ssize_t written = write(STDOUT_FILENO, text, strlen(text));
    (void)written;
}

/* Functions of this program, static ones too, with their lines: by addr2line. Those of shared libraries by name alone. */
static void print_frame(void *frame) {
    extern char __executable_start, etext;
    uintptr_t address = (uintptr_t)frame - 1; /* in the call, not after it */
    if (address < (uintptr_t)&__executable_start || address >= (uintptr_t)&etext) {
        say("      ");
        backtrace_symbols_fd(&frame, 1, STDOUT_FILENO);
        return;
    }
#ifdef __PIE__
    address -= (uintptr_t)&__executable_start;
#endif
    char text[24];
    snprintf(text, sizeof text, "0x%jx", (uintmax_t)address);
    say("      ");
    pid_t child = _Fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        execlp("addr2line", "addr2line", "-pfse", program, text, NULL);
        say(text); /* of the program; without addr2line, from binutils, nothing more can be said */
        say("\n");
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}

static void print_own_stack(int number) {
    (void)number;
    void *frames[DEEPEST];
    int count = backtrace(frames, DEEPEST);
    say("    -- a thread:\n");
    for (int i = 2; i < count; i += 1) { /* this function and the signal's frame are in every stack */
        print_frame(frames[i]);
    }
    printed = 1;
}

static void print_all_stacks(void) {
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        long id = strtol(entry->d_name, NULL, 10);
        if (id <= 0) {
            continue;
        }
        printed = 0;
        syscall(SYS_tgkill, getpid(), id, ASK_SIGNAL);
        for (int i = 0; i < 4000 && !printed; i += 1) { /* 20 seconds at least */
            nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
        }
        if (!printed) {
            say("    -- a thread that did not answer\n");
        }
    }
    closedir(tasks);
}

static void ring(int number) {
    (void)number;
    say("    hangs: ");
    say(watched ? watched : "(between tests)");
    say("; the threads are here:\n");
    print_all_stacks();
    signal(SIGABRT, SIG_DFL);
    abort();
}

void watchdog_start(void) {
    const char *chosen = getenv("SQ_TEST_TIMEOUT");
    seconds = chosen ? (unsigned)strtoul(chosen, NULL, 10) : USUAL_SECONDS;
    seconds = seconds < LEAST_SECONDS ? LEAST_SECONDS : seconds;
    void *frames[1];
    backtrace(frames, 1);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    struct sigaction on_alarm = { .sa_handler = ring };
    sigaction(SIGALRM, &on_alarm, NULL);
    struct sigaction on_ask = { .sa_handler = print_own_stack, .sa_flags = SA_NODEFER };
    sigaction(ASK_SIGNAL, &on_ask, NULL);
}

void watchdog_watch(const char *test) {
    watched = test;
    alarm(test ? seconds : 0);
}

void watchdog_begin_anew(void) { alarm(watched ? seconds : 0); }

/* watchdog.c: a test that hangs is told, not waited for.
 *
 * DESIGN. The process's alarm clock, not a thread: a thread would spoil the count of threads. When it rings, the handler
 * names the test and has each thread print its own call stack, one after the other, on another signal. backtrace() is not
 * promised to be safe in a handler; it is here because it is called once before (it loads libgcc then), and because
 * the process is lost anyway. Under ThreadSanitizer a thread that computes gets its signal late: Tests/C/run has a
 * second, coarser limit. */
#include "harness.h"

#include <dirent.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The library blocks all signals on its threads but those that a thread can cause itself: this is one of them. */
#define ASK_SIGNAL SIGSYS

enum { LEAST_SECONDS = 60, USUAL_SECONDS = 120, DEEPEST = 64 };

static unsigned seconds;
static const char *volatile watched;
static volatile sig_atomic_t printed;

static void say(const char *text) {
    ssize_t written = write(STDOUT_FILENO, text, strlen(text));
    (void)written;
}

static void print_own_stack(int number) {
    (void)number;
    void *frames[DEEPEST];
    say("    -- a thread:\n");
    backtrace_symbols_fd(frames, backtrace(frames, DEEPEST), STDOUT_FILENO);
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
        for (int i = 0; i < 200 && !printed; i += 1) {
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
    say("; the threads stand here (addr2line -fe PROGRAM ADDRESS tells the line):\n");
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

/* child.h: processes that are expected to end badly, or at least elsewhere. */
#ifndef CHILD_H
#define CHILD_H

#include "harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#else
#define UNDER_TSAN 0
#endif
#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#else
#define UNDER_ASAN 0
#endif

/* How a child ended: `status` as of waitpid; what it wrote to stderr. */
typedef struct ending {
    int status;
    char text[4096];
} ending_t;

/* Runs a program and waits for its end. */
static inline ending_t run_program(const char *const arguments[]) {
    ending_t ending = { 0 };
    int ends[2];
    posix_spawn_file_actions_t actions;
    pid_t child;
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    REQUIRE(posix_spawn_file_actions_init(&actions) == 0);
    REQUIRE(posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO) == 0);
    command_t command;
    char *const *words = command_for(&command, arguments);
    int error = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    REQUIRE(error == 0);
    size_t used = 0;
    char rest[512];
    for (ssize_t got;;) {
        bool room = used < sizeof ending.text - 1;
        got = room ? read(ends[0], ending.text + used, sizeof ending.text - 1 - used) : read(ends[0], rest, sizeof rest);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            break;
        }
        used += room && got > 0 ? (size_t)got : 0;
    }
    close(ends[0]);
    while (waitpid(child, &ending.status, 0) < 0) {
        REQUIRE(errno == EINTR);
    }
    return ending;
}

/* This program again, with `child_main`. */
static inline ending_t run_captured(const char *word, const char *second) {
    return run_program((const char *const[]){ "/proc/self/exe", "--child", word, second, NULL });
}

static inline void no_core_file(void) { setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 }); }

/* It aborted after one message of the library, which contains all these words in this order. */
static inline void check_aborted(const ending_t *ending, const char *const words[], size_t count) {
    bool holds = CHECK(WIFSIGNALED(ending->status) && WTERMSIG(ending->status) == SIGABRT);
    const char *at = strstr(ending->text, "SerialQueue: ");
    holds &= CHECK(at != NULL);
    const char *line_end = at != NULL ? strchr(at, '\n') : NULL;
    for (size_t i = 0; i < count && at != NULL; i += 1) {
        at = strstr(at, words[i]);
        holds &= CHECK(at != NULL && line_end != NULL && at < line_end);
    }
    if (line_end != NULL) {
        holds &= CHECK(strstr(line_end, "SerialQueue: ") == NULL);
    }
    if (!holds) {
        note("it ended with status %#x and wrote: %s", (unsigned)ending->status, ending->text);
    }
}

/* What the system says of the thread with this id: 'S' sleeps, 'Z' has ended; 0: nothing. */
static inline char thread_state(long id) {
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", id);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return 0;
    }
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *after_name = strrchr(text, ')');
    return after_name != NULL ? after_name[2] : 0;
}

/* All but the calling one. One look may miss a thread, see threads.h. */
static inline bool other_threads_sleep(void) {
    bool sleep = true;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks != NULL && sleep && (entry = readdir(tasks)) != NULL;) {
        long id = strtol(entry->d_name, NULL, 10);
        sleep = id <= 0 || id == gettid() || thread_state(id) == 'S';
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
    return sleep;
}

/* Waits until every other thread sleeps, as one that waits does. One look may miss a thread: hence three. */
static inline void let_all_sleep(void) {
    for (int looks = 0; looks < 3; sched_yield()) {
        looks = other_threads_sleep() ? looks + 1 : 0;
    }
}

/* AddressSanitizer does not take its allocator's locks for a fork, so that none may be held then: a thread that starts or ends has
 * them at times. Waiting for one that is busy on purpose does not help: it takes about a second, and half as long at each fork after that. */
static inline void let_others_sleep(void) {
    enum { ENOUGH = 3, LEAST = 4, MOST = 1000 };
    static int looks = MOST;
    int asleep = 0;
    for (int look = 0; UNDER_ASAN && look < looks && asleep < ENOUGH; look += 1) {
        asleep = other_threads_sleep() ? asleep + 1 : 0;
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    looks = asleep == ENOUGH ? MOST : looks / 2 > LEAST ? looks / 2 : LEAST;
}

/* True: a test that forks while other threads run cannot run here. Prints a note. */
static inline bool fork_left_out(void) {
    if (UNDER_TSAN) {
        note("left out: ThreadSanitizer does not support threads after a fork of a process with threads");
    }
    return UNDER_TSAN;
}

/* Forks. True: this is the child, and *status is -1. False: it has ended, with *status as of waitpid. */
static inline bool fork_and_return(int *status) {
    fflush(stdout);
    let_others_sleep();
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        watchdog_watch("the child of a fork");
        *status = -1;
        return true;
    }
    while (waitpid(child, status, 0) < 0) {
        REQUIRE(errno == EINTR);
    }
    return false;
}

/* The child calls the body and exits with what that returns (0: all is well). Returns the status as of waitpid. */
static inline int in_fork(int (*body)(void *), void *context) {
    int status;
    if (fork_and_return(&status)) {
        _exit(body(context));
    }
    return status;
}

#endif

/* host.c: a program with a life of its own that uses the library: one of the hosts of Tests/Host/run.
 *
 * host HOST FEATURE: becomes the host, opens files of its own, uses queues and the feature, rests, and ends. It is started in a folder of its
 * own. Prints nothing where all is well; `run` then looks at the files. */
#define _GNU_SOURCE
#include <serial_queue.h>

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TASKS = 2000 };

static const char *kind, *feature;

static bool is(const char *text, const char *word) { return strcmp(text, word) == 0; }

static void must(bool ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "host: %s\n", what);
        _exit(9);
    }
}

static void add_one(void *count) { *(int *)count += 1; }

/* A queue does its work; where threads are scarce a submission may be refused, and then does nothing. */
static void work(const char *label) {
    int ran = 0, accepted = 0;
    sq_queue_t *queue = sq_queue_create(label, NULL);
    must(queue != NULL, "no queue");
    for (int i = 0; i < TASKS; i += 1) {
        accepted += sq_async(queue, add_one, &ran) == 0;
    }
    must(sq_sync(queue, add_one, &ran) == 0, "sync failed");
    must(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER) == 0, "shutdown failed");
    sq_queue_release(queue);
    must(ran == accepted + 1, "a task is missing");
}

/* Which of the library's signals has a handler. */
static void show_signals(void) {
    const int numbers[] = { SIGUSR1, SIGUSR2 };
    for (int i = 0; i < 2; i += 1) {
        struct sigaction action;
        must(sigaction(numbers[i], NULL, &action) == 0, "sigaction failed");
        must(action.sa_handler == SIG_DFL, "the environment of its user has given the program a signal handler");
    }
}

int main(int count, char **words) {
    must(count == 3, "HOST FEATURE");
    kind = words[1];
    feature = words[2];
    work("host");
    if (is(kind, "setuid")) {
        must(geteuid() != getuid(), "it has no other rights than its user");
        show_signals();
    }
    return 0;
}

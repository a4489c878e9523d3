/* hangs.c: the classic ways to hang a program with a serial queue, and what this library says about them.
 *
 * Examples/Hangs is the same in Swift. In C nothing traps: a call that would never return returns EDEADLK, and
 * sq_deadlock_report says why. So no child process is needed, and each scene ends with its queues released. */
#include <serial_queue.h>

#include <errno.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Words */

static void die(const char *what, int error) {
    fprintf(stderr, "hangs: %s: %s\n", what, strerror(error));
    exit(1);
}

static void must(const char *what, int error) {
    if (error) {
        die(what, error);
    }
}

/* Prints one paragraph, in lines of at most 79 columns. One call of printf: two threads may print at the same time. */
static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...) {
    enum { WIDTH = 79, MARGIN = 4 };
    char text[1200], paragraph[2400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t used = 0, column = WIDTH;
    for (char *rest = text, *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        bool fits = column + 1 + strlen(word) <= WIDTH;
        column = (fits ? column + 1 : MARGIN) + strlen(word);
        used += (size_t)snprintf(paragraph + used, sizeof paragraph - used, "%s%s",
                                 fits ? " " : used == 0 ? "    " : "\n    ", word);
    }
    if (printf("%s\n", paragraph) < 0) {
        die("the output cannot be written", errno);
    }
}

static sq_queue_t *queue_named(const char *label) {
    sq_queue_t *queue = sq_queue_create(label, NULL);
    if (queue == NULL) {
        die(label, errno);
    }
    return queue;
}

/* Waits until the queue has run everything, and releases it. */
static void finish(sq_queue_t *queue) {
    must(sq_queue_label(queue), sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER));
    sq_queue_release(queue);
}

static void report(const char *call, int error) {
    say("%s: %s", call, error ? strerror(error) : "done");
    if (error == EDEADLK) {
        say("%s", sq_deadlock_report());
    }
}

static void never(void *unused) {
    (void)unused;
    say("never said");
}

/* sync-in-async: a function that runs on a queue calls sq_sync onto the same queue */

static void sync_again(void *queue) { report("sq_sync", sq_sync(queue, never, NULL)); }

static void sync_in_async(void) {
    sq_queue_t *queue = queue_named("com.example.store");
    must("sq_async", sq_async(queue, sync_again, queue));
    finish(queue);
}

/* cross: two functions on two queues, each calls sq_sync onto the other's queue */

typedef struct transfer {
    sq_queue_t *onto;
    sem_t *here;
    sem_t *there;
} transfer_t;

static void nothing(void *unused) { (void)unused; }

static void book(void *context) {
    transfer_t *transfer = context;
    /* Both run: this makes certain what happens once in a million without it. */
    sem_post(transfer->here);
    sem_wait(transfer->there);
    report("sq_sync", sq_sync(transfer->onto, nothing, NULL));
}

static void cross(void) {
    sem_t first, second;
    sem_init(&first, 0, 0);
    sem_init(&second, 0, 0);
    sq_queue_t *giro = queue_named("com.example.giro");
    sq_queue_t *savings = queue_named("com.example.savings");
    transfer_t out = { savings, &first, &second };
    transfer_t in = { giro, &second, &first };
    must("sq_async", sq_async(giro, book, &out));
    must("sq_async", sq_async(savings, book, &in));
    /* Not drained one after the other: each still needs the other. */
    must("sq_sync", sq_sync(giro, nothing, NULL));
    must("sq_sync", sq_sync(savings, nothing, NULL));
    finish(giro);
    finish(savings);
    sem_destroy(&first);
    sem_destroy(&second);
}

/* destructor: one that calls sq_sync onto its queue, and happens to run on it */

typedef struct connection {
    sq_queue_t *queue;
} connection_t;

static void closed(void *unused) {
    (void)unused;
    say("closed");
}

static void connection_free(connection_t *connection) {
    int error = sq_sync(connection->queue, closed, NULL);
    report("sq_sync", error);
    if (error) {
        report("sq_sync_or_run", sq_sync_or_run(connection->queue, closed, NULL));
    }
    sq_queue_release(connection->queue);
    free(connection);
}

static void send_and_free(void *connection) { connection_free(connection); }

static void destructor(void) {
    connection_t *connection = malloc(sizeof *connection);
    if (connection == NULL) {
        die("a connection", ENOMEM);
    }
    sq_queue_t *queue = connection->queue = queue_named("com.example.connection");
    sq_queue_retain(queue);
    must("sq_async", sq_async(queue, send_and_free, connection));
    finish(queue);
}

/* forgotten-resume: a queue is suspended, and an early return forgets to resume it */

static void stalled(void *semaphore, const sq_stall_t *stall) {
    say("queue \"%s\": %zu waiting for %g s or longer: %s", stall->label, stall->depth, (double)stall->nanoseconds / 1e9,
        stall->suspended ? "it is suspended" : "it is busy");
    sem_post(semaphore);
}

static void reconnect(sq_queue_t *queue, const char *host) {
    must("sq_suspend", sq_suspend(queue));
    if (host == NULL) {
        return; /* the mistake */
    }
    must("sq_resume", sq_resume(queue));
}

static void forgotten_resume(void) {
    sem_t stalls;
    sem_init(&stalls, 0, 0);
    sq_queue_t *queue = queue_named("com.example.upload");
    const sq_watcher_t watcher = { .stalled = stalled, .context = &stalls };
    must("sq_queue_watch", sq_queue_watch(queue, 200000000, &watcher));
    reconnect(queue, NULL);
    must("sq_async", sq_async(queue, never, NULL));
    while (sem_wait(&stalls) != 0) { /* a program would log it and continue */
    }
    must("sq_shutdown", sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER));
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(queue, &stats);
    say("gave up: discarded %llu", (unsigned long long)stats.discarded);
    sq_queue_release(queue);
    sem_destroy(&stalls);
}

/* impatient-sync: a sync that must not wait forever, on a busy queue */

static void slow_disk(void *unused) {
    (void)unused;
    sleep(1);
    say("the disk is back");
}

static void impatient_sync(void) {
    sq_queue_t *queue = queue_named("com.example.cache");
    must("sq_async", sq_async(queue, slow_disk, NULL));
    report("sq_sync_until", sq_sync_until(queue, sq_deadline(100000000), never, NULL));
    finish(queue);
}

/* The command line */

static const struct {
    const char *name;
    const char *summary;
    void (*play)(void);
} scenes[] = {
    { "sync-in-async", "a function that runs on a queue calls sq_sync onto the same queue", sync_in_async },
    { "cross", "two functions on two queues, each calls sq_sync onto the other's queue", cross },
    { "destructor", "one that calls sq_sync onto its queue, and happens to run on it", destructor },
    { "forgotten-resume", "a queue is suspended, and an early return forgets to resume it", forgotten_resume },
    { "impatient-sync", "a sync that must not wait forever, on a busy queue", impatient_sync },
};

enum { SCENES = sizeof scenes / sizeof scenes[0] };

/* Plays the scene of that name, or all of them; returns how many there were. */
static int play(const char *name) {
    int played = 0;
    for (int i = 0; i < SCENES; i += 1) {
        if (strcmp(name, "all") == 0 || strcmp(name, scenes[i].name) == 0) {
            printf("%s: %s\n", scenes[i].name, scenes[i].summary);
            scenes[i].play();
            printf("\n");
            played += 1;
        }
    }
    return played;
}

int main(int count, char **words) {
    for (int i = 1; i < count; i += 1) {
        bool wants_help = strcmp(words[i], "--help") == 0;
        if (wants_help || play(words[i]) == 0) {
            fprintf(wants_help ? stdout : stderr, "Usage: hangs [all | NAME ...]\n\nWithout a NAME it lists them.\n");
            return wants_help ? 0 : 2;
        }
    }
    for (int i = 0; count == 1 && i < SCENES; i += 1) {
        printf("%-16s  %s\n", scenes[i].name, scenes[i].summary);
    }
    if (fflush(stdout) != 0) {
        die("the output cannot be written", errno);
    }
    return 0;
}

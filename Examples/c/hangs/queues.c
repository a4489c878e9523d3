/* queues.c: hangs with queues alone. Examples/Hangs has the same in Swift. */
#include "hangs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

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
        must("a connection", ENOMEM);
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
    say("shut it down: discarded %llu", (unsigned long long)stats.discarded);
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

const scene_t queue_scenes[] = {
    { "sync-in-async", "a function that runs on a queue calls sq_sync onto the same queue", NULL, sync_in_async },
    { "cross", "two functions on two queues, each calls sq_sync onto the other's queue", NULL, cross },
    { "destructor", "one that calls sq_sync onto its queue, and happens to run on it", NULL, destructor },
    { "forgotten-resume", "a queue is suspended, and an early return forgets to resume it", NULL, forgotten_resume },
    { "impatient-sync", "a sync that must not wait forever, on a busy queue", NULL, impatient_sync },
    { 0 },
};

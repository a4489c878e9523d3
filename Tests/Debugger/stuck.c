/* stuck.c: a program that is stuck: "store" runs a task that waits for a mutex, and a thread waits for its turn in it. "paused" is
 * suspended. The only thread of a pool runs a task of "first in line", and seven tasks of "backlog", and one each of
 * 300 queues "connection", wait for that thread. A thread waits for its turn in "adrift", whose loop no thread runs; "moored" waits for the main thread,
 * which owns its loop. The label of "paused" and the name of the main thread are no valid UTF-8. Ends by abort when the task runs and the thread waits. */
#include "serial_queue.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static sq_queue_t *store, *adrift;
static sq_queue_t *first, *backlog;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void nothing(void *unused) { (void)unused; }

static void lock_mutex(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
}

static void *wait_for_turn(void *queue) {
    if (sq_sync(queue, nothing, NULL) != 0) {
        exit(2);
    }
    return NULL;
}

static int make_loops(void) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create_loop("unowned");
    adrift = sq_queue_create("adrift", &options);
    int error = sq_async(adrift, nothing, NULL);
    options.pool = sq_pool_create_loop("main's");
    error = error ? error : sq_pool_own(options.pool);
    return error ? error : sq_async(sq_queue_create("moored", &options), nothing, NULL);
}

/* The pool's thread is in a task of "first in line" when this returns 0. */
static int fill_pool(void) {
    sq_pool_options_t one = SQ_POOL_OPTIONS_INIT;
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    one.threads = 1;
    options.pool = sq_pool_create("one thread", &one);
    first = sq_queue_create("first in line", &options);
    backlog = sq_queue_create("backlog", &options);
    int error = sq_async(first, lock_mutex, NULL);
    for (int i = 0; i < 7; i += 1) {
        error = error ? error : sq_async(backlog, nothing, NULL);
    }
    for (int i = 0; i < 300; i += 1) {
        error = error ? error : sq_async(sq_queue_create("connection", &options), nothing, NULL);
    }
    return error;
}

/* A dump says when the thread waits, and the task runs: the thread that runs it may come later than the one that waits. */
static int is_stuck(void) {
    char text[16384];
    FILE *file = tmpfile();
    if (file == NULL || sq_dump(fileno(file)) != 0) {
        exit(2);
    }
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *runs = strstr(text, "runs lock_mutex"), *waits = strstr(text, "has waited");
    return waits != NULL && strstr(waits + 1, "has waited") != NULL && runs != NULL && strstr(runs + 1, "runs lock_mutex") != NULL;
}

int main(void) {
    pthread_t threads[2];
    prctl(PR_SET_NAME, "m\xc3");
    sq_queue_t *paused = sq_queue_create("paused\033[2J\xff", NULL);
    store = sq_queue_create("store", NULL);
    pthread_mutex_lock(&mutex);
    if (sq_suspend(paused) != 0 || fill_pool() != 0 || make_loops() != 0 || sq_async(store, lock_mutex, NULL) != 0
        || pthread_create(&threads[0], NULL, wait_for_turn, store) != 0 || pthread_create(&threads[1], NULL, wait_for_turn, adrift) != 0) {
        return 2;
    }
    while (!is_stuck()) {
        usleep(1000);
    }
    abort();
}

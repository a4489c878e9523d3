/* busy.c [QUEUES]: many queues of one label on a pool, of which one is stuck. Writes "ready" and its number, and continues until it is killed. */
#include "serial_queue.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MUST(condition) ((condition) ? (void)0 : (fprintf(stderr, "busy.c:%d: not %s\n", __LINE__, #condition), exit(2)))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sq_semaphore_t *semaphore;
static pthread_barrier_t blocked;

static void nothing(void *unused) { (void)unused; }

static void lock_mutex(void *unused) {
    (void)unused;
    pthread_barrier_wait(&blocked);
    pthread_mutex_lock(&mutex);
}

static void wait_for_semaphore(void *unused) {
    (void)unused;
    pthread_barrier_wait(&blocked);
    MUST(sq_semaphore_wait(semaphore, SQ_FOREVER) == 0);
}

/* A task that submits itself again. */
static void serve(void *queue) {
    usleep(100);
    MUST(sq_async(queue, serve, queue) == 0);
}

static void *wait_for_turn(void *queue) {
    (void)sq_sync(queue, nothing, NULL);
    return NULL;
}

int main(int count, char **arguments) {
    int queues = count > 1 ? atoi(arguments[1]) : 1000;
    sq_pool_options_t four = SQ_POOL_OPTIONS_INIT;
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    pthread_t thread;
    four.threads = 4;
    options.pool = sq_pool_create("server", &four);
    MUST(options.pool != NULL && pthread_mutex_lock(&mutex) == 0 && pthread_barrier_init(&blocked, NULL, 3) == 0);
    MUST((semaphore = sq_semaphore_create("permits", 0)) != NULL);
    sq_queue_t *stuck = NULL;
    sq_queue_options_t of_loop = SQ_QUEUE_OPTIONS_INIT;
    of_loop.pool = sq_pool_create_loop("adrift");
    MUST(sq_async(sq_queue_create("orphan", &of_loop), nothing, NULL) == 0);
    MUST((of_loop.pool = sq_pool_create_loop("moored")) != NULL && sq_pool_own(of_loop.pool) == 0);
    for (int i = 0; i < queues; i += 1) {
        sq_queue_t *queue = sq_queue_create("connection", &options);
        if (i == queues / 2) {
            stuck = queue;
            MUST(sq_async(queue, lock_mutex, NULL) == 0 && sq_async(queue, nothing, NULL) == 0 && sq_async(queue, nothing, NULL) == 0);
        } else {
            MUST(sq_async(queue, serve, queue) == 0);
        }
    }
    sq_queue_t *paused = sq_queue_create("paused \033[2J", NULL), *store = sq_queue_create("store", NULL);
    MUST(sq_suspend(paused) == 0 && sq_async(paused, nothing, NULL) == 0);
    MUST(sq_async(store, wait_for_semaphore, NULL) == 0);
    pthread_barrier_wait(&blocked);
    MUST(pthread_create(&thread, NULL, wait_for_turn, store) == 0);
    printf("ready %p\n", (void *)stuck);
    fflush(stdout);
    for (;;) {
        pause();
    }
}

/* program.c: known numbers of tasks of each kind, for a trace whose content is checked. */
#include <errno.h>
#include <pthread.h>
#include <serial_queue.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASYNCS = 300, SYNCS = 200 };

static sq_queue_t *store, *views;
static int held, released;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void must(int error) {
    if (error) {
        fprintf(stderr, "program: %s\n", sq_error_text(error));
        exit(1);
    }
}

static void add_line(void *context) { (void)context; }
static void redraw(void *context) { (void)context; }

static void save(void *context) {
    (void)context;
    must(sq_async(views, redraw, NULL));
}

static void hold(void *context) {
    (void)context;
    pthread_mutex_lock(&mutex);
    held = 1;
    pthread_cond_signal(&changed);
    while (!released) {
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

static void *sync_behind(void *context) {
    (void)context;
    must(sq_sync(store, add_line, NULL));
    return NULL;
}

/* One sync that waits for its turn. */
static void contend(void) {
    pthread_t thread;
    must(sq_async(store, hold, NULL));
    pthread_mutex_lock(&mutex);
    while (!held) {
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    must(pthread_create(&thread, NULL, sync_behind, NULL));
    while (sq_queue_depth(store) == 0) {
    }
    pthread_mutex_lock(&mutex);
    released = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
}

int main(void) {
    store = sq_queue_create("com.example.store", NULL);
    views = sq_queue_create("com.example.<!--<script></script>\"views\"", NULL);
    for (int i = 0; i < ASYNCS; i += 1) {
        must(sq_async(store, save, NULL));
    }
    must(sq_run_and_wait(store, SQ_FOREVER, add_line, NULL));
    for (int i = 0; i < SYNCS; i += 1) {
        must(sq_sync(views, add_line, NULL));
    }
    contend();
    sq_semaphore_t *permits = sq_semaphore_create("permits", 0);
    if (sq_semaphore_wait(permits, sq_deadline(1000000)) != ETIMEDOUT) {
        return 1;
    }
    sq_semaphore_release(permits);
    must(sq_shutdown(store, SQ_SHUTDOWN_DRAIN, SQ_FOREVER));
    must(sq_shutdown(views, SQ_SHUTDOWN_DRAIN, SQ_FOREVER));
    sq_queue_release(store);
    sq_queue_release(views);
    return 0;
}

/* stuck.c: a program that is stuck: "store" runs a task that waits for a mutex, and a thread waits for its turn in it. "paused" is
 * suspended. Ends by abort when the task runs and the thread waits. */
#include "serial_queue.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sq_queue_t *store;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void nothing(void *unused) { (void)unused; }

static void lock_mutex(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
}

static void *wait_for_turn(void *unused) {
    if (sq_sync(store, nothing, NULL) != 0) {
        exit(2);
    }
    return unused;
}

/* A dump says when the thread waits, and the task runs: the thread that runs it may come later than the one that waits. */
static int is_stuck(void) {
    char text[8192];
    FILE *file = tmpfile();
    if (file == NULL || sq_dump(fileno(file)) != 0) {
        exit(2);
    }
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return strstr(text, "has waited") != NULL && strstr(text, "runs lock_mutex") != NULL;
}

int main(void) {
    pthread_t thread;
    sq_queue_t *paused = sq_queue_create("paused", NULL);
    store = sq_queue_create("store", NULL);
    pthread_mutex_lock(&mutex);
    if (sq_suspend(paused) != 0 || sq_async(store, lock_mutex, NULL) != 0 || pthread_create(&thread, NULL, wait_for_turn, NULL) != 0) {
        return 2;
    }
    while (!is_stuck()) {
        usleep(1000);
    }
    abort();
}

/* hang.c: a hang that no library can see: a task of "orders" holds a mutex and syncs onto "audit", whose task waits for the mutex.
 *
 *     hang written    a flight recorder writes its file after a while; then the process ends
 *     hang killed     the process kills itself after a while, and the file has no end */
#include <pthread.h>
#include <semaphore.h>
#include <serial_queue.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static sq_queue_t *orders, *audit, *paused;
static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static sem_t has_ledger, in_audit;

static void must(int error) {
    if (error) {
        fprintf(stderr, "hang: %s\n", sq_error_text(error));
        _exit(1);
    }
}

static void add_entry(void *context) { (void)context; }
static void send_mail(void *context) { (void)context; }

static void write_entry(void *context) {
    (void)context;
    sem_wait(&has_ledger);
    sem_post(&in_audit);
    pthread_mutex_lock(&ledger);
    pthread_mutex_unlock(&ledger);
}

/* As Swift submits closures: the first word is their code, which the trace names. */
static void call_code(void *code, void *unused, bool runs) {
    (void)unused;
    if (runs) {
        ((sq_function_t)code)(NULL);
    }
}

static void place_order(void *context) {
    (void)context;
    pthread_mutex_lock(&ledger);
    sem_post(&has_ledger);
    sem_wait(&in_audit);
    must(sq_sync(audit, add_entry, NULL));
    pthread_mutex_unlock(&ledger);
}

static void *request(void *context) {
    (void)context;
    must(sq_sync(orders, add_entry, NULL));
    return NULL;
}

/* The hang is there once both threads wait in their queues. */
static void wait_for_the_hang(void) {
    struct timespec pause = { .tv_nsec = 1000000 };
    while (sq_queue_depth(audit) < 1 || sq_queue_depth(orders) < 3) {
        nanosleep(&pause, NULL);
    }
}

int main(int count, char **words) {
    pthread_t thread;
    struct timespec pause = { .tv_sec = 2 };
    sem_init(&has_ledger, 0, 0);
    sem_init(&in_audit, 0, 0);
    orders = sq_queue_create("orders", NULL);
    audit = sq_queue_create("audit", NULL);
    paused = sq_queue_create("mail", NULL);
    must(sq_suspend(paused));
    must(sq_async(paused, send_mail, NULL));
    must(sq_async_pair(audit, SQ_NOW, call_code, (void *)write_entry, NULL));
    must(sq_async(orders, place_order, NULL));
    must(sq_async(orders, add_entry, NULL));
    must(sq_async(orders, add_entry, NULL));
    must(pthread_create(&thread, NULL, request, NULL));
    wait_for_the_hang();
    nanosleep(&pause, NULL); /* so long the trace must show the hang */
    if (count > 1 && strcmp(words[1], "killed") == 0) {
        kill(getpid(), SIGKILL);
    }
    must(sq_trace_stop()); /* a flight recorder's last file */
    _exit(0);
}

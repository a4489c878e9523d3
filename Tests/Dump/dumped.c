/* dumped.c: a program with something of each kind that a dump shows. Writes "ready", and rests. */
#include "serial_queue.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUST(condition) ((condition) ? (void)0 : (fprintf(stderr, "dumped.c:%d: not %s\n", __LINE__, #condition), exit(2)))

static sq_queue_t *store, *called;
static sq_group_t *group;
static sq_item_t *item;
static sq_once_t once = SQ_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void nothing(void *unused) { (void)unused; }

static void lock_mutex(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
}

static void sync_onto(void *queue) { (void)sq_sync(queue, nothing, NULL); }

static void *wait_for_turn(void *unused) {
    MUST(sq_sync_until(store, sq_deadline(3600 * UINT64_C(1000000000)), nothing, NULL) == 0);
    return unused;
}

static void *run_called(void *unused) {
    MUST(sq_sync(called, lock_mutex, NULL) == 0);
    return unused;
}

static void *wait_for_group(void *unused) {
    MUST(sq_group_wait(group, SQ_FOREVER) == 0);
    return unused;
}

static void *call_once(void *unused) {
    MUST(sq_once(&once, lock_mutex, NULL) == 0);
    return unused;
}

static void *perform_item(void *unused) {
    MUST(sq_item_perform(item) == 0);
    return unused;
}

static void *wait_for_permit(void *semaphore) {
    MUST(sq_semaphore_wait(semaphore, SQ_FOREVER) == 0);
    return NULL;
}

static void start_with(void *(*run)(void *), void *context) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, run, context) == 0);
    pthread_detach(thread);
}

static void start(void *(*run)(void *)) { start_with(run, NULL); }

static void stalled(void *unused, const sq_stall_t *stall) { (void)unused, (void)stall; }

/* A pool with one thread, which is in a task; and what waits for it. */
static void fill_pool(void) {
    sq_pool_options_t one = SQ_POOL_OPTIONS_INIT;
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    one.threads = 1;
    options.pool = sq_pool_create("one thread", &one);
    MUST(sq_async(sq_queue_create("first in line", &options), lock_mutex, NULL) == 0);
    for (int i = 0; i < 300; i += 1) {
        MUST(sq_async(sq_queue_create("connection", &options), nothing, NULL) == 0);
    }
}

static void make_queues(void) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    sq_queue_t *paused = sq_queue_create("quote \" and \\ and \033", NULL), *narcissus = sq_queue_create("narcissus", NULL);
    const sq_watcher_t watcher = { .stalled = stalled };
    MUST(sq_suspend(paused) == 0 && sq_suspend(paused) == 0);
    MUST(sq_sync(narcissus, sync_onto, narcissus) == 0 && sq_deadlock_report()[0] != '\0');
    MUST(sq_queue_watch(store, 3600 * UINT64_C(1000000000), &watcher) == 0);
    MUST(sq_async(store, lock_mutex, NULL) == 0 && sq_async(store, nothing, NULL) == 0);
    MUST(sq_queue_watch(called, 3600 * UINT64_C(1000000000), &watcher) == 0);
    options.width = 4;
    MUST(sq_async(sq_queue_create("concurrent", &options), lock_mutex, NULL) == 0);
    sq_timer_t *timer = sq_timer_create(narcissus, &(sq_task_t){ .run = nothing });
    MUST(sq_timer_start(timer, 3600 * UINT64_C(1000000000), UINT64_C(1000000000), 0) == 0);
    options.width = 1;
    options.pool = sq_pool_create_manual("manual");
    MUST(sq_async_after(sq_queue_create("by hand", &options), UINT64_C(1000000000), nothing, NULL) == 0);
    options.pool = sq_pool_create_loop("loop");
    MUST(sq_async(sq_queue_create("unowned", &options), nothing, NULL) == 0);
    options.pool = sq_pool_create_loop("owned loop");
    MUST(sq_pool_own(options.pool) == 0 && sq_async(sq_queue_create("owned", &options), nothing, NULL) == 0);
}

/* A dump says when the threads wait and run. */
static int is_stuck(void) {
    static char text[65536];
    FILE *file = tmpfile();
    MUST(file != NULL && sq_dump(fileno(file)) == 0);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *runs = text;
    for (int i = 0; i < 4 && runs != NULL; i += 1) { /* store, first in line, concurrent, called */
        runs = strstr(runs + 1, "runs lock_mutex");
    }
    return runs != NULL && strstr(text, "its turn in queue \"store\"") != NULL && strstr(text, "for group \"uploads\"") != NULL
        && strstr(text, "its turn in queue \"called\"") != NULL && strstr(text, "for once ") != NULL && strstr(text, "of item made by ") != NULL
        && strstr(text, "for semaphore made by ") != NULL && strstr(text, "runs a function of once") != NULL;
}

int main(void) {
    store = sq_queue_create("store", NULL);
    called = sq_queue_create("called", NULL);
    group = sq_group_create("uploads");
    pthread_mutex_lock(&mutex);
    make_queues();
    fill_pool();
    MUST(sq_trace_start("/dev/null") == 0 && sq_group_enter(group) == 0); /* so that the site is known */
    item = sq_item_create(NULL, &(sq_task_t){ .run = lock_mutex });
    start(wait_for_turn);
    start(wait_for_group);
    start(call_once);
    start(call_once);
    start(run_called);
    start(run_called);
    start(perform_item);
    start_with(wait_for_permit, sq_semaphore_create(NULL, 0));
    while (!is_stuck()) {
        usleep(1000);
    }
    MUST(sq_dump_json(STDOUT_FILENO) == 0);
    (void)!write(STDOUT_FILENO, "ready\n", 6);
    pause();
}

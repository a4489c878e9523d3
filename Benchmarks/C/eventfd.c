/* eventfd.c: what an event loop does by hand: a list under a mutex, and an eventfd that is written when the list was empty. A thread
 * polls, reads, and runs what is in the list. For the comparison with a loop pool: `../run.sh loop`. */
#include "harness.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

typedef struct item {
    struct item *next;
    bench_task_t task;
} item_t;

typedef struct event_queue {
    pthread_mutex_t lock;
    item_t *first, **end;
    int event;
} event_queue_t;

typedef event_queue_t *contender_queue_t;

static const bench_contender_t contender = { "eventfd", BENCH_ASYNC, "a loop runs only what is sent to it" };

static void run_all(item_t *item) {
    while (item) {
        item_t *next = item->next;
        item->task.function(item->task.context);
        free(item);
        item = next;
    }
}

static void *loop_main(void *argument) {
    event_queue_t *queue = (event_queue_t *)argument;
    for (;;) {
        struct pollfd ready = { queue->event, POLLIN, 0 };
        uint64_t count;
        if (poll(&ready, 1, -1) < 1 || read(queue->event, &count, sizeof count) < 0) continue;
        pthread_mutex_lock(&queue->lock);
        item_t *first = queue->first;
        queue->first = NULL;
        queue->end = &queue->first;
        pthread_mutex_unlock(&queue->lock);
        run_all(first);
    }
    return NULL;
}

static contender_queue_t contender_create(void) {
    event_queue_t *queue = (event_queue_t *)calloc(1, sizeof *queue);
    pthread_t thread;
    pthread_mutex_init(&queue->lock, NULL);
    queue->end = &queue->first;
    queue->event = eventfd(0, EFD_CLOEXEC);
    if (queue->event < 0 || pthread_create(&thread, NULL, loop_main, queue) != 0) bench_fail("a loop could not be made.");
    return queue;
}

static contender_queue_t contender_create_shared(void) { return contender_create(); }
static void contender_release(contender_queue_t queue) { (void)queue; }

static void contender_async(contender_queue_t queue, const bench_task_t *task) {
    item_t *item = (item_t *)malloc(sizeof *item);
    item->task = *task;
    item->next = NULL;
    pthread_mutex_lock(&queue->lock);
    bool was_empty = !queue->first;
    *queue->end = item;
    queue->end = &item->next;
    pthread_mutex_unlock(&queue->lock);
    const uint64_t one = 1;
    if (was_empty && write(queue->event, &one, sizeof one) < 0) bench_fail("the eventfd could not be written.");
}

static void contender_sync(contender_queue_t queue, const bench_task_t *task) { (void)queue, (void)task; }

#include "scenarios.h"

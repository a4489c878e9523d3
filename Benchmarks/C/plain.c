/* plain.c: the tutorials' design, written correctly: one mutex, one condvar, broadcast, a worker thread per queue that
 * hands every sync over to the caller that waits for it.
 *
 * Correct means: every wait is a loop on a predicate under the mutex; the worker learns of a sync's end from a field
 * of the queue, never from the caller's stack, which is gone by then; broadcast, because callers and worker share the
 * condvar; release lets the accepted tasks run and then joins the worker. */
#include "harness.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct item {
    struct item *next;
    bench_task_t task;
    bool *granted; /* a sync: set when its turn has come. NULL: an async */
} item_t;

typedef struct plain_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    item_t *first, **end;
    bool lent, closing; /* lent: a sync caller runs its task now */
    pthread_t worker;
} plain_queue_t;

typedef plain_queue_t *contender_queue_t;

static const bench_contender_t contender = { "plain", BENCH_ASYNC | BENCH_SYNC, "a thread per queue, from the start" };

static void *worker_main(void *argument) {
    plain_queue_t *queue = (plain_queue_t *)argument;
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        while (!queue->first && !queue->closing) pthread_cond_wait(&queue->changed, &queue->lock);
        item_t *item = queue->first;
        if (!item) break;
        queue->first = item->next;
        if (!queue->first) queue->end = &queue->first;
        if (item->granted) {
            queue->lent = true;
            *item->granted = true;
            pthread_cond_broadcast(&queue->changed);
            while (queue->lent) pthread_cond_wait(&queue->changed, &queue->lock);
        } else {
            pthread_mutex_unlock(&queue->lock);
            item->task.function(item->task.context);
            free(item);
            pthread_mutex_lock(&queue->lock);
        }
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static contender_queue_t contender_create(void) {
    plain_queue_t *queue = (plain_queue_t *)calloc(1, sizeof *queue);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->end = &queue->first;
    if (pthread_create(&queue->worker, NULL, worker_main, queue) != 0) bench_fail("a thread could not be created.");
    return queue;
}

static contender_queue_t contender_create_shared(void) { return contender_create(); }

static void contender_release(contender_queue_t queue) {
    pthread_mutex_lock(&queue->lock);
    queue->closing = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->worker, NULL);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

static void append(plain_queue_t *queue, item_t *item) {
    item->next = NULL;
    *queue->end = item;
    queue->end = &item->next;
    pthread_cond_broadcast(&queue->changed);
}

static void contender_async(contender_queue_t queue, const bench_task_t *task) {
    item_t *item = (item_t *)malloc(sizeof *item);
    item->task = *task;
    item->granted = NULL;
    pthread_mutex_lock(&queue->lock);
    append(queue, item);
    pthread_mutex_unlock(&queue->lock);
}

static void contender_sync(contender_queue_t queue, const bench_task_t *task) {
    bool granted = false;
    item_t item = { NULL, *task, &granted };
    pthread_mutex_lock(&queue->lock);
    append(queue, &item);
    while (!granted) pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
    task->function(task->context);
    pthread_mutex_lock(&queue->lock);
    queue->lent = false;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

#include "scenarios.h"

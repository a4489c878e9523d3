/* glib.c: GLib's GThreadPool with one exclusive thread, which makes it a serial queue.
 *
 * GThreadPool has no sync. Its users write what stands below: a task on the caller's stack that says when it is done,
 * with a GMutex and a GCond. The task runs on the pool's thread, not on the caller's. */
#include "harness.h"

#include <glib.h>
#include <stdlib.h>

typedef GThreadPool *contender_queue_t;

#define CONTENDER_GLIB

static const bench_contender_t contender = { "glib", BENCH_ASYNC | BENCH_SYNC, "an exclusive thread per queue" };

static void run_task(gpointer data, gpointer unused) {
    const bench_task_t *task = (const bench_task_t *)data;
    (void)unused;
    task->function(task->context);
}

static contender_queue_t contender_create(void) {
    GThreadPool *pool = g_thread_pool_new(run_task, NULL, 1, TRUE, NULL);
    if (!pool) bench_fail("g_thread_pool_new failed.");
    return pool;
}

static contender_queue_t contender_create_shared(void) { return contender_create(); }

static void contender_release(contender_queue_t pool) { g_thread_pool_free(pool, FALSE, TRUE); }

static void contender_async(contender_queue_t pool, const bench_task_t *task) {
    if (!g_thread_pool_push(pool, (gpointer)task, NULL)) bench_fail("g_thread_pool_push failed.");
}

typedef struct waiting_task {
    const bench_task_t *task;
    GMutex lock;
    GCond finished;
    gboolean done;
} waiting_task_t;

static void run_and_signal(void *context) {
    waiting_task_t *waiting = (waiting_task_t *)context;
    waiting->task->function(waiting->task->context);
    g_mutex_lock(&waiting->lock);
    waiting->done = TRUE;
    g_cond_signal(&waiting->finished);
    g_mutex_unlock(&waiting->lock);
}

static void contender_sync(contender_queue_t pool, const bench_task_t *task) {
    waiting_task_t waiting;
    bench_task_t outer = { run_and_signal, &waiting };
    waiting.task = task;
    waiting.done = FALSE;
    g_mutex_init(&waiting.lock);
    g_cond_init(&waiting.finished);
    contender_async(pool, &outer);
    g_mutex_lock(&waiting.lock);
    while (!waiting.done) g_cond_wait(&waiting.finished, &waiting.lock);
    g_mutex_unlock(&waiting.lock);
    g_cond_clear(&waiting.finished);
    g_mutex_clear(&waiting.lock);
}

#include "scenarios.h"

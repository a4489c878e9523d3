/* mutex.c: pthread_mutex, where all that is asked for is mutual exclusion. Not FIFO, and nothing in the background. */
#include "harness.h"

#include <pthread.h>
#include <stdlib.h>

typedef pthread_mutex_t *contender_queue_t;

#define CONTENDER_MUTEX

static const bench_contender_t contender = { "mutex", BENCH_SYNC, "a mutex runs nothing in the background" };

static contender_queue_t contender_create(void) {
    pthread_mutex_t *mutex = (pthread_mutex_t *)malloc(sizeof *mutex);
    if (!mutex || pthread_mutex_init(mutex, NULL) != 0) bench_fail("a mutex could not be made.");
    return mutex;
}

static contender_queue_t contender_create_shared(void) { return contender_create(); }

static void contender_release(contender_queue_t mutex) {
    pthread_mutex_destroy(mutex);
    free(mutex);
}

static void contender_async(contender_queue_t mutex, const bench_task_t *task) {
    (void)mutex, (void)task;
    bench_fail("a mutex has no async.");
}

static void contender_sync(contender_queue_t mutex, const bench_task_t *task) {
    pthread_mutex_lock(mutex);
    task->function(task->context);
    pthread_mutex_unlock(mutex);
}

#include "scenarios.h"

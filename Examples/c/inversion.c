/* inversion.c: priority inversion, and what helps against it.
 *
 * One processor, a thread that computes all the time, and a queue with a backlog on a pool of the background class. The main thread
 * needs the queue: its sync has to wait for the backlog, which is run by a thread that gets a tenth of the processor. With
 * `helps` the main thread runs the backlog itself, except for the task that has begun. The program does both, prints how long the
 * sync took and which thread ran which task when, and fails if that is not what the options promise. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* sched_setaffinity */
#endif
#include <serial_queue.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TASKS = 12, COLUMNS = 80 };

static const uint64_t task_length = 2000000; /* of processor time, in nanoseconds */

/* What became of a task. Written by the task, read after the sync. */
typedef struct ran {
    uint64_t began, ended;
    bool by_caller;
} ran_t;

typedef struct scene {
    sq_queue_t *queue;
    sq_semaphore_t *has_begun;
    pthread_t caller;
    size_t count; /* changes only on the queue */
    ran_t ran[TASKS];
    uint64_t began, ended; /* the sync */
} scene_t;

static void must(const char *what, int error) {
    if (error) {
        fprintf(stderr, "inversion: %s: %s\n", what, strerror(error));
        exit(1);
    }
}

static uint64_t now(clockid_t clock) {
    struct timespec time;
    must("clock_gettime", clock_gettime(clock, &time) == 0 ? 0 : errno);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The first task lasts until the sync is behind the others. */
static void work(void *context) {
    scene_t *scene = context;
    ran_t *ran = &scene->ran[scene->count];
    ran->began = now(CLOCK_MONOTONIC);
    ran->by_caller = pthread_equal(pthread_self(), scene->caller);
    if (scene->count == 0) {
        sq_semaphore_signal(scene->has_begun);
        while (sq_queue_depth(scene->queue) < TASKS) {
            sched_yield();
        }
    }
    uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + task_length;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
    }
    ran->ended = now(CLOCK_MONOTONIC);
    scene->count += 1;
}

static void end_sync(void *context) { ((scene_t *)context)->ended = now(CLOCK_MONOTONIC); }

static void play(scene_t *scene, sq_pool_t *pool, bool helps) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    options.helps = helps;
    *scene = (scene_t){ .caller = pthread_self(), .queue = sq_queue_create("backlog", &options) };
    must("sq_queue_create", scene->queue == NULL ? errno : 0);
    scene->has_begun = sq_semaphore_create("has begun", 0);
    must("sq_semaphore_create", scene->has_begun == NULL ? errno : 0);
    for (int i = 0; i < TASKS; i += 1) {
        must("sq_async", sq_async(scene->queue, work, scene));
    }
    must("sq_semaphore_wait", sq_semaphore_wait(scene->has_begun, SQ_FOREVER));
    scene->began = now(CLOCK_MONOTONIC);
    must("sq_sync", sq_sync(scene->queue, end_sync, scene));
    sq_semaphore_release(scene->has_begun);
    sq_queue_release(scene->queue);
}

/* A letter for each task, in the columns of the time between its begin and its end. */
static void draw(const scene_t *scene, bool by_caller, uint64_t column) {
    char line[COLUMNS + 1];
    memset(line, ' ', COLUMNS);
    line[COLUMNS] = '\0';
    for (int i = 0; i < TASKS; i += 1) {
        const ran_t *ran = &scene->ran[i];
        uint64_t from = ran->began < scene->began ? scene->began : ran->began;
        for (uint64_t at = from; ran->by_caller == by_caller && at < ran->ended; at += column) {
            uint64_t place = (at - scene->began) / column;
            line[place < COLUMNS ? place : COLUMNS - 1] = (char)('a' + i);
        }
    }
    printf("    %-10s |%s|\n", by_caller ? "caller" : "background", line);
}

static size_t show(const char *title, const scene_t *scene, uint64_t column) {
    size_t by_caller = 0;
    for (int i = 0; i < TASKS; i += 1) {
        by_caller += scene->ran[i].by_caller;
    }
    printf("%s: the sync took %.0f ms; the pool ran %zu tasks, the caller %zu\n", title,
           (double)(scene->ended - scene->began) / 1e6, TASKS - by_caller, by_caller);
    draw(scene, false, column);
    draw(scene, true, column);
    return by_caller;
}

static atomic_bool is_over;

static void *compute(void *unused) {
    (void)unused;
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
    }
    return NULL;
}

/* The pool's threads get the processors of the main thread. */
static void stay_on_this_processor(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    must("sched_setaffinity", sched_setaffinity(0, sizeof one, &one) == 0 ? 0 : errno);
}

int main(void) {
    static scene_t without, with;
    pthread_t computing;
    sq_pool_granted_t granted = SQ_POOL_GRANTED_INIT;
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = 1;
    options.service = SQ_SERVICE_BACKGROUND;
    stay_on_this_processor();
    sq_pool_t *pool = sq_pool_create("background", &options);
    must("sq_pool_create", pool == NULL ? errno : 0);
    must("sq_pool_granted", sq_pool_granted(pool, &granted));
    printf("background: nice %d%s%s\n", granted.nice, granted.batch ? ", SCHED_BATCH" : "",
           granted.complete ? "" : " (not all is granted)");
    must("pthread_create", pthread_create(&computing, NULL, compute, NULL));
    play(&without, pool, false);
    play(&with, pool, true);
    atomic_store_explicit(&is_over, true, memory_order_relaxed);
    must("pthread_join", pthread_join(computing, NULL));
    sq_pool_release(pool);
    uint64_t longer = without.ended - without.began;
    longer = with.ended - with.began > longer ? with.ended - with.began : longer;
    size_t helped_without = show("without helps", &without, longer / COLUMNS + 1);
    size_t helped_with = show("with helps", &with, longer / COLUMNS + 1);
    bool is_right = helped_without == 0 && helped_with > 0 && !with.ran[0].by_caller;
    puts(is_right ? "check: the caller ran tasks of the backlog with helps, and none without"
                  : "check: not the threads that were promised");
    return is_right ? 0 : 1;
}

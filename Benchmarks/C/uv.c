/* uv.c: a libuv loop on a thread of its own. Other threads put tasks on a list under a mutex and wake the loop with uv_async_send, as libuv's manual says
 * to. Timers are a loop's, and only its thread may use them: that is the main thread here. (libuv1-dev) */
#include "harness.h"

#include <stdlib.h>
#include <uv.h>

static const bench_contender_t contender = { "uv", BENCH_ASYNC | BENCH_SYNC, "all its queues would be one loop" };

typedef struct uv_queue {
    uv_loop_t loop;
    uv_async_t wake;
    uv_thread_t thread;
    uv_mutex_t lock;
    bench_task_t *tasks, *running; /* two arrays that change places */
    size_t count, room, running_room;
    bool ends;
} *contender_queue_t;

static void run_all(uv_async_t *wake) {
    contender_queue_t queue = (contender_queue_t)wake->data;
    for (;;) {
        uv_mutex_lock(&queue->lock);
        bench_task_t *tasks = queue->tasks;
        size_t count = queue->count, room = queue->room;
        queue->tasks = queue->running;
        queue->room = queue->running_room;
        queue->running = tasks;
        queue->running_room = room;
        queue->count = 0;
        bool ends = queue->ends;
        uv_mutex_unlock(&queue->lock);
        for (size_t i = 0; i < count; ++i) tasks[i].function(tasks[i].context);
        if (count) continue;
        if (ends) uv_close((uv_handle_t *)&queue->wake, NULL);
        return;
    }
}

static void loop_main(void *context) { uv_run(&((contender_queue_t)context)->loop, UV_RUN_DEFAULT); }

static contender_queue_t contender_create(void) {
    contender_queue_t queue = (contender_queue_t)calloc(1, sizeof *queue);
    uv_loop_init(&queue->loop);
    uv_async_init(&queue->loop, &queue->wake, run_all);
    queue->wake.data = queue;
    uv_mutex_init(&queue->lock);
    if (uv_thread_create(&queue->thread, loop_main, queue) != 0) bench_fail("A thread could not be created.");
    return queue;
}

static contender_queue_t contender_create_shared(void) { return contender_create(); }

static void contender_release(contender_queue_t queue) {
    uv_mutex_lock(&queue->lock);
    queue->ends = true;
    uv_mutex_unlock(&queue->lock);
    uv_async_send(&queue->wake);
    uv_thread_join(&queue->thread);
    uv_loop_close(&queue->loop);
    uv_mutex_destroy(&queue->lock);
    free(queue->tasks);
    free(queue->running);
    free(queue);
}

#define CONTENDER_COPIES
static void contender_async(contender_queue_t queue, const bench_task_t *task) {
    uv_mutex_lock(&queue->lock);
    if (queue->count == queue->room) {
        queue->room = queue->room ? 2 * queue->room : 64;
        queue->tasks = (bench_task_t *)realloc(queue->tasks, queue->room * sizeof *queue->tasks);
    }
    queue->tasks[queue->count++] = *task;
    bool first = queue->count == 1;
    uv_mutex_unlock(&queue->lock);
    if (first) uv_async_send(&queue->wake);
}

typedef struct waited {
    const bench_task_t *task;
    uv_sem_t done;
} waited_t;

static void run_and_post(void *context) {
    waited_t *waited = (waited_t *)context;
    waited->task->function(waited->task->context);
    uv_sem_post(&waited->done);
}

static void contender_sync(contender_queue_t queue, const bench_task_t *task) {
    static _Thread_local waited_t *waited; /* never freed: uv_sem_post may still be at its end */
    if (!waited) {
        waited = (waited_t *)calloc(1, sizeof *waited);
        uv_sem_init(&waited->done, 0);
    }
    waited->task = task;
    contender_async(queue, &(bench_task_t){ run_and_post, waited });
    uv_sem_wait(&waited->done);
}

static void contender_async_wait(contender_queue_t queue, const bench_task_t *task) { contender_sync(queue, task); }

#define CONTENDER_HAS_TIMERS
typedef struct timer {
    uv_timer_t timer;
    bench_task_t task, gone;
} *contender_timer_t;

/* The main thread's, which no queue uses. */
static uv_loop_t *timers_loop(void) {
    static uv_loop_t *loop;
    if (!loop) loop = uv_default_loop();
    return loop;
}

static void timer_fires(uv_timer_t *handle) {
    contender_timer_t timer = (contender_timer_t)handle;
    timer->task.function(timer->task.context);
}

static void timer_is_closed(uv_handle_t *handle) {
    contender_timer_t timer = (contender_timer_t)handle;
    if (timer->gone.function) timer->gone.function(timer->gone.context);
    free(timer);
}

static contender_timer_t contender_timer_start(contender_queue_t queue, uint64_t nanoseconds, const bench_task_t *task,
                                               const bench_task_t *gone) {
    contender_timer_t timer = (contender_timer_t)malloc(sizeof *timer);
    (void)queue;
    uv_timer_init(timers_loop(), &timer->timer);
    timer->task = *task;
    timer->gone = *gone;
    uv_timer_start(&timer->timer, timer_fires, nanoseconds / 1000000, 0);
    return timer;
}

static void contender_timer_end(contender_timer_t timer) {
    uv_timer_stop(&timer->timer);
    uv_close((uv_handle_t *)timer, timer_is_closed);
}

static void contender_timers_ended(void) { uv_run(timers_loop(), UV_RUN_NOWAIT); }

static void contender_after(contender_queue_t queue, uint64_t nanoseconds, const bench_task_t *task) {
    (void)contender_timer_start(queue, nanoseconds, task, task);
    uv_run(timers_loop(), UV_RUN_ONCE);
}

#include "scenarios.h"

/* ways.c: one call of each way, for `Benchmarks/ways/run`, which counts the functions that it passes. `ways WAY`. */
#include <serial_queue.h>

#include <pthread.h>
#include <string.h>
#include <time.h>

static void rest(long milliseconds) { nanosleep(&(struct timespec){ .tv_nsec = milliseconds * 1000000 }, NULL); }

static void task(void *context) { (void)context; }
static void long_task(void *context) {
    (void)context;
    rest(300);
}

/* The queue runs a task, and another one waits. */
static void make_busy(sq_queue_t *queue) {
    (void)sq_async(queue, long_task, NULL);
    rest(50);
    (void)sq_async(queue, task, NULL);
}

/* The measured call is not the thread's first wait. */
static void sync_once(sq_queue_t *queue) {
    make_busy(queue);
    (void)sq_sync(queue, task, NULL);
    make_busy(queue);
    (void)sq_sync_until(queue, SQ_FOREVER, task, NULL);
}

/* sq_async_task and sq_sync_until: nothing else here calls them. */
static void async_once(sq_queue_t *queue) { (void)sq_async_task(queue, &(sq_task_t){ .run = task }); }

/* The second member, with sq_group_async_task. */
static void group_once(sq_queue_t *queue) {
    sq_group_t *group = sq_group_create("group");
    (void)sq_group_async(group, queue, task, NULL);
    rest(100);
    (void)sq_group_async_task(group, queue, &(sq_task_t){ .run = task });
    rest(200);
    sq_group_release(group);
}

int main(int count, char **words) {
    const char *way = count > 1 ? words[1] : "";
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = strncmp(way, "group", 5) == 0 ? sq_pool_create("pool", NULL) : NULL;
    options.width = strcmp(way, "group-concurrent") == 0 ? SQ_WIDTH_POOL : 1;
    sq_queue_t *queue = sq_queue_create("way", &options);
    (void)sq_async(queue, task, NULL);
    rest(200);
    if (strcmp(way, "async-busy") == 0) {
        make_busy(queue);
    }
    if (strcmp(way, "sync") == 0) {
        sync_once(queue);
    } else if (options.pool == NULL) {
        async_once(queue);
    } else {
        group_once(queue);
    }
    rest(400);
    return 0;
}

/* consumer.c: a program that knows the library only as it is installed. It uses a function of each header, so that one
 * that was not installed, or a name that the shared library does not show, breaks the build. */
#include <serial_queue.h>

#include <stdio.h>
#include <string.h>

typedef struct store {
    sq_queue_t *queue;
    unsigned long total;
    int deadlock;
} store_t;

static void add_one(void *context) { ((store_t *)context)->total += 1; }

static void try_deadlock(void *context) {
    store_t *store = context;
    store->deadlock = sq_sync(store->queue, add_one, store) != 0 && strstr(sq_deadlock_report(), "store") != NULL
                   && sq_current_queue() == store->queue && sq_is_current(store->queue)
                   && sq_sync_or_run(store->queue, add_one, store) == 0;
}

int main(int count, char **words) {
    if (count > 1 && strcmp(words[1], "version") == 0) {
        puts(sq_version());
        return sq_error_text(0)[0] == '\0';
    }
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    store_t store = { sq_queue_create("store", &options), 0, 0 };
    sq_task_t task = { add_one, &store, NULL };
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    if (store.queue == NULL || sq_async(store.queue, add_one, &store) != 0 || sq_async_task(store.queue, &task) != 0
        || sq_sync(store.queue, try_deadlock, &store) != 0) {
        return 1;
    }
    sq_queue_stats(store.queue, &stats);
    printf("%s: %lu, %lu, %d\n", sq_queue_label(store.queue), store.total, (unsigned long)stats.ran, store.deadlock);
    int failed = store.total != 3 || stats.ran != 3 || !store.deadlock || sq_queue_depth(store.queue) != 0;
    sq_queue_release(sq_queue_retain(store.queue));
    sq_queue_release(store.queue);
    return failed;
}

/* program.c: passes the points that check.py stops at, each with what it says about its arguments. */
#include "serial_queue.h"

#include <stddef.h>

static int saved;

static void save(void *context) { *(int *)context += 1; }

static void load(void *context) { (void)context; }

int main(void) {
    sq_queue_t *store = sq_queue_create("com.example.store", NULL);
    if (store == NULL || sq_async(store, save, &saved) != 0 || sq_suspend(store) != 0 || sq_resume(store) != 0
        || sq_shutdown(store, SQ_SHUTDOWN_DRAIN, SQ_FOREVER) != 0) {
        return 2;
    }
    sq_queue_release(store);
    sq_queue_t *cache = sq_queue_create("com.example.cache", NULL);
    if (cache == NULL || sq_sync(cache, load, &saved) != 0) {
        return 2;
    }
    sq_queue_release(cache);
    return 0;
}

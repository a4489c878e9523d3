/* waiter.c: threads that wait in a sync for a queue that is held or suspended. */
#include "drive.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_t threads[OPERATIONS];
static bool started[OPERATIONS];

static void *wait_in_sync(void *context) {
    int id = id_of(context), queue = drive.program->operations[id].queue;
    int error = sq_sync(drive.queues[queue], task_runs, context);
    drive_lock();
    if (error == ESHUTDOWN) {
        model_take_back(&model_queues[queue], id, DISCARDED);
    } else if (error != 0 || model_fates[id] != RAN) {
        model_fails(id, "a waiting sync returned %d, its fate is %d", error, model_fates[id]);
    }
    drive.waiting[id] = false;
    drive.waiters[queue] -= 1;
    drive_wake();
    drive_unlock();
    return NULL;
}

/* The model adds the waiter before its thread starts, because the queue keeps it waiting in any case. */
void waiter_start(int id) {
    int queue = drive.program->operations[id].queue;
    drive_lock();
    model_accept(&model_queues[queue], id, SYNC_CALLER);
    drive.waiting[id] = true;
    drive.waiters[queue] += 1;
    size_t depth = model_queues[queue].depth;
    drive_unlock();
    started[id] = pthread_create(&threads[id], NULL, wait_in_sync, (void *)&drive.program->operations[id]) == 0;
    if (!started[id]) {
        model_fails(id, "no thread for a waiter");
    }
    time_t began = drive_now();
    while (sq_queue_depth(drive.queues[queue]) < depth) {
        if (drive_now() - began > 30) {
            model_fails(id, "after half a minute a waiting sync is still not in the queue");
        }
        nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
    }
}

void waiter_end_all(void) {
    for (int id = 0; id < OPERATIONS; id += 1) {
        if (started[id]) {
            pthread_join(threads[id], NULL);
            started[id] = false;
        }
    }
}

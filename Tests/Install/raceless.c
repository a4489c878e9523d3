/* raceless.c: a program without a race, for ThreadSanitizer. All its accesses are ordered by the queue alone. */
#include <serial_queue.h>

#include <pthread.h>
#include <stdlib.h>

enum { ROUNDS = 200 };

typedef struct shared {
    sq_queue_t *queue;
    long count; /* by tasks alone */
} shared_t;

static void add(void *context) { ((shared_t *)context)->count += 1; }

static void add_given(void *context) {
    shared_t **given = context; /* written by the submitter, freed by the task */
    (*given)->count += 1;
    free(given);
}

static void *submit(void *context) {
    shared_t *shared = context;
    for (int i = 0; i < ROUNDS; i += 1) {
        shared_t **given = malloc(sizeof *given);
        *given = shared;
        if (sq_async(shared->queue, add_given, given) != 0 || sq_sync(shared->queue, add, shared) != 0
            || sq_run_and_wait(shared->queue, SQ_FOREVER, add, shared) != 0) {
            abort();
        }
    }
    return NULL;
}

int main(void) {
    shared_t *shared = calloc(1, sizeof *shared);
    pthread_t threads[2];
    shared->queue = sq_queue_create("shared", NULL);
    for (int i = 0; i < 2; i += 1) {
        pthread_create(&threads[i], NULL, submit, shared);
    }
    for (int i = 0; i < 2; i += 1) {
        pthread_join(threads[i], NULL);
    }
    int failed = sq_async(shared->queue, add, shared) != 0 || sq_shutdown(shared->queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER) != 0;
    failed |= shared->count != 2 * 3 * ROUNDS + 1;
    sq_queue_release(shared->queue);
    free(shared);
    return failed;
}

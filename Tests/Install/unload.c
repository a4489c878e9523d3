/* unload.c LIBRARY: loads the library, uses it, ends all that it made, and unloads it. Threads of the library that are on their
 * way out, the ends of threads that waited in it, and forks must not find its code gone. */
#define _GNU_SOURCE 1
#include <serial_queue.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALL(name) (*(__typeof__(name) **)found(#name))

static void *library;
static sq_queue_t *queue;
static pthread_barrier_t steps;

static void **found(const char *name) {
    static _Thread_local void *address;
    address = dlsym(library, name);
    if (address == NULL) {
        puts(dlerror());
        exit(1);
    }
    return &address;
}

static void nothing(void *unused) { (void)unused; }
static void slow(void *unused) {
    (void)unused;
    usleep(2000);
}

static void *waiter(void *unused) {
    int error = CALL(sq_sync)(queue, nothing, NULL); /* behind the slow task: it waits, and so has something to end with */
    pthread_barrier_wait(&steps);
    pthread_barrier_wait(&steps); /* the library is unloaded */
    (void)unused;
    return error ? &queue : NULL;
}

int main(int count, char **words) {
    pthread_t thread;
    void *failed = NULL;
    library = count == 2 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        return 1;
    }
    pthread_barrier_init(&steps, NULL, 2);
    queue = CALL(sq_queue_create)("plugin", NULL);
    int error = CALL(sq_async)(queue, slow, NULL);
    error |= CALL(sq_async_after)(queue, 1000, nothing, NULL);
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_barrier_wait(&steps);
    error |= CALL(sq_shutdown)(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
    CALL(sq_queue_release)(queue);
    dlclose(library);
    pthread_barrier_wait(&steps);
    pthread_join(thread, &failed);
    usleep(300000); /* longer than any thread of the library stays */
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return error || failed != NULL || status != 0;
}

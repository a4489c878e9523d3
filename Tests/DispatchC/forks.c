/* forks.c: forks while other threads are inside the library. The child has queues, sources, specifics and onces of its own; the global queues and the main queue
 * are there, too. Each child ends by itself, or is killed after 20 seconds. */
#include <dispatch/dispatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUSY = 2, CHILDREN = 40 };

static const char key;
static atomic_bool stops;

static void nothing(void *unused) {
    (void)unused;
}

static void add_one(void *count) {
    atomic_fetch_add((atomic_int *)count, 1);
}

static void *use_all(void *unused) {
    (void)unused;
    while (!stops) {
        dispatch_queue_t queue = dispatch_queue_create("busy", NULL);
        dispatch_object_t object = { ._dq = queue };
        dispatch_suspend(object);
        dispatch_resume(object);
        dispatch_queue_set_specific(queue, &key, &stops, nothing);
        dispatch_sync_f(queue, NULL, nothing);
        dispatch_async_f(dispatch_get_global_queue(0, 0), NULL, nothing);
        dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
        dispatch_source_set_event_handler_f(source, nothing);
        dispatch_activate(source);
        dispatch_release(source);
        dispatch_release(queue);
    }
    return NULL;
}

/* The parent's group has a member, which never leaves in the child. */
static dispatch_group_t parents_group;

static void stop_with_success(void *unused) {
    (void)unused;
    _exit(0);
}

static void fired(void *semaphore) {
    dispatch_semaphore_signal((dispatch_semaphore_t)semaphore);
}

static void live_as_child(void) {
    static dispatch_once_t once;
    atomic_int count = 0;
    alarm(20);
    dispatch_release(parents_group);
    dispatch_queue_t queue = dispatch_queue_create("child", NULL);
    dispatch_group_t group = dispatch_group_create();
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
    dispatch_queue_set_specific(queue, &key, &count, NULL);
    dispatch_group_async_f(group, queue, &count, add_one);
    dispatch_group_async_f(group, dispatch_get_global_queue(0, 0), &count, add_one);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_sync_f(queue, &count, add_one);
    dispatch_once_f(&once, &count, add_one);
    dispatch_set_context(source, semaphore);
    dispatch_source_set_event_handler_f(source, fired);
    dispatch_source_set_timer(source, DISPATCH_TIME_NOW, DISPATCH_TIME_FOREVER, 0);
    dispatch_activate(source);
    dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
    if (count != 4 || dispatch_queue_get_specific(queue, &key) != &count) {
        _exit(1);
    }
    dispatch_async_f(dispatch_get_main_queue(), NULL, stop_with_success);
    dispatch_main();
}

int main(void) {
    pthread_t busy[BUSY];
    int failed = 0;
    parents_group = dispatch_group_create();
    dispatch_group_enter(parents_group);
    dispatch_async_f(dispatch_get_main_queue(), NULL, nothing); /* so the parent has that queue, too */
    for (int i = 0; i < BUSY; i += 1) {
        pthread_create(&busy[i], NULL, use_all, NULL);
    }
    for (int i = 0; i < CHILDREN; i += 1) {
        pid_t child = fork();
        if (child == 0) {
            live_as_child();
        }
        int status;
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            failed += 1;
            fprintf(stderr, "child %d ended with status %#x\n", i, status);
        }
    }
    dispatch_group_leave(parents_group);
    dispatch_release(parents_group);
    stops = true;
    for (int i = 0; i < BUSY; i += 1) {
        pthread_join(busy[i], NULL);
    }
    return failed != 0;
}

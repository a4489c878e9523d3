/* reported.c: a program with deadlocks and stalls of several kinds, whose reports its library writes. Ends when all were reported. */
#include "serial_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(condition) ((condition) ? (void)0 : (fprintf(stderr, "reported.c:%d: not %s\n", __LINE__, #condition), exit(2)))

enum { TIME = 1000000 }; /* nanoseconds */

static sq_queue_t *first, *second;
static sq_semaphore_t *both, *met, *reported, *leave;
static sq_once_t once = SQ_ONCE_INIT;
static atomic_int refused;

static void nothing(void *unused) { (void)unused; }

static void sync_onto_own(void *queue) { MUST(sq_sync(queue, nothing, NULL) == EDEADLK); }

static void call_once(void *unused) { MUST(unused == NULL && sq_once(&once, call_once, NULL) == EDEADLK); }

static void wait_for_member(void *queue) {
    sq_group_t *group = sq_group_create(NULL);
    MUST(sq_group_async(group, queue, nothing, NULL) == 0 && sq_group_wait(group, SQ_FOREVER) == EDEADLK);
    sq_group_release(group);
}

/* Each has its queue before one of them waits. */
static void sync_onto(void *other) {
    MUST(sq_semaphore_signal(other == second ? both : met) == 0);
    MUST(sq_semaphore_wait(other == second ? met : both, SQ_FOREVER) == 0);
    int error = sq_sync(other, nothing, NULL);
    MUST(error == 0 || error == EDEADLK);
    refused += error == EDEADLK;
}

static void *run_first(void *unused) {
    MUST(sq_sync(first, sync_onto, second) == 0);
    return unused;
}

static void stalled(void *kind, const sq_stall_t *stall) {
    if (stall->kind == *(const sq_stall_kind_t *)kind) {
        MUST(sq_semaphore_signal(reported) == 0);
    }
}

static void watch(sq_queue_t *queue, sq_stall_kind_t kind) {
    static sq_stall_kind_t kinds[] = { SQ_STALL_RUNNING, SQ_STALL_WAITING };
    MUST(sq_queue_watch(queue, TIME, &(sq_watcher_t){ .stalled = stalled, .context = &kinds[kind] }) == 0);
}

static void wait_to_leave(void *unused) { MUST(unused == NULL && sq_semaphore_wait(leave, SQ_FOREVER) == 0); }

static void deadlock(void) {
    pthread_t thread;
    sq_queue_t *narcissus = sq_queue_create("quote \" and \\ and \033", NULL), *mine = sq_queue_create("mine", NULL);
    MUST(sq_sync(narcissus, sync_onto_own, narcissus) == 0);
    MUST(sq_once(&once, call_once, NULL) == 0);
    MUST(sq_sync(mine, wait_for_member, mine) == 0);
    MUST(pthread_create(&thread, NULL, run_first, NULL) == 0);
    MUST(sq_sync(second, sync_onto, first) == 0);
    MUST(pthread_join(thread, NULL) == 0 && refused == 1);
}

static void stall(void) {
    sq_queue_t *slow = sq_queue_create("slow", NULL), *paused = sq_queue_create("paused", NULL);
    watch(slow, SQ_STALL_RUNNING);
    MUST(sq_async(slow, wait_to_leave, NULL) == 0 && sq_semaphore_wait(reported, SQ_FOREVER) == 0);
    watch(paused, SQ_STALL_WAITING);
    MUST(sq_suspend(paused) == 0 && sq_async(paused, nothing, NULL) == 0 && sq_semaphore_wait(reported, SQ_FOREVER) == 0);
    MUST(sq_resume(paused) == 0 && sq_semaphore_signal(leave) == 0 && sq_sync(slow, nothing, NULL) == 0);
}

int main(void) {
    first = sq_queue_create("first", NULL);
    second = sq_queue_create("second", NULL);
    both = sq_semaphore_create("both", 0);
    met = sq_semaphore_create("met", 0);
    reported = sq_semaphore_create("reported", 0);
    leave = sq_semaphore_create("leave", 0);
    deadlock();
    stall();
}

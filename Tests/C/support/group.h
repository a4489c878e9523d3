/* group.h: groups, queues on pools, and threads that wait for a group. Everything is static: a program has what it uses. */
#ifndef GROUP_H
#define GROUP_H

#include "caller.h"

static inline sq_group_t *make(void) {
    sq_group_t *group = sq_group_create("members");
    REQUIRE(group != NULL);
    return group;
}

static inline sq_pool_t *make_pool(void) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = 2;
    sq_pool_t *pool = sq_pool_create("pool", &options);
    REQUIRE(pool != NULL);
    return pool;
}

static inline sq_queue_t *make_queue_on(sq_pool_t *pool, const char *label) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    sq_queue_t *queue = sq_queue_create(label, &options);
    REQUIRE(queue != NULL);
    return queue;
}

/* Threads that wait. */
typedef struct waiter {
    sq_group_t *group;
    sq_time_t deadline;
    int error;
    pthread_t thread;
    atomic_int thread_id;
} waiter_t;

static void *waiter_main(void *argument) {
    waiter_t *waiter = argument;
    waiter->thread_id = gettid();
    waiter->error = sq_group_wait(waiter->group, waiter->deadline);
    return NULL;
}

static inline void waiter_start(waiter_t *waiter, sq_group_t *group, sq_time_t deadline) {
    *waiter = (waiter_t){ group, deadline, -1, 0, 0 };
    waiter->thread = spawn(waiter_main, waiter);
    wait_until_asleep(&waiter->thread_id);
}

static inline int waiter_end(waiter_t *waiter) {
    join(waiter->thread);
    return waiter->error;
}

#endif

/* deadlock_random_test.c: a random load that has deadlocks. Each is named, so no thread hangs: the watchdog would end the test. Tasks on
 * serial and concurrent queues wait for tasks of any queue: for their turns as readers and as barriers, for groups and for items. */
#include "concurrent.h"

#include "sq_group.h"
#include "sq_item.h"

#include <stdlib.h>

enum { QUEUES = 4, DRIVERS = 3, DEEPEST = 3 };

typedef struct load {
    sq_queue_t *queues[QUEUES];
    atomic_size_t number, deadlocks, waits, tasks; /* tasks: that have not ended */
    size_t each;
} load_t;

typedef struct journey {
    load_t *load;
    random_stream_t random;
    unsigned depth;
} journey_t;

static void travel(void *context);

static void travel_and_free(void *context) {
    journey_t *journey = context;
    travel(journey);
    journey->load->tasks -= 1;
    free(journey);
}

static sq_task_t task_of_next(journey_t *journey) {
    journey_t *next = malloc(sizeof *next);
    REQUIRE(next != NULL);
    *next = (journey_t){ journey->load, random_start(random_below(&journey->random, UINT32_MAX)), journey->depth + 1 };
    journey->load->tasks += 1;
    return (sq_task_t){ travel_and_free, next, NULL };
}

static sq_queue_t *any_queue(journey_t *journey) { return journey->load->queues[random_below(&journey->random, QUEUES)]; }

/* Each returns what the wait has returned. */
static int by_sync(journey_t *journey) {
    journey_t next = { journey->load, random_start(random_below(&journey->random, UINT32_MAX)), journey->depth + 1 };
    switch (random_below(&journey->random, 4)) {
    case 0:
        return sq_sync_barrier(any_queue(journey), travel, &next);
    case 1:
        return sq_run_and_wait(any_queue(journey), SQ_FOREVER, travel, &next);
    default:
        return sq_sync(any_queue(journey), travel, &next);
    }
}

static int by_group(journey_t *journey) {
    sq_group_t *group = sq_group_create("group");
    for (size_t members = 1 + random_below(&journey->random, 2); members > 0; members -= 1) {
        sq_task_t task = task_of_next(journey);
        REQUIRE(sq_group_async_task(group, any_queue(journey), &task) == 0);
    }
    int error = sq_group_wait(group, SQ_FOREVER);
    sq_group_release(group);
    return error;
}

static int by_item(journey_t *journey) {
    sq_task_t task = task_of_next(journey);
    sq_item_t *item = sq_item_create("item", &task);
    CHECK_EQUAL(sq_item_submit(item, any_queue(journey)), 0);
    int error = sq_item_wait(item, SQ_FOREVER);
    sq_item_release(item);
    return error;
}

static int by_barrier_ahead(journey_t *journey) {
    sq_task_t task = task_of_next(journey);
    CHECK_EQUAL(sq_async_barrier_task(any_queue(journey), &task), 0);
    return 0;
}

static void travel(void *context) {
    static int (*const ways[])(journey_t *) = { by_sync, by_sync, by_group, by_item, by_barrier_ahead };
    journey_t *journey = context;
    while (journey->depth < DEEPEST && random_below(&journey->random, 3) != 0) {
        int error = ways[random_below(&journey->random, sizeof ways / sizeof ways[0])](journey);
        CHECK(error == 0 || error == EDEADLK);
        journey->load->waits += 1;
        journey->load->deadlocks += error == EDEADLK;
    }
}

static void *drive(void *argument) {
    load_t *load = argument;
    random_stream_t random = random_start(70 + atomic_fetch_add(&load->number, 1));
    for (size_t i = 0; i < load->each; i += 1) {
        journey_t journey = { load, random_start(random_below(&random, UINT32_MAX)), 0 };
        travel(&journey);
    }
    return NULL;
}

TEST(each_deadlock_of_a_random_load_is_named) {
    load_t load = { .each = scaled(2000) };
    pthread_t threads[DRIVERS];
    for (size_t i = 0; i < QUEUES; i += 1) {
        load.queues[i] = i % 2 ? make_queue_of("serial", 0) : make_concurrent(2, SQ_WIDTH_POOL);
    }
    for (size_t i = 0; i < DRIVERS; i += 1) {
        threads[i] = spawn(drive, &load);
    }
    for (size_t i = 0; i < DRIVERS; i += 1) {
        join(threads[i]);
    }
    while (load.tasks > 0) { /* they may submit others */
        sched_yield();
    }
    for (size_t i = 0; i < QUEUES; i += 1) {
        CHECK_EQUAL(sq_shutdown(load.queues[i], SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        sq_queue_release(load.queues[i]);
    }
    note("%zu waits, %zu deadlocks", (size_t)load.waits, (size_t)load.deadlocks);
    CHECK(load.deadlocks > 0);
}

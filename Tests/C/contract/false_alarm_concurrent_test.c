/* false_alarm_concurrent_test.c: no wait in tasks of concurrent queues gets EDEADLK if it is in no cycle. Queues in an order, serial and
 * concurrent ones in turn; tasks wait for tasks of later queues only, in every way there is: for their turns as readers and as barriers,
 * for groups, items, permits and timers. With DEADLOCK_SECONDS=600 it takes that long (make check-deadlock). */
#include "concurrent.h"

#include "repeat.h"
#include "sq_group.h"
#include "sq_item.h"
#include "sq_semaphore.h"
#include "sq_timer.h"

#include <stdlib.h>

enum { QUEUES = 8, DRIVERS = 4 };

typedef struct load {
    sq_queue_t *queues[QUEUES];
    atomic_size_t number, operations;
    size_t each;
} load_t;

typedef struct journey {
    load_t *load;
    random_stream_t random;
    size_t from; /* the queues from here on may be entered */
    unsigned depth;
    sq_semaphore_t *permits; /* gets one at the end; NULL: none does */
} journey_t;

static void travel(void *context);

/* An async task that travels. It is its own. */
static void free_journey(void *context) {
    journey_t *journey = context;
    sq_semaphore_release(journey->permits);
    free(journey);
}

static void travel_and_free(void *context) {
    journey_t *journey = context;
    travel(journey);
    if (journey->permits != NULL) {
        CHECK_EQUAL(sq_semaphore_signal(journey->permits), 0);
    }
    free_journey(journey);
}

static journey_t *next_journey(journey_t *journey, size_t queue) {
    journey_t *next = malloc(sizeof *next);
    REQUIRE(next != NULL);
    *next = (journey_t){ journey->load, random_start(random_below(&journey->random, UINT32_MAX)), queue + 1, journey->depth + 1, NULL };
    return next;
}

static sq_task_t task_of(journey_t *journey) { return (sq_task_t){ travel_and_free, journey, free_journey }; }

/* The ways to wait for a task of a queue. Each returns what the wait has returned. */
typedef int (*way_to_wait_t)(journey_t *journey, size_t queue, sq_time_t deadline);

static sq_queue_t *queue_at(const journey_t *journey, size_t queue) { return journey->load->queues[queue]; }

static int by_sync(journey_t *journey, size_t queue, sq_time_t deadline) {
    journey_t next = *journey;
    next.from = queue + 1;
    next.depth += 1;
    sq_time_t never = SQ_FOREVER;
    bool is_barrier = random_below(&journey->random, 4) == 0, is_call = random_below(&journey->random, 4) == 0;
    return is_barrier ? sq_sync_barrier_until(queue_at(journey, queue), deadline, travel, &next)
           : is_call  ? sq_run_and_wait(queue_at(journey, queue), never, travel, &next)
                      : sq_sync_until(queue_at(journey, queue), deadline, travel, &next);
}

static int by_group(journey_t *journey, size_t queue, sq_time_t deadline) {
    sq_group_t *group = sq_group_create("group");
    for (size_t members = 1 + random_below(&journey->random, 2), at = queue; members > 0 && at < QUEUES; members -= 1, at += 1) {
        sq_task_t task = task_of(next_journey(journey, at));
        REQUIRE(sq_group_async_task(group, queue_at(journey, at), &task) == 0);
    }
    int error = sq_group_wait(group, deadline);
    sq_group_release(group);
    return error;
}

static int by_item(journey_t *journey, size_t queue, sq_time_t deadline) {
    sq_task_t task = task_of(next_journey(journey, queue));
    sq_item_t *item = sq_item_create("item", &task);
    CHECK_EQUAL(sq_item_submit(item, queue_at(journey, queue)), 0);
    int error = sq_item_wait(item, deadline);
    sq_item_release(item);
    return error;
}

static int by_permit(journey_t *journey, size_t queue, sq_time_t deadline) {
    sq_semaphore_t *permits = sq_semaphore_create("permits", 0);
    journey_t *next = next_journey(journey, queue);
    next->permits = sq_semaphore_retain(permits);
    sq_task_t task = task_of(next);
    bool is_barrier = random_below(&journey->random, 4) == 0;
    REQUIRE((is_barrier ? sq_async_barrier_task : sq_async_task)(queue_at(journey, queue), &task) == 0);
    int error = sq_semaphore_wait(permits, deadline);
    sq_semaphore_release(permits);
    return error;
}

static int by_timer(journey_t *journey, size_t queue, sq_time_t deadline) {
    journey_t *next = next_journey(journey, queue);
    sq_timer_t *timer = sq_timer_create(queue_at(journey, queue), &(sq_task_t){ travel, next, free });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 0, 0, 0), 0);
    int error = random_below(&journey->random, 2) ? 0 : sq_sync_until(queue_at(journey, queue), deadline, do_nothing, NULL);
    error = error == EDEADLK ? error : sq_timer_cancel_and_wait(timer, deadline);
    sq_timer_release(timer);
    return error;
}

static void step(journey_t *journey, size_t queue) {
    static const way_to_wait_t ways[] = { by_sync, by_sync, by_group, by_item, by_permit, by_timer };
    sq_time_t deadline = random_below(&journey->random, 2) ? SQ_FOREVER : sq_deadline(random_below(&journey->random, 50000));
    int error = ways[random_below(&journey->random, sizeof ways / sizeof ways[0])](journey, queue, deadline);
    journey->load->operations += 1;
    CHECK(error == 0 || (error == ETIMEDOUT && deadline != SQ_FOREVER) || error == EDEADLK);
    if (!CHECK(error != EDEADLK)) {
        note("%s", sq_deadlock_report());
    }
}

static void travel(void *context) {
    journey_t *journey = context;
    while (journey->from < QUEUES && journey->depth < 4 && random_below(&journey->random, 3) != 0) {
        size_t queue = journey->from + random_below(&journey->random, QUEUES - journey->from);
        step(journey, queue);
        journey->from = random_below(&journey->random, 2) ? journey->from : queue + 1;
    }
}

static void *drive(void *argument) {
    load_t *load = argument;
    random_stream_t random = random_start(90 + atomic_fetch_add(&load->number, 1));
    for (size_t i = 0; i < load->each; i += 1) {
        journey_t journey = { load, random_start(random_below(&random, UINT32_MAX)), 0, 0, NULL };
        travel(&journey);
    }
    return NULL;
}

static size_t run_load(size_t each) {
    load_t load = { .each = each };
    pthread_t threads[DRIVERS];
    for (size_t i = 0; i < QUEUES; i += 1) {
        load.queues[i] = i % 3 == 2 ? make_queue_of("serial", 0) : make_concurrent(2, i % 3 == 0 ? SQ_WIDTH_POOL : 3);
    }
    for (size_t i = 0; i < DRIVERS; i += 1) {
        threads[i] = spawn(drive, &load);
    }
    for (size_t i = 0; i < DRIVERS; i += 1) {
        join(threads[i]);
    }
    for (size_t i = 0; i < QUEUES; i += 1) { /* what is left travels upwards */
        CHECK_EQUAL(sq_sync_barrier(load.queues[i], do_nothing, NULL), 0);
    }
    for (size_t i = 0; i < QUEUES; i += 1) {
        CHECK_EQUAL(sq_shutdown(load.queues[i], SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        CHECK_EQUAL(stats_now(load.queues[i]).depth, 0);
        sq_queue_release(load.queues[i]);
    }
    return load.operations;
}

TEST(tasks_that_wait_for_later_queues_only_never_deadlock) {
    repeat_load("a mixed load of nested waits", run_load, scaled(2000));
}

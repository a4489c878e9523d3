/* false_alarm_test.c: a wait that is in no cycle never gets EDEADLK: not if it waits for a thread of a cycle, nor for a queue that
 * any thread can resume, nor in any number of waits nested in one order. With DEADLOCK_SECONDS=600 the last test takes that long
 * (make check-deadlock). */
#include "caller.h"
#include "inject.h"
#include "repeat.h"

#include <stdlib.h>

/* Others that wait for a queue of the circle are not part of it: they are not refused, and get their turns. Some are there before
 * it closes, from outside of any task and from a task of a queue of their own. */
typedef struct bystander {
    sq_queue_t *own, *awaited;
    size_t ran;
    atomic_int thread_id;
} bystander_t;

static void stand_by(void *context) {
    bystander_t *bystander = context;
    bystander->thread_id = gettid();
    CHECK_EQUAL(sq_sync(bystander->awaited, add_one, &bystander->ran), 0);
}

static void *stand_by_in_a_task(void *argument) {
    bystander_t *bystander = argument;
    CHECK_EQUAL(sq_sync(bystander->own, stand_by, bystander), 0);
    return NULL;
}

typedef struct cross {
    sq_queue_t *mine, *yours;
    latch_t *go;
    latch_t holding;
    int error;
    size_t ran;
} cross_t;

static void cross_over(void *context) {
    cross_t *cross = context;
    latch_bump(&cross->holding);
    latch_wait(cross->go, 1);
    cross->error = sq_sync(cross->yours, add_one, &cross->ran);
}

static void *hold_and_cross(void *argument) {
    cross_t *cross = argument;
    CHECK_EQUAL(sq_sync(cross->mine, cross_over, cross), 0);
    return NULL;
}

TEST(threads_that_wait_for_a_cycle_are_not_part_of_it_and_get_their_turns) {
    for (size_t round = 0; round < scaled(300); round += 1) {
        sq_queue_t *a = make_queue_of("a", 0), *b = make_queue_of("b", 0);
        latch_t go = LATCH_INIT;
        cross_t crosses[2] = { { a, b, &go, LATCH_INIT, -1, 0 }, { b, a, &go, LATCH_INIT, -1, 0 } };
        bystander_t bystander = { make_queue_of("bystander", 0), round % 2 ? a : b, 0, 0 };
        caller_t outsider;
        size_t ran = 0;
        pthread_t threads[3];
        threads[0] = spawn(hold_and_cross, &crosses[0]);
        threads[1] = spawn(hold_and_cross, &crosses[1]);
        latch_wait(&crosses[0].holding, 1);
        latch_wait(&crosses[1].holding, 1);
        threads[2] = spawn(stand_by_in_a_task, &bystander);
        caller_start(&outsider, BY_SYNC, a, SQ_FOREVER, add_one, &ran);
        wait_until_asleep(&outsider.thread_id);
        wait_until_asleep(&bystander.thread_id);
        latch_bump(&go);
        for (int i = 0; i < 3; i += 1) {
            join(threads[i]);
        }
        CHECK_EQUAL(caller_end(&outsider), 0);
        CHECK_EQUAL(ran, 1);
        CHECK_EQUAL(bystander.ran, 1);
        CHECK_EQUAL((crosses[0].error == EDEADLK) + (crosses[1].error == EDEADLK), 1);
        CHECK_EQUAL((crosses[0].error == 0) + (crosses[1].error == 0), 1);
        sq_queue_release(a);
        sq_queue_release(b);
        sq_queue_release(bystander.own);
    }
}

/* No thread holds a suspended queue: a thread that waits for it is in no cycle, because any thread can resume the queue. */
TEST(a_wait_for_a_suspended_queue_is_no_cycle) {
    sq_queue_t *a = make_queue_of("a", 0), *b = make_queue_of("b", 0);
    bystander_t bystander = { a, b, 0, 0 };
    caller_t outsider;
    size_t ran = 0;
    CHECK_EQUAL(sq_suspend(b), 0);
    pthread_t thread = spawn(stand_by_in_a_task, &bystander);
    wait_until_asleep(&bystander.thread_id);
    caller_start(&outsider, BY_SYNC, a, SQ_FOREVER, add_one, &ran);
    wait_until_asleep(&outsider.thread_id);
    CHECK_EQUAL(sq_resume(b), 0);
    join(thread);
    CHECK_EQUAL(caller_end(&outsider), 0);
    CHECK_EQUAL(bystander.ran + ran, 2);
    sq_queue_release(a);
    sq_queue_release(b);
}

/* False alarms. Queues in an order, tasks that nest them in that order only, through every call that waits (a shutdown is
 * final, and left out), with deadlines that pass and that do not; never a circle. */
enum { QUEUES = 8, DRIVERS = 4 };

typedef struct load {
    sq_queue_t *queues[QUEUES];
    atomic_size_t number, false_alarms, operations;
    atomic_bool over;
    size_t each;
} load_t;

typedef struct journey {
    load_t *load;
    random_stream_t random;
    size_t from; /* the queues from here on may be entered */
    unsigned depth;
} journey_t;

static void travel(void *context);

static void step(journey_t *journey, size_t queue) {
    journey_t next = { journey->load, { random_below(&journey->random, UINT32_MAX) }, queue + 1, journey->depth + 1 };
    way_t way = (way_t)random_below(&journey->random, BY_SHUTDOWN);
    sq_time_t deadline = random_below(&journey->random, 2) ? FAR : sq_deadline(random_below(&journey->random, 50000));
    sq_function_t function = way == BY_ROOM ? do_nothing : travel; /* `next` is gone when an async task runs */
    int error = wait_by(way, journey->load->queues[queue], deadline, function, &next);
    journey->load->operations += 1;
    CHECK(error == 0 || error == ETIMEDOUT || error == EDEADLK);
    if (!CHECK(error != EDEADLK)) {
        journey->load->false_alarms += 1;
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

/* An async task that travels; its ticket is its own. */
static void travel_and_free(void *context) {
    travel(context);
    free(context);
}

static void send_traveller(journey_t *journey) {
    size_t queue = random_below(&journey->random, QUEUES);
    journey_t *traveller = malloc(sizeof *traveller);
    REQUIRE(traveller != NULL);
    *traveller = (journey_t){ journey->load, { random_below(&journey->random, UINT32_MAX) }, queue + 1, 1 };
    int error = sq_async_until(journey->load->queues[queue], SQ_FOREVER, &(sq_task_t){ travel_and_free, traveller, free });
    REQUIRE(error == 0);
}

static void *drive(void *argument) {
    load_t *load = argument;
    random_stream_t random = random_start(90 + atomic_fetch_add(&load->number, 1));
    for (size_t i = 0; i < load->each && !load->over; i += 1) {
        journey_t journey = { load, random_start(random_below(&random, UINT32_MAX)), 0, 0 };
        if (i % 8 == 0) {
            send_traveller(&journey);
        }
        travel(&journey);
    }
    return NULL;
}

static size_t run_load(size_t each) {
    load_t load = { .each = each };
    pthread_t threads[DRIVERS];
    for (size_t i = 0; i < QUEUES; i += 1) {
        char label[32];
        snprintf(label, sizeof label, "queue-%zu", i);
        load.queues[i] = make_queue_of(label, 2);
    }
    for (size_t i = 0; i < DRIVERS; i += 1) {
        threads[i] = spawn(drive, &load);
    }
    for (size_t i = 0; i < DRIVERS; i += 1) {
        join(threads[i]);
    }
    for (size_t i = 0; i < QUEUES; i += 1) {
        CHECK_EQUAL(sq_shutdown(load.queues[i], SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        sq_queue_stats_t stats = stats_now(load.queues[i]);
        CHECK_EQUAL(stats.depth, 0);
        CHECK_EQUAL(stats.discarded, 0);
        sq_queue_release(load.queues[i]);
    }
    CHECK_EQUAL(load.false_alarms, 0);
    return load.operations;
}

TEST(tasks_that_nest_their_queues_in_one_order_never_deadlock) {
    repeat_load("a mixed load of nested syncs", run_load, scaled(20000));
}

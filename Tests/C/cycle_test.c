/* cycle_test.c: waits that close a circle over several threads: one that closes it is told, in words, and the others go on.
 * deadlock_test.c has the circles of one thread. With DEADLOCK_SECONDS=600 the last test, for false alarms, lasts that long
 * (make check-deadlock). */
#include "caller.h"
#include "inject.h"

#include <stdlib.h>
#include <time.h>

enum { LONGEST = 5 };

/* A ring of queues, each held by a thread of its own, which then waits for the next one. */
typedef struct circle circle_t;

typedef struct arc {
    circle_t *circle;
    size_t number;
    way_t way;         /* in which it waits for the next queue */
    sq_queue_t *queue; /* which it holds */
    sq_queue_t *inner; /* and perhaps this one, inside: the wait is made there */
    bool by_runner;    /* it is an async task, else a sync */
    int error;         /* of the wait */
    size_t ran;        /* what its predecessor waits to have run */
    char who[80];      /* `"name" (id)` */
    char report[1024];
    pthread_t thread;
} arc_t;

struct circle {
    size_t length;
    arc_t arcs[LONGEST];
    latch_t holding, done;
    sq_time_t deadline;
};

static arc_t *after(arc_t *arc, size_t steps) {
    circle_t *circle = arc->circle;
    return &circle->arcs[(arc->number + steps) % circle->length];
}

static void name_self(arc_t *arc) {
    char name[32];
    if (!arc->by_runner) {
        snprintf(name, sizeof name, "holder %zu", arc->number);
        pthread_setname_np(pthread_self(), name);
    }
    pthread_getname_np(pthread_self(), name, sizeof name);
    snprintf(arc->who, sizeof arc->who, "\"%s\" (%d)", name, (int)gettid());
}

static void wait_for_next(void *context) {
    arc_t *arc = context, *next = after(arc, 1);
    if (arc->way == BY_ROOM) {
        CHECK_EQUAL(sq_async(next->queue, do_nothing, NULL), 0); /* it is held, and now full */
    }
    arc->error = wait_by(arc->way, next->queue, arc->circle->deadline, add_one, &next->ran);
    snprintf(arc->report, sizeof arc->report, "%s", arc->error == EDEADLK ? sq_deadlock_report() : "");
}

static void hold_and_wait(void *context) {
    arc_t *arc = context;
    name_self(arc);
    latch_bump(&arc->circle->holding);
    latch_wait(&arc->circle->holding, arc->circle->length);
    if (arc->inner != NULL) {
        CHECK_EQUAL(sq_sync(arc->inner, wait_for_next, arc), 0);
    } else {
        wait_for_next(arc);
    }
    latch_bump(&arc->circle->done);
}

static void *hold_in_sync(void *argument) {
    arc_t *arc = argument;
    CHECK_EQUAL(sq_sync(arc->queue, hold_and_wait, arc), 0);
    return NULL;
}

/* `way` says how each waits for the next; WAYS: drawn for each. */
static void make_circle(circle_t *circle, size_t length, way_t way, random_stream_t *random) {
    *circle = (circle_t){ .length = length, .holding = LATCH_INIT, .done = LATCH_INIT,
                          .deadline = random_below(random, 2) ? SQ_FOREVER : FAR };
    for (size_t i = 0; i < length; i += 1) {
        char label[32];
        arc_t *arc = &circle->arcs[i];
        *arc = (arc_t){ .circle = circle, .number = i, .error = -1, .by_runner = random_below(random, 4) == 0 };
        arc->way = way < WAYS ? way : (way_t)random_below(random, WAYS);
        snprintf(label, sizeof label, "queue-%zu", i);
        arc->queue = make_queue_of(label, 1);
        if (random_below(random, 4) == 0) {
            snprintf(label, sizeof label, "inner-%zu", i);
            arc->inner = make_queue_of(label, 0);
        }
    }
}

static void run_circle(circle_t *circle) {
    for (size_t i = 0; i < circle->length; i += 1) {
        arc_t *arc = &circle->arcs[i];
        if (arc->by_runner) {
            CHECK_EQUAL(sq_async(arc->queue, hold_and_wait, arc), 0);
        } else {
            arc->thread = spawn(hold_in_sync, arc);
        }
    }
    latch_wait(&circle->done, circle->length);
    for (size_t i = 0; i < circle->length; i += 1) {
        arc_t *arc = &circle->arcs[i];
        if (!arc->by_runner) {
            join(arc->thread);
        }
        CHECK_EQUAL(sq_shutdown(arc->queue, SQ_DRAIN, SQ_FOREVER), 0);
        sq_queue_release(arc->queue);
        sq_queue_release(arc->inner);
    }
}

/* The report begins at the one that gave up and goes around. */
static void check_report(arc_t *victim) {
    const char *at = victim->report;
    for (size_t k = 0; k < victim->circle->length && at != NULL; k += 1) {
        arc_t *arc = after(victim, k);
        char held[48], inner[48], awaited[64];
        snprintf(held, sizeof held, "\"queue-%zu\"", arc->number);
        snprintf(inner, sizeof inner, "\"inner-%zu\"", arc->number);
        snprintf(awaited, sizeof awaited, "waits for queue \"queue-%zu\"", after(arc, 1)->number);
        const char *const words[] = { arc->who, held, arc->inner != NULL ? inner : "", awaited };
        for (size_t i = 0; i < 4 && at != NULL; i += 1) {
            at = strstr(at, words[i]);
            at = at != NULL ? at + strlen(words[i]) : NULL;
        }
    }
    if (!CHECK(at != NULL)) {
        note("%s", victim->report);
    }
}

/* Returns in which way the one waited that was told. */
static way_t check_one_told(circle_t *circle) {
    size_t told = 0;
    way_t way = WAYS;
    for (size_t i = 0; i < circle->length; i += 1) {
        arc_t *arc = &circle->arcs[i];
        CHECK(arc->error == 0 || arc->error == EDEADLK);
        CHECK_EQUAL(after(arc, 1)->ran, arc->error == 0 && arc->way != BY_SHUTDOWN);
        if (arc->error == EDEADLK) {
            told += 1;
            way = arc->way;
            check_report(arc);
        }
    }
    CHECK_EQUAL(told, 1);
    return way;
}

static void check_circles(size_t length, way_t way, size_t rounds) {
    random_stream_t random = random_start(50 + length * 10 + way);
    size_t told[WAYS + 1] = { 0 };
    for (size_t round = 0; round < rounds; round += 1) {
        circle_t circle;
        make_circle(&circle, length, way, &random);
        run_circle(&circle);
        told[check_one_told(&circle)] += 1;
        let_threads_end(16);
    }
    if (way == WAYS) {
        note("told in sync %zu, sync_until %zu, async_and_wait %zu, async_until %zu, shutdown %zu", told[BY_SYNC],
             told[BY_SYNC_UNTIL], told[BY_CALL], told[BY_ROOM], told[BY_SHUTDOWN]);
    }
}

/* 1,000 of each length. To see them fail: in sleep_in_task of wait.c, do not enter the list (the watchdog barks); in
 * sleeper_that_holds of deadlock.c, do not ask whether the wait is open (two are told); in sq__deadlock_enter, look for the
 * circle before the edge is in the list, outside of the lock (a hang). */
TEST(a_circle_of_two_threads_is_told_to_one_of_them_every_time) { check_circles(2, WAYS, scaled(1000)); }
TEST(a_circle_of_three_threads_is_told_to_one_of_them_every_time) { check_circles(3, WAYS, scaled(1000)); }
TEST(a_circle_of_four_threads_is_told_to_one_of_them_every_time) { check_circles(4, WAYS, scaled(1000)); }
TEST(a_circle_of_five_threads_is_told_to_one_of_them_every_time) { check_circles(5, WAYS, scaled(1000)); }

static void check_way(way_t way) {
    for (size_t length = 2; length <= LONGEST; length += 1) {
        check_circles(length, way, scaled(100));
    }
}

TEST(a_circle_of_syncs_is_told) { check_way(BY_SYNC); }
TEST(a_circle_of_syncs_with_deadlines_is_told_before_they_pass) { check_way(BY_SYNC_UNTIL); }
TEST(a_circle_of_calls_is_told) { check_way(BY_CALL); }
TEST(a_circle_of_waits_for_room_is_told) { check_way(BY_ROOM); }
TEST(a_circle_of_shutdowns_is_told) { check_way(BY_SHUTDOWN); }

/* Calls that have begun cannot be given up: who syncs back at the end of a chain of them is told, although it may not be the
 * last to go to sleep. The chain: a task of 0 calls 1, whose function calls 2, ..., whose function syncs onto 0. To see it
 * fail: in break_cycle, look at the first edge alone (the watchdog barks). */
typedef struct chain {
    size_t length;
    sq_queue_t *queues[LONGEST];
    size_t at, told;
} chain_t;

static void call_next(void *context) {
    chain_t *chain = context;
    chain->at += 1;
    if (chain->at < chain->length) {
        CHECK_EQUAL(sq_async_and_wait(chain->queues[chain->at], SQ_FOREVER, call_next, chain), 0);
        return;
    }
    CHECK_EQUAL(sq_sync(chain->queues[0], must_not_run, NULL), EDEADLK);
    chain->told += 1;
    char last[64];
    snprintf(last, sizeof last, "waits for queue \"queue-%zu\"", chain->length - 1);
    CHECK(strstr(sq_deadlock_report(), "waits for queue \"queue-0\"") != NULL);
    CHECK(strstr(sq_deadlock_report(), last) != NULL);
}

TEST(whoever_syncs_back_onto_a_chain_of_calls_that_have_begun_is_told) {
    for (size_t round = 0; round < scaled(1000); round += 1) {
        chain_t chain = { .length = 2 + round % (LONGEST - 1) };
        for (size_t i = 0; i < chain.length; i += 1) {
            char label[32];
            snprintf(label, sizeof label, "queue-%zu", i);
            chain.queues[i] = make_queue_of(label, 0);
        }
        CHECK_EQUAL(round % 2 ? sq_sync(chain.queues[0], call_next, &chain)
                              : sq_async_and_wait(chain.queues[0], SQ_FOREVER, call_next, &chain), 0);
        CHECK_EQUAL(chain.told, 1);
        for (size_t i = 0; i < chain.length; i += 1) {
            sq_queue_release(chain.queues[i]);
        }
        let_threads_end(16);
    }
}

/* Others that wait for a queue of the circle are not part of it: they are not told, and get their turns. Some are there before
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

TEST(those_who_wait_for_a_circle_are_not_part_of_it_and_get_their_turns) {
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

/* A queue that is suspended is nobody's: who waits for it is in no circle, for anybody can resume it. */
TEST(a_wait_for_a_suspended_queue_is_no_circle) {
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
        CHECK_EQUAL(sq_shutdown(load.queues[i], SQ_DRAIN, SQ_FOREVER), 0);
        sq_queue_stats_t stats = stats_now(load.queues[i]);
        CHECK_EQUAL(stats.depth, 0);
        CHECK_EQUAL(stats.discarded, 0);
        sq_queue_release(load.queues[i]);
    }
    CHECK_EQUAL(load.false_alarms, 0);
    return load.operations;
}

/* To see it fail: in sleeper_that_holds of deadlock.c, do not ask whether the wait is open. */
TEST(tasks_that_nest_their_queues_in_one_order_are_never_told_of_a_deadlock) {
    const char *chosen = getenv("DEADLOCK_SECONDS");
    time_t seconds = chosen ? (time_t)strtoul(chosen, NULL, 10) : 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_t end = now.tv_sec + seconds;
    size_t operations = 0;
    do {
        watchdog_watch("a mixed load of nested syncs");
        operations += run_load(scaled(20000));
        let_threads_end(1);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < end);
    note("%zu waiting calls", operations);
}

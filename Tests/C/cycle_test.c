/* cycle_test.c: waits that close a circle over several threads: one that closes it is told, in words, and the others go on.
 * deadlock_test.c has the circles of one thread, false_alarm_test.c what is none. */
#include "caller.h"
#include "inject.h"

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

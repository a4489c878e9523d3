/* cycle_test.c: waits that form a cycle over several threads: the one with the earliest deadline, or else the one that closes
 * the cycle, is refused with a report, and the others continue. cycle_choice_test.c has those in which one wait cannot be refused or
 * has a deadline, deadlock_test.c the cycles of one thread, false_alarm_test.c waits that form none. */
#include "caller.h"

enum { LONGEST = 5, VERY_LONG = 25 };

/* A ring of queues, each held by a thread of its own, which then waits for the next one. */
typedef struct circle circle_t;

typedef struct arc {
    circle_t *circle;
    size_t number;
    way_t way;         /* in which it waits for the next queue */
    sq_time_t deadline;
    sq_queue_t *queue; /* which it holds */
    sq_queue_t *inner; /* and perhaps this one, inside: the wait is made there */
    bool by_runner;    /* it is an async task, else a sync */
    int error;         /* of the wait */
    size_t ran;        /* what its predecessor waits to have run */
    char written[80];     /* `"name" (id)` */
    char report[1024];
    pthread_t thread;
} arc_t;

struct circle {
    size_t length;
    arc_t arcs[VERY_LONG];
    latch_t holding, done;
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
    snprintf(arc->written, sizeof arc->written, "\"%s\" (%d)", name, (int)gettid());
}

static void wait_for_next(void *context) {
    arc_t *arc = context, *next = after(arc, 1);
    if (arc->way == BY_ROOM) {
        CHECK_EQUAL(sq_async(next->queue, do_nothing, NULL), 0); /* it is held, and now full */
    }
    arc->error = wait_by(arc->way, next->queue, arc->deadline, add_one, &next->ran);
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

static sq_time_t deadline_of(way_t way, random_stream_t *random) {
    uint64_t later = random_below(random, 4); /* rarely two equal ones; often one next to a wait without a limit */
    return way == BY_SYNC || later == 0 ? SQ_FOREVER : FAR + later * 1000000000;
}

/* `way` says how each waits for the next; WAYS: drawn for each. */
static void make_circle(circle_t *circle, size_t length, way_t way, random_stream_t *random) {
    *circle = (circle_t){ .length = length, .holding = LATCH_INIT, .done = LATCH_INIT };
    for (size_t i = 0; i < length; i += 1) {
        char label[32];
        arc_t *arc = &circle->arcs[i];
        *arc = (arc_t){ .circle = circle, .number = i, .error = -1, .by_runner = random_below(random, 4) == 0 };
        arc->way = way < WAYS ? way : (way_t)random_below(random, WAYS);
        arc->deadline = deadline_of(arc->way, random);
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
        CHECK_EQUAL(sq_shutdown(arc->queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        sq_queue_release(arc->queue);
        sq_queue_release(arc->inner);
    }
}

/* The report begins at the wait that was refused, and follows the cycle. */
static void check_report(arc_t *victim) {
    const char *at = victim->report;
    for (size_t k = 0; k < victim->circle->length && at != NULL; k += 1) {
        arc_t *arc = after(victim, k);
        char held[48], inner[48], awaited[64];
        snprintf(held, sizeof held, "\"queue-%zu\"", arc->number);
        snprintf(inner, sizeof inner, "\"inner-%zu\"", arc->number);
        snprintf(awaited, sizeof awaited, "waits for queue \"queue-%zu\"", after(arc, 1)->number);
        const char *with_deadline = arc->deadline != SQ_FOREVER ? ", with a deadline" : "";
        const char *const words[] = { arc->written, held, arc->inner != NULL ? inner : "", awaited, with_deadline };
        for (size_t i = 0; i < 5 && at != NULL; i += 1) {
            at = strstr(at, words[i]);
            at = at != NULL ? at + strlen(words[i]) : NULL;
        }
    }
    if (!CHECK(at != NULL)) {
        note("%s", victim->report);
    }
}

/* Returns the way of the wait that was refused. */
static way_t check_one_refused(circle_t *circle) {
    size_t refused = 0;
    arc_t *victim = &circle->arcs[0];
    sq_time_t earliest = SQ_FOREVER;
    for (size_t i = 0; i < circle->length; i += 1) {
        arc_t *arc = &circle->arcs[i];
        CHECK(arc->error == 0 || arc->error == EDEADLK);
        CHECK_EQUAL(after(arc, 1)->ran, arc->error == 0 && arc->way != BY_SHUTDOWN);
        earliest = arc->deadline < earliest ? arc->deadline : earliest;
        if (arc->error == EDEADLK) {
            refused += 1;
            victim = arc;
            if (circle->length <= LONGEST) { /* the report of a longer one is cut */
                check_report(arc);
            }
        }
    }
    CHECK_EQUAL(refused, 1);
    CHECK(victim->deadline == earliest);
    CHECK(circle->length > LONGEST ||
          (strstr(victim->report, "refused, as it has the earliest deadline") != NULL) == (earliest != SQ_FOREVER));
    return victim->way;
}

static void check_circles(size_t length, way_t way, size_t rounds) {
    random_stream_t random = random_start(50 + length * 10 + way);
    size_t refused[WAYS + 1] = { 0 };
    for (size_t round = 0; round < rounds; round += 1) {
        circle_t circle;
        make_circle(&circle, length, way, &random);
        run_circle(&circle);
        refused[check_one_refused(&circle)] += 1;
        let_threads_end(16);
    }
    if (way == WAYS) {
        note("refused in sync %zu, sync_until %zu, run_and_wait %zu, async_until %zu, shutdown %zu", refused[BY_SYNC],
             refused[BY_SYNC_UNTIL], refused[BY_CALL], refused[BY_ROOM], refused[BY_SHUTDOWN]);
    }
}

/* 1,000 of each length. */
TEST(of_a_cycle_of_two_threads_the_earliest_deadline_is_refused) { check_circles(2, WAYS, scaled(1000)); }
TEST(of_a_cycle_of_three_threads_the_earliest_deadline_is_refused) { check_circles(3, WAYS, scaled(1000)); }
TEST(of_a_cycle_of_four_threads_the_earliest_deadline_is_refused) { check_circles(4, WAYS, scaled(1000)); }
TEST(of_a_cycle_of_five_threads_the_earliest_deadline_is_refused) { check_circles(5, WAYS, scaled(1000)); }

TEST(of_a_cycle_of_25_threads_the_earliest_deadline_is_refused) { check_circles(VERY_LONG, WAYS, 3); }

static void check_way(way_t way) {
    for (size_t length = 2; length <= LONGEST; length += 1) {
        check_circles(length, way, scaled(100));
    }
}

TEST(a_cycle_of_syncs_is_refused_once) { check_way(BY_SYNC); }
TEST(a_cycle_of_syncs_with_deadlines_is_refused_once_before_they_pass) { check_way(BY_SYNC_UNTIL); }
TEST(a_cycle_of_calls_is_refused_once) { check_way(BY_CALL); }
TEST(a_cycle_of_waits_for_room_is_refused_once) { check_way(BY_ROOM); }
TEST(a_cycle_of_shutdowns_is_refused_once) { check_way(BY_SHUTDOWN); }

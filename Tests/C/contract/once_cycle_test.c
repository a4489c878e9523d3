/* once_cycle_test.c: two threads, each inside the function of a once or a task, that wait for each other: one of the waits is refused. */
#include "caller.h"
#include "sq_once.h"

/* What one of the two threads does: inside of its own once, or of a task of the queue, it waits for the other. */
typedef struct cross {
    sq_once_t *mine, *others;
    latch_t *inside;
    sq_queue_t *queue; /* that it waits for; NULL: for the other once */
    int error;
    char report[1024];
} cross_t;

static void wait_for_the_other(void *context) {
    cross_t *cross = context;
    latch_bump(cross->inside);
    latch_wait(cross->inside, 2);
    cross->error = cross->queue != NULL ? sq_sync(cross->queue, do_nothing, NULL) : sq_once(cross->others, do_nothing, NULL);
    snprintf(cross->report, sizeof cross->report, "%s", sq_deadlock_report());
}

static void *cross_by_once(void *argument) {
    cross_t *cross = argument;
    CHECK_EQUAL(sq_once(cross->mine, wait_for_the_other, cross), 0);
    return NULL;
}

TEST(a_cycle_of_two_onces_is_refused_for_one_of_them) {
    for (size_t i = 0; i < scaled(200); i += 1) {
        sq_once_t onces[2] = { SQ_ONCE_INIT, SQ_ONCE_INIT };
        latch_t inside = LATCH_INIT;
        cross_t crosses[2] = { { &onces[0], &onces[1], &inside, NULL, -1, "" }, { &onces[1], &onces[0], &inside, NULL, -1, "" } };
        pthread_t threads[2];
        for (int t = 0; t < 2; t += 1) {
            threads[t] = spawn(cross_by_once, &crosses[t]);
        }
        for (int t = 0; t < 2; t += 1) {
            join(threads[t]);
        }
        CHECK_EQUAL((crosses[0].error == EDEADLK) + (crosses[1].error == EDEADLK), 1);
        CHECK_EQUAL((crosses[0].error == 0) + (crosses[1].error == 0), 1);
        const char *report = crosses[crosses[1].error == EDEADLK].report;
        CHECK(strstr(report, "is inside the function of once") != NULL);
        CHECK(strstr(report, "waits for once") != NULL);
        CHECK(strstr(report, "Do not wait in the function of a once for what may call it") != NULL);
    }
}

/* One thread is inside of a once, and waits for the queue; this thread is in a task of the queue, and waits for the once. */
static void check_once_and_queue(void *(*by_once)(void *)) {
    sq_queue_t *queue = make_queue_of("crossed", 0);
    sq_once_t once = SQ_ONCE_INIT;
    latch_t inside = LATCH_INIT;
    cross_t outer = { &once, NULL, &inside, queue, -1, "" }, task = { NULL, &once, &inside, NULL, -1, "" };
    pthread_t thread = spawn(by_once, &outer);
    CHECK_EQUAL(sq_sync(queue, wait_for_the_other, &task), 0);
    join(thread);
    CHECK_EQUAL((outer.error == EDEADLK) + (task.error == EDEADLK), 1);
    const char *report = outer.error == EDEADLK ? outer.report : task.report;
    CHECK(strstr(report, "runs a task of queue \"crossed\" and waits for once") != NULL);
    CHECK(strstr(report, "and waits for queue \"crossed\"") != NULL);
    sq_queue_release(queue);
}

TEST(a_cycle_of_a_once_and_a_queue_is_refused_for_one_of_them) {
    for (size_t i = 0; i < scaled(200); i += 1) {
        check_once_and_queue(cross_by_once);
    }
}

/* The once that is waited for need not be the innermost that the thread is inside. */
static void run_an_inner_once(void *context) {
    sq_once_t inner = SQ_ONCE_INIT;
    CHECK_EQUAL(sq_once(&inner, wait_for_the_other, context), 0);
}

static void *cross_by_two_onces(void *argument) {
    cross_t *cross = argument;
    CHECK_EQUAL(sq_once(cross->mine, run_an_inner_once, cross), 0);
    return NULL;
}

TEST(a_cycle_of_an_outer_once_and_a_queue_is_refused_for_one_of_them) {
    for (size_t i = 0; i < scaled(100); i += 1) {
        check_once_and_queue(cross_by_two_onces);
    }
}

/* A wait that is no cycle: the once's function waits for a queue whose task does not wait for anything. */
static void sync_inside(void *context) { CHECK_EQUAL(sq_sync(context, do_nothing, NULL), 0); }

TEST(a_once_whose_function_waits_for_a_queue_is_no_cycle) {
    sq_queue_t *queue = make_queue_of("free", 0);
    hold_t hold;
    sq_once_t once = SQ_ONCE_INIT;
    hold_async(&hold, queue);
    hold_end(&hold);
    CHECK_EQUAL(sq_once(&once, sync_inside, queue), 0);
    sq_queue_release(queue);
}

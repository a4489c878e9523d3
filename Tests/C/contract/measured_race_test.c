/* measured_race_test.c: histograms of queues that other threads use, start and stop at the same time; what an entry costs; without memory;
 * around a fork. */
#include "child.h"
#include "concurrent.h"
#include "inject.h"
#include "measured.h"

typedef struct storm {
    sq_queue_t *queue;
    unsigned way;
    size_t calls;
} storm_t;

static void *storm(void *argument) {
    const storm_t *storm = argument;
    for (size_t i = 0; i < storm->calls; i += 1) {
        switch (storm->way % 4) {
        case 0:
            CHECK_EQUAL(sq_sync(storm->queue, do_nothing, NULL), 0);
            break;
        case 1:
            CHECK_EQUAL(sq_async(storm->queue, do_nothing, NULL), 0);
            break;
        case 2:
            CHECK_EQUAL(sq_async_and_wait(storm->queue, SQ_FOREVER, do_nothing, NULL), 0);
            break;
        default:
            CHECK_EQUAL(sq_sync_barrier(storm->queue, do_nothing, NULL), 0);
            break;
        }
    }
    return NULL;
}

static void check_storm(sq_queue_t *queue) {
    enum { THREADS = 8 };
    storm_t storms[THREADS];
    pthread_t threads[THREADS];
    size_t calls = scaled(2000);
    CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
    for (unsigned i = 0; i < THREADS; i += 1) {
        storms[i] = (storm_t){ queue, i, calls };
        threads[i] = spawn(storm, &storms[i]);
    }
    for (int i = 0; i < 20; i += 1) { /* a reader meanwhile */
        both_t both = read_both(queue);
        CHECK(both.waiting.count <= THREADS * calls && both.running.count <= THREADS * calls);
    }
    for (unsigned i = 0; i < THREADS; i += 1) {
        join(threads[i]);
    }
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    check_both(queue, THREADS * calls + 1);
    sq_queue_release(queue);
}

TEST(a_storm_on_a_serial_queue_loses_no_entry) { check_storm(make_queue_of("storm", 0)); }

TEST(a_storm_on_a_concurrent_queue_loses_no_entry) { check_storm(make_concurrent(4, 4)); }

static atomic_bool is_over;

static void *start_and_stop(void *queue) {
    while (!atomic_load(&is_over)) {
        CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
        (void)read_both(queue);
        sq_queue_histograms_stop(queue);
    }
    return NULL;
}

TEST(it_can_be_started_and_stopped_while_tasks_run) {
    sq_queue_t *queue = make_queue_of("on and off", 0);
    storm_t storms[4];
    pthread_t threads[4];
    atomic_store(&is_over, false);
    pthread_t switcher = spawn(start_and_stop, queue);
    for (unsigned i = 0; i < 4; i += 1) {
        storms[i] = (storm_t){ queue, i, scaled(2000) };
        threads[i] = spawn(storm, &storms[i]);
    }
    for (unsigned i = 0; i < 4; i += 1) {
        join(threads[i]);
    }
    atomic_store(&is_over, true);
    join(switcher);
    drain(queue);
    both_t both = read_both(queue);
    CHECK(both.running.count <= 4 * scaled(2000) && both.waiting.longest < UINT64_C(100000000000));
    sq_queue_release(queue);
}

/* Cost */

static uint64_t time_of(sq_queue_t *queue, size_t calls) {
    uint64_t began = sq_deadline(0);
    for (size_t i = 0; queue != NULL && i < calls; i += 1) {
        (void)sq_sync(queue, do_nothing, NULL);
    }
    for (size_t i = 0; queue == NULL && i < 2 * calls; i += 1) {
        (void)sq_deadline(0);
    }
    return sq_deadline(0) - began;
}

/* The fastest of several rounds, each with syncs, measured syncs and reads of the clock: two of these and three entries are the difference. */
TEST(what_an_entry_costs_is_measured) {
    enum { ROUNDS = 15, CALLS = 20000 };
    sq_queue_t *plain = make_queue_of("plain", 0), *measured = make_measured();
    uint64_t least[3] = { UINT64_MAX, UINT64_MAX, UINT64_MAX };
    sq_queue_t *const queues[3] = { plain, measured, NULL };
    for (size_t i = 0; i < (size_t)3 * ROUNDS; i += 1) {
        uint64_t took = time_of(queues[i % 3], CALLS);
        least[i % 3] = took < least[i % 3] ? took : least[i % 3];
    }
    note("an entry costs %.1f ns next to reading the clock, which costs %.1f ns", ((double)least[1] - (double)least[0] - (double)least[2]) / 3 / CALLS,
         (double)least[2] / 2 / CALLS);
    check_both(measured, (uint64_t)ROUNDS * CALLS);
    sq_queue_release(plain);
    sq_queue_release(measured);
}

/* Memory and forks */

TEST(each_allocation_of_a_start_can_fail_and_the_next_one_works) {
    sq_queue_t *queue = make_queue_of("famine", 0);
    size_t sites = 0;
    for (;; sites += 1) {
        fail_nth(FAIL_ALLOCATION, sites + 1, false);
        int error = sq_queue_histograms_start(queue);
        if (fail_nothing() == 0) {
            CHECK_EQUAL(error, 0);
            break;
        }
        CHECK_EQUAL(error, ENOMEM);
        CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
        check_both(queue, 0);
    }
    CHECK_EQUAL(sites, 3); /* the table of the queue's records, the histograms, the list of its label */
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    check_both(queue, 1);
    sq_queue_release(queue);
}

static int in_child(void *context) {
    sq_queue_t *queue = context;
    int wrong = !CHECK_EQUAL(sq_queue_histograms_start(queue), ESTALE);
    sq_queue_histograms_stop(queue);
    both_t both = read_both(queue);
    wrong += !CHECK_EQUAL(both.running.count, 2); /* what was measured before the fork */
    sq_queue_release(queue);
    queue = make_measured();
    wrong += !CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    wrong += !CHECK_EQUAL(read_both(queue).running.count, 1);
    both_t sum = { SQ_HISTOGRAM_INIT, SQ_HISTOGRAM_INIT };
    wrong += !CHECK_EQUAL(sq_label_histograms("measured", &sum.waiting, &sum.running), 0);
    wrong += !CHECK_EQUAL(sum.running.count, 1); /* without the parent's queue, released or not */
    sq_queue_release(queue);
    return wrong;
}

TEST(the_child_of_a_fork_reads_what_was_measured_and_measures_new_queues) {
    sq_queue_t *queue = make_measured();
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(in_fork(in_child, queue), 0);
    check_both(queue, 2);
    sq_queue_release(queue);
}

/* label_histogram_test.c: the sum of a label, while its queues come and go; without memory; in the child of a fork. */
#include "child.h"
#include "inject.h"
#include "measured.h"

static both_t sum_of(const char *label, int error) {
    both_t both = { SQ_HISTOGRAM_INIT, SQ_HISTOGRAM_INIT };
    CHECK_EQUAL(sq_label_histograms(label, &both.waiting, &both.running), error);
    return both;
}

static void check_sum(const char *label, uint64_t count, uint64_t longest) {
    both_t both = sum_of(label, 0);
    check_histogram(&both.waiting, count);
    check_histogram(&both.running, count);
    CHECK(both.running.longest >= longest);
}

TEST(the_sum_of_a_label_has_its_queues_and_those_that_were_freed_until_the_last_one_is) {
    enum { QUEUES = 100 };
    sq_queue_t *queues[QUEUES], *other = make_queue_of("other label", 0), *unmeasured = make_queue_of("room", 0);
    uint64_t count = 0;
    (void)sum_of("room", ENOENT);
    CHECK_EQUAL(sq_sync(unmeasured, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_queue_histograms_start(other), 0);
    for (unsigned i = 0; i < QUEUES; i += 1) {
        queues[i] = make_queue_of("room", 0);
        CHECK_EQUAL(sq_queue_histograms_start(queues[i]), 0);
        for (unsigned task = 0; task <= i; task += 1, count += 1) {
            CHECK_EQUAL(sq_sync(queues[i], task == 0 ? use_time : do_nothing, NULL), 0);
        }
    }
    CHECK_EQUAL(sq_queue_histograms_start(queues[0]), 0); /* again: it is counted once */
    check_sum("room", count, 1000000);
    check_sum("other label", 0, 0);
    for (unsigned i = 0; i < QUEUES; i += 1) {
        sq_queue_release(queues[i * 37 % QUEUES]);
        if (i + 1 < QUEUES) {
            check_sum("room", count, 1000000);
        }
    }
    both_t empty = sum_of("room", ENOENT);
    CHECK_EQUAL(empty.running.count, 0);
    both_t wrong = { SQ_HISTOGRAM_INIT, { .size = 8 } };
    CHECK_EQUAL(sq_label_histograms("room", &wrong.waiting, &wrong.running), EINVAL);
    CHECK_EQUAL(sq_label_histograms("room", &wrong.running, &wrong.waiting), EINVAL);
    sq_queue_release(unmeasured);
    sq_queue_release(other);
}

static sq_queue_t *make_in_room(void) {
    sq_queue_t *queue = make_queue_of("room", 0);
    REQUIRE(sq_queue_histograms_start(queue) == 0);
    return queue;
}

static sq_queue_t *make_in_room_with_a_task(void) {
    sq_queue_t *queue = make_in_room();
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    return queue;
}

enum { CROWD = 300 }; /* several times what a reading adds up at a time */

typedef struct crowd {
    sq_queue_t *queues[CROWD];
    unsigned step; /* without a common divisor with their number: so each place has its turn */
    atomic_bool is_over;
} crowd_t;

/* Frees all queues but the first, in some order, and puts a new one into every other place. */
static void *come_and_go(void *argument) {
    crowd_t *crowd = argument;
    for (unsigned i = 1; i < CROWD; i += 1) {
        unsigned at = i * crowd->step % CROWD;
        sq_queue_release(crowd->queues[at]);
        crowd->queues[at] = i % 2 == 0 ? make_in_room() : NULL;
    }
    atomic_store(&crowd->is_over, true);
    return NULL;
}

TEST(a_sum_has_each_task_once_while_queues_are_freed_and_new_ones_start) {
    static const unsigned steps[] = { 1, CROWD - 1, 7, 101, 149 };
    size_t rounds = scaled(20), sums = 0;
    for (size_t round = 0; round < rounds; round += 1) {
        crowd_t crowd = { .step = steps[round % (sizeof steps / sizeof *steps)] };
        for (unsigned i = 0; i < CROWD; i += 1) {
            crowd.queues[i] = make_in_room_with_a_task();
        }
        pthread_t thread = spawn(come_and_go, &crowd);
        for (bool is_over = false; !is_over; sums += 1) {
            is_over = atomic_load(&crowd.is_over);
            check_sum("room", CROWD, 0);
        }
        join(thread);
        for (unsigned i = 0; i < CROWD; i += 1) {
            sq_queue_release(crowd.queues[i]);
        }
        (void)sum_of("room", ENOENT);
    }
    note("%zu sums in %zu rounds", sums, rounds);
}

static void *read_until_the_end(void *argument) {
    both_t both;
    (void)argument;
    do {
        both = (both_t){ SQ_HISTOGRAM_INIT, SQ_HISTOGRAM_INIT };
    } while (sq_label_histograms("room", &both.waiting, &both.running) == 0 && CHECK_EQUAL(both.running.count, CROWD));
    return NULL;
}

/* Also the last queue may end while its label is read. */
TEST(a_label_can_end_while_it_is_read) {
    for (size_t round = 0; round < scaled(20); round += 1) {
        crowd_t crowd = { .step = 1 };
        for (unsigned i = 0; i < CROWD; i += 1) {
            crowd.queues[i] = make_in_room_with_a_task();
        }
        pthread_t thread = spawn(read_until_the_end, NULL);
        for (unsigned i = 0; i < CROWD; i += 1) {
            sq_queue_release(crowd.queues[i]);
        }
        join(thread);
    }
}

/* Memory */

TEST(each_allocation_of_a_labels_second_start_can_fail_and_the_next_one_works) {
    size_t sites = 0;
    for (int error = ENOMEM; error != 0; sites += error != 0) {
        sq_queue_t *first = make_in_room_with_a_task(), *second = make_queue_of("room", 0);
        fail_nth(FAIL_ALLOCATION, sites + 1, false);
        error = sq_queue_histograms_start(second);
        CHECK_EQUAL(fail_nothing(), error != 0);
        check_sum("room", 1, 0);
        CHECK_EQUAL(sq_queue_histograms_start(second), 0);
        CHECK_EQUAL(sq_sync(second, do_nothing, NULL), 0);
        check_sum("room", 2, 0);
        sq_queue_release(error != 0 ? second : first);
        check_sum("room", 2, 0);
        sq_queue_release(error != 0 ? first : second);
    }
    CHECK_EQUAL(sites, 4); /* the queue's table of records, its histograms, the label's sum of freed queues, its longer list */
}

TEST(to_free_a_queue_takes_no_memory_and_loses_no_count) {
    sq_queue_t *first = make_in_room_with_a_task(), *second = make_in_room_with_a_task();
    uint64_t before = allocations();
    fail_nth(FAIL_ALLOCATION, 1, true);
    sq_queue_release(first);
    CHECK_EQUAL(fail_nothing(), 0);
    CHECK_EQUAL(allocations(), before);
    check_sum("room", 2, 0);
    sq_queue_release(second);
    sq_queue_t *only = make_in_room_with_a_task();
    before = allocations();
    sq_queue_release(only);
    CHECK_EQUAL(allocations(), before);
}

static int check_bytes_in_child(void *before) {
    enum { SUM = 1900 }; /* bytes of what a label with several queues has, at least */
    int wrong = !CHECK(live_bytes() + SUM <= *(const long *)before);
    (void)sum_of("room", ENOENT);
    return wrong;
}

TEST(the_child_of_a_fork_frees_what_the_labels_of_the_parent_have) {
    sq_queue_t *first = make_in_room_with_a_task(), *second = make_in_room_with_a_task();
    long before = live_bytes();
    CHECK_EQUAL(in_fork(check_bytes_in_child, &before), 0);
    check_sum("room", 2, 0);
    sq_queue_release(first);
    sq_queue_release(second);
}

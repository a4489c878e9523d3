/* depth_histogram_test.c: how many tasks wait when one begins. */
#include "concurrent.h"
#include "measured.h"
#include "pools.h"

static sq_queue_t *make_measured_on(sq_pool_t *pool, const char *label) {
    sq_queue_t *queue = queue_on(pool, label, 0);
    CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
    return queue;
}

/* Submits so many and runs them. */
static void run_tasks(sq_pool_t *pool, sq_queue_t *queue, size_t count) {
    for (size_t i = 0; i < count; i += 1) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    }
    CHECK_EQUAL(sq_pool_run(pool), count);
}

TEST(each_task_is_counted_with_those_that_wait_behind_it) {
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queue = make_measured_on(pool, "depths");
    run_tasks(pool, queue, 100);
    sq_histogram_t depths = read_depths(queue);
    check_histogram(&depths, 100);
    CHECK_EQUAL(depths.sum, 99 * 100 / 2);
    CHECK_EQUAL(depths.longest, 99);
    uint64_t so_far = 0;
    for (size_t i = 0; sq_histogram_bound(i) <= 63; i += 1) {
        so_far += depths.counts[i];
        uint64_t bound = sq_histogram_bound(i);
        if (((bound + 1) & bound) == 0) {
            CHECK_EQUAL(so_far, bound + 1);
        }
    }
    CHECK_EQUAL(sq_histogram_quantile(&depths, 0.5), 63);
    run_tasks(pool, queue, 1);
    depths = read_depths(queue);
    CHECK_EQUAL(depths.count, 101);
    CHECK_EQUAL(depths.sum, 99 * 100 / 2);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

TEST(a_sync_on_a_free_queue_has_none_behind_it_and_a_queue_that_is_not_measured_counts_none) {
    sq_queue_t *queue = make_queue_of("depths", 0);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(read_depths(queue).count, 0);
    CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(read_depths(queue).count, 1);
    CHECK_EQUAL(read_depths(queue).longest, 0);
    sq_histogram_t wrong = { .size = 8 };
    CHECK_EQUAL(sq_queue_depth_histogram(queue, &wrong), EINVAL);
    CHECK_EQUAL(sq_label_depth_histogram("depths", &wrong), EINVAL);
    sq_queue_release(queue);
}

/* Two run, each on a thread of the pool; behind the held ones nothing begins. */
TEST(on_a_concurrent_queue_it_is_what_waits_for_room_or_for_a_barrier) {
    sq_queue_t *queue = make_concurrent(4, 4);
    CHECK_EQUAL(sq_queue_histograms_start(queue), 0);
    stay_t reader = STAY_INIT;
    CHECK_EQUAL(sq_async(queue, stay, &reader), 0);
    latch_wait(&reader.entered, 1);
    CHECK_EQUAL(sq_async_barrier(queue, do_nothing, NULL), 0);
    for (int i = 0; i < 10; i += 1) {
        CHECK_EQUAL(sq_async_barrier(queue, do_nothing, NULL), 0);
    }
    latch_bump(&reader.leave);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    sq_histogram_t depths = read_depths(queue);
    check_histogram(&depths, 1 + 11 + 1);
    CHECK(depths.longest >= 10);
    sq_queue_release(queue);
}

static sq_histogram_t sum_of(const char *label, int error) {
    sq_histogram_t depths = SQ_HISTOGRAM_INIT;
    CHECK_EQUAL(sq_label_depth_histogram(label, &depths), error);
    return depths;
}

TEST(the_sum_of_a_label_has_its_queues_and_those_that_were_freed) {
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *queues[] = { make_measured_on(pool, "room"), make_measured_on(pool, "room"), make_measured_on(pool, "other") };
    CHECK_EQUAL(sum_of("nobody", ENOENT).count, 0);
    for (size_t i = 0; i < 3; i += 1) {
        run_tasks(pool, queues[i], 10 * (i + 1));
    }
    for (int released = 0; released < 2; released += 1) {
        sq_histogram_t depths = sum_of("room", 0);
        check_histogram(&depths, 30);
        CHECK_EQUAL(depths.sum, 9 * 10 / 2 + 19 * 20 / 2);
        CHECK_EQUAL(depths.longest, 19);
        sq_queue_release(queues[1 - released]);
    }
    CHECK_EQUAL(sum_of("room", ENOENT).count, 0);
    CHECK_EQUAL(sum_of("other", 0).count, 30);
    sq_queue_release(queues[2]);
    sq_pool_release(pool);
}

/* histogram_test.c: the buckets of a histogram, its quantiles, and that histograms add up. */
#include "measured.h"

#include "observe/timings.h"
#include "platform/clock.h"

TEST(each_duration_is_in_the_bucket_whose_bound_is_the_first_not_below_it) {
    for (size_t i = 0; i < SQ_HISTOGRAM_BUCKETS; i += 1) {
        uint64_t bound = sq_histogram_bound(i);
        CHECK_EQUAL(sq__timings_bucket(bound), i);
        CHECK(i + 1 == SQ_HISTOGRAM_BUCKETS ? bound == UINT64_MAX : sq__timings_bucket(bound + 1) == i + 1);
    }
}

TEST(a_bucket_is_at_most_a_sixteenth_wide) {
    for (size_t i = 1; i < SQ_HISTOGRAM_BUCKETS; i += 1) {
        uint64_t first = sq_histogram_bound(i - 1) + 1, bound = sq_histogram_bound(i);
        CHECK(bound - first <= first / 16);
    }
}

TEST(a_bucket_of_a_queue_ends_where_a_public_one_ends_and_is_at_most_a_quarter_wide) {
    CHECK_EQUAL(sq__timings_bound(SQ__WAITING, 0), 0);
    for (unsigned i = 0; i < SQ__DURATION_BUCKETS; i += 1) {
        uint64_t bound = sq__timings_bound(SQ__WAITING, i);
        CHECK_EQUAL(sq__timings_own_bucket(bound), i);
        CHECK_EQUAL(sq_histogram_bound(sq__timings_bucket(bound)), bound);
        if (i + 1 < SQ__DURATION_BUCKETS) {
            CHECK_EQUAL(sq__timings_own_bucket(bound + 1), i + 1);
        }
        if (i >= 3 && i + 1 < SQ__DURATION_BUCKETS) {
            uint64_t first = sq__timings_bound(SQ__WAITING, i - 1) + 1;
            CHECK(bound - first <= first / (first < 1024 ? 2 : 4));
        }
    }
    CHECK_EQUAL(sq__timings_bound(SQ__RUNNING, SQ__DURATION_BUCKETS - 2), (UINT64_C(1) << 34) - 1);
}

TEST(a_bucket_of_depths_ends_where_a_public_one_ends_and_doubles) {
    for (unsigned i = 0; i < SQ__DEPTH_BUCKETS; i += 1) {
        uint64_t bound = sq__timings_bound(SQ__DEPTH, i);
        CHECK_EQUAL(bound, i + 1 < SQ__DEPTH_BUCKETS ? (UINT64_C(1) << i) - 1 : UINT64_MAX);
        CHECK_EQUAL(sq__timings_depth_bucket(bound), i);
        CHECK_EQUAL(sq_histogram_bound(sq__timings_bucket(bound)), bound);
        CHECK(bound == UINT64_MAX || sq__timings_depth_bucket(bound + 1) == i + 1);
    }
}

/* Against a sorted list. */
TEST(a_quantile_is_at_most_a_sixteenth_above_the_true_one) {
    enum { DURATIONS = 1000 };
    sq_histogram_t histogram = SQ_HISTOGRAM_INIT;
    CHECK_EQUAL(sq_histogram_quantile(&histogram, 0.5), 0);
    for (uint64_t i = 1; i <= DURATIONS; i += 1) {
        sq_histogram_record(&histogram, i * i); /* ascending */
    }
    check_histogram(&histogram, DURATIONS);
    for (uint64_t thousandths = 1; thousandths <= DURATIONS; thousandths += 1) {
        uint64_t is = thousandths * thousandths, found = sq_histogram_quantile(&histogram, (double)thousandths / DURATIONS);
        CHECK(found >= is && found <= is + is / 16);
    }
    CHECK_EQUAL(sq_histogram_quantile(&histogram, 0), 1);
    CHECK_EQUAL(sq_histogram_quantile(&histogram, 1), DURATIONS * DURATIONS);
}

TEST(what_is_added_up_is_as_if_recorded_in_one_and_can_be_taken_away_again) {
    sq_histogram_t one = SQ_HISTOGRAM_INIT, other = SQ_HISTOGRAM_INIT, all = SQ_HISTOGRAM_INIT;
    random_stream_t random = random_start(0);
    for (int i = 0; i < 10000; i += 1) {
        uint64_t duration = random_below(&random, UINT64_C(1) << (i % 40 + 1));
        sq_histogram_record(i % 3 == 0 ? &one : &other, duration);
        sq_histogram_record(&all, duration);
    }
    sq_histogram_t sum = one;
    sq_histogram_add(&sum, &other);
    CHECK(memcmp(&sum, &all, sizeof sum) == 0);
    sq_histogram_subtract(&sum, &one);
    CHECK(memcmp(sum.counts, other.counts, sizeof sum.counts) == 0);
    CHECK_EQUAL(sum.count, other.count);
    CHECK_EQUAL(sum.sum, other.sum);
    CHECK(sum.longest >= other.longest && sum.longest <= other.longest + other.longest / 16);
}

TEST(the_longest_since_then_is_exact_if_it_is_the_longest_ever) {
    sq_histogram_t histogram = SQ_HISTOGRAM_INIT;
    sq_histogram_record(&histogram, 1000);
    sq_histogram_t earlier = histogram, grown;
    sq_histogram_record(&histogram, 1000003);
    grown = histogram;
    sq_histogram_subtract(&grown, &earlier);
    CHECK_EQUAL(grown.longest, 1000003);
    earlier = histogram;
    sq_histogram_record(&histogram, 17);
    sq_histogram_subtract(&histogram, &earlier);
    CHECK_EQUAL(histogram.longest, 17);
    earlier = histogram;
    sq_histogram_subtract(&histogram, &earlier);
    CHECK_EQUAL(histogram.longest, 0);
}

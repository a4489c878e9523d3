/* clock_test.c: deadlines, and the clocks of the system. */
#include "caller.h"
#include "child.h"
#include "inject.h"


TEST(deadlines_are_of_the_monotonic_clock_and_saturate) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t before = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    uint64_t deadline = sq_deadline(0);
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t after = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    CHECK(before <= deadline && deadline <= after);
    CHECK(sq_deadline(1000) >= after + 1000);
    CHECK(sq_deadline(UINT64_MAX) == SQ_FOREVER);
    CHECK(sq_deadline(UINT64_MAX - 1) == SQ_FOREVER);
    CHECK(sq_deadline(UINT64_MAX - before) == SQ_FOREVER);
    CHECK(sq_deadline(UINT64_MAX / 2) < SQ_FOREVER);
    CHECK(sq_deadline(UINT64_MAX / 2) > UINT64_MAX / 2);
    CHECK(sq_deadline(1) != SQ_NOW);
}

/* Around the numbers at which a conversion into seconds and nanoseconds, or into 32 or 63 bits, would turn over. */
TEST(deadlines_far_away_are_waited_for_and_those_that_passed_are_not) {
    const uint64_t second = 1000000000u;
    const sq_time_t far_away[] = { SQ_FOREVER, SQ_FOREVER - 1, SQ_FOREVER - second, SQ_FOREVER / second * second,
                                   SQ_FOREVER / second * second - 1, (uint64_t)INT64_MAX, (uint64_t)INT64_MAX + 1,
                                   (uint64_t)INT32_MAX * second, ((uint64_t)INT32_MAX + 1) * second,
                                   (uint64_t)UINT32_MAX * second + second - 1 };
    const sq_time_t passed[] = { 1, second - 1, second, second + 1, 0 /* just now */ };
    enum { FAR_AWAY = sizeof far_away / sizeof far_away[0], PASSED = sizeof passed / sizeof passed[0] };
    for (way_t way = BY_SYNC_UNTIL; way < WAYS; way += 1) {
        for (size_t i = 0; i < FAR_AWAY; i += 1) {
            sq_queue_t *queue = make_queue_of(way_names[way], 1);
            size_t ran = 0;
            hold_t hold;
            caller_t caller;
            hold_async(&hold, queue);
            CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
            for (size_t k = 0; i == 0 && k < PASSED && way != BY_SHUTDOWN; k += 1) {
                sq_time_t deadline = passed[k] != 0 ? passed[k] : sq_deadline(0);
                CHECK_EQUAL(wait_by(way, queue, deadline, must_not_run, NULL), ETIMEDOUT);
            }
            caller_start(&caller, way, queue, far_away[i], add_one, &ran);
            wait_until_asleep(&caller.thread_id);
            hold_end(&hold);
            CHECK_EQUAL(caller_end(&caller), 0);
            CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
            CHECK_EQUAL(ran, way != BY_SHUTDOWN);
            sq_queue_release(queue);
        }
    }
}

/* A test cannot set the wall clock back: it is the whole machine's. But if the sleep were not on the monotonic clock, its deadline,
 * read as a time of day, would be half a century ago: each sleep would return at once, and the thread would sleep again and again.
 * A few spurious wake-ups are normal. */
enum { FEW_WAITS = 20 };

TEST(a_wait_with_a_deadline_sleeps_on_the_monotonic_clock_and_not_by_the_time_of_day) {
    sq_queue_t *queue = make_queue_of("clock", 0);
    hold_t hold;
    hold_async(&hold, queue);
    sq_time_t deadline = sq_deadline(500000000);
    uint64_t waits = timed_waits();
    CHECK_EQUAL(sq_sync_until(queue, deadline, must_not_run, NULL), ETIMEDOUT);
    CHECK_AT_MOST(timed_waits() - waits, FEW_WAITS);
    CHECK(sq_deadline(0) >= deadline); /* not before its time */
    hold_end(&hold);
    drain(queue);
    sq_queue_release(queue);
}

typedef struct due {
    sq_time_t at;
    size_t early;
    latch_t fired;
} due_t;

static void fall_due(void *context) {
    due_t *due = context;
    due->early += sq_deadline(0) < due->at;
    latch_bump(&due->fired);
}

/* The same for the thread of the alarms. */
TEST(a_delayed_task_sleeps_on_the_monotonic_clock_and_not_by_the_time_of_day) {
    const uint64_t delay = 500000000;
    sq_queue_t *queue = make_queue_of("delayed", 0);
    due_t due = { sq_deadline(delay), 0, LATCH_INIT };
    uint64_t waits = timed_waits();
    CHECK_EQUAL(sq_async_after(queue, delay, fall_due, &due), 0);
    latch_wait(&due.fired, 1);
    CHECK_AT_MOST(timed_waits() - waits, FEW_WAITS);
    CHECK_EQUAL(due.early, 0);
    sq_queue_release(queue);
}

/* The other way round: in a time namespace the monotonic clock is moved and the time of day is not. */
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static int wait_in_a_moved_time(void *context) {
    (void)context;
    int wrong = 0;
    sq_queue_t *queue = make_queue_of("moved", 0);
    hold_t hold;
    hold_async(&hold, queue);
    sq_time_t deadline = sq_deadline(1000000);
    wrong += !CHECK(deadline > 40000000ull * 1000000000ull);
    wrong += !CHECK_EQUAL(sq_sync_until(queue, deadline, must_not_run, NULL), ETIMEDOUT);
    wrong += !CHECK(sq_deadline(0) >= deadline);
    hold_end(&hold);
    wrong += !CHECK_EQUAL(sq_sync_until(queue, FAR, do_nothing, NULL), 0);
    due_t due = { sq_deadline(1000000), 0, LATCH_INIT };
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ fall_due, &due, NULL });
    wrong += !CHECK_EQUAL(sq_timer_start(timer, 1000000, 1000000, 0), 0);
    wrong += !CHECK_EQUAL(sq_async_after(queue, 1000000, fall_due, &due), 0);
    latch_wait(&due.fired, 3);
    wrong += !CHECK_EQUAL(due.early, 0);
    sq_timer_release(timer);
    wrong += !CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(queue);
    return wrong;
}

static int move_time(void *context) {
    (void)context;
    if (unshare(CLONE_NEWTIME) != 0) {
        return 77;
    }
    int file = open("/proc/self/timens_offsets", O_WRONLY);
    const char *offset = "monotonic 50000000 0\n";
    if (file < 0 || write(file, offset, strlen(offset)) < 0) {
        return 77;
    }
    close(file);
    int status = in_fork(wait_in_a_moved_time, NULL); /* the namespace is for children */
    return status == 0 ? 0 : 1;
}

TEST(a_monotonic_clock_far_from_the_time_of_day_changes_nothing) {
    if (fork_left_out()) {
        return;
    }
    int status = in_fork(move_time, NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        note("left out: no time namespace for this user");
        return;
    }
    CHECK_EQUAL(status, 0);
}

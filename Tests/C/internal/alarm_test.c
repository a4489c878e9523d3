/* alarm_test.c: the process's set of alarms, and its thread. alarm_clock_test.c has sets with a clock of their own. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include "platform/clock.h"
#include "platform/mutex.h"
#include "alarm/alarm.h"

#include <stdatomic.h>
#include <sys/prctl.h>
#include <time.h>

enum { MS = 1000000 };
#define HOURS(n) ((uint64_t)(n) * 3600 * 1000000000u)

typedef struct gong {
    sq__alarm_t alarm;
    latch_t rung;
    uint64_t due, called_at;
    _Atomic size_t *order;
    size_t place;
} gong_t;

static void strike(sq__alarm_t *alarm) {
    gong_t *gong = (gong_t *)alarm;
    gong->called_at = sq__clock_now();
    gong->place = atomic_fetch_add(gong->order, 1) + 1;
    latch_bump(&gong->rung);
}

static void hang(sq__alarms_t *set, gong_t *gong, _Atomic size_t *order, uint64_t due, uint64_t leeway) {
    *gong = (gong_t){ .alarm.call = strike, .rung = LATCH_INIT, .due = due, .order = order };
    sq__alarm_set(set, &gong->alarm, due, leeway);
}

/* How late it is called is not checked: the machine may be busy. */
TEST(an_earlier_alarm_is_not_kept_waiting_by_a_later_one) {
    sq__alarms_t *set;
    _Atomic size_t order = 0;
    gong_t late, early, now;
    CHECK_EQUAL(sq__alarms_shared(&set), 0);
    uint64_t begin = sq__alarms_now(set);
    hang(set, &late, &order, begin + HOURS(1), 0);
    hang(set, &early, &order, begin + 20 * MS, 0);
    hang(set, &now, &order, 0, 0);
    latch_wait(&early.rung, 1);
    latch_wait(&now.rung, 1);
    CHECK(early.called_at >= early.due);
    CHECK(now.place < early.place || early.called_at >= early.due);
    CHECK(sq__alarm_cancel(set, &late.alarm));
    CHECK(!sq__alarm_cancel(set, &early.alarm));
    sq__alarms_release(set);
}

/* Its leeway is hours, so only the wake-up for the other alarm can have called it. */
TEST(an_alarm_with_a_leeway_goes_with_a_wake_up_that_happens_anyway) {
    for (int round = 0; round < 20; round += 1) {
        sq__alarms_t *set;
        _Atomic size_t order = 0;
        gong_t loose, exact, far;
        CHECK_EQUAL(sq__alarms_shared(&set), 0);
        uint64_t begin = sq__clock_now();
        hang(set, &far, &order, begin + HOURS(2), HOURS(1));
        hang(set, &exact, &order, begin + 3 * MS, 0);
        hang(set, &loose, &order, begin + 2 * MS, HOURS(1));
        latch_wait(&exact.rung, 1);
        latch_wait(&loose.rung, 1);
        CHECK(loose.called_at >= loose.due && exact.called_at >= exact.due);
        CHECK(sq__alarm_cancel(set, &far.alarm));
        sq__alarms_release(set);
    }
}

/* Both may wait: the thread sleeps until the first of their latest times, not until the latest time of the one that is due first. */
TEST(an_alarm_with_a_leeway_is_called_at_its_latest_time_by_itself) {
    sq__alarms_t *set;
    _Atomic size_t order = 0;
    gong_t loose, first;
    CHECK_EQUAL(sq__alarms_shared(&set), 0);
    uint64_t begin = sq__clock_now();
    hang(set, &first, &order, begin + MS, HOURS(1));
    hang(set, &loose, &order, begin + 2 * MS, 3 * MS);
    latch_wait(&loose.rung, 1);
    latch_wait(&first.rung, 1);
    CHECK(first.place < loose.place || loose.called_at < first.due + HOURS(1));
    sq__alarms_release(set);
}

/* The latest time of `endless` is beyond the end of the clock. If it were taken for one that has passed, the thread would sleep
 * until then again and again. */
TEST(an_alarm_with_an_endless_leeway_does_not_keep_the_thread_awake) {
    sq__alarms_t *set;
    _Atomic size_t order = 0;
    gong_t endless, exact;
    CHECK_EQUAL(sq__alarms_shared(&set), 0);
    hang(set, &endless, &order, sq__clock_now() + HOURS(1), SQ__NEVER - HOURS(2));
    uint64_t waits = timed_waits();
    hang(set, &exact, &order, sq__clock_now() + 200 * MS, 0);
    latch_wait(&exact.rung, 1);
    CHECK_AT_MOST(timed_waits() - waits, 20); /* spurious wake-ups */
    CHECK(sq__alarm_cancel(set, &endless.alarm));
    sq__alarms_release(set);
}

/* All of them may wait for `exact`, so the thread need not wake up for any of them: neither when it is set nor when it is due. The pauses
 * give it time to do so. */
TEST(alarms_with_a_leeway_do_not_wake_the_thread) {
    enum { ALARMS = 50 };
    sq__alarms_t *set, *same;
    _Atomic size_t order = 0;
    gong_t exact, loose[ALARMS];
    CHECK_EQUAL(sq__alarms_shared(&set), 0);
    uint64_t waits = timed_waits(), begin = sq__clock_now();
    for (size_t i = 0; i < ALARMS; i += 1) {
        hang(set, &loose[i], &order, begin + (100 + 2 * i) * MS, HOURS(1));
        CHECK_EQUAL(sq__alarms_shared(&same), 0);
        sq__alarms_release(same);
        nanosleep(&(struct timespec){ .tv_nsec = MS }, NULL);
    }
    hang(set, &exact, &order, begin + 250 * MS, 0);
    latch_wait(&exact.rung, 1);
    for (size_t i = 0; i < ALARMS; i += 1) {
        latch_wait(&loose[i].rung, 1);
    }
    CHECK_AT_MOST(timed_waits() - waits, 20); /* spurious wake-ups */
    sq__alarms_release(set);
}

static void look_at_slack(sq__alarm_t *alarm) {
    gong_t *gong = (gong_t *)alarm;
    gong->place = (size_t)prctl(PR_GET_TIMERSLACK);
    latch_bump(&gong->rung);
}

TEST(the_system_does_not_wake_the_thread_late_on_purpose) {
    sq__alarms_t *set;
    gong_t gong = { .alarm.call = look_at_slack, .rung = LATCH_INIT };
    CHECK_EQUAL(sq__alarms_shared(&set), 0);
    sq__alarm_set(set, &gong.alarm, 0, 0);
    latch_wait(&gong.rung, 1);
    CHECK_EQUAL(gong.place, 1); /* nanosecond */
    sq__alarms_release(set);
}

/* It stays for a while first: none of its other waits has a deadline. To see that fail: leave out the sleep until leaves_at. */
TEST(the_thread_ends_after_the_last_lease_and_comes_back) {
    long before = threads_alive();
    uint64_t waits = timed_waits();
    for (int round = 0; round < 3; round += 1) {
        sq__alarms_t *set, *same;
        _Atomic size_t order = 0;
        gong_t gong;
        uint64_t started = threads_started();
        CHECK_EQUAL(sq__alarms_shared(&set), 0);
        CHECK_EQUAL(sq__alarms_shared(&same), 0);
        CHECK(set == same);
        CHECK_AT_MOST(threads_started() - started, 1);
        hang(set, &gong, &order, 0, 0);
        latch_wait(&gong.rung, 1);
        CHECK_EQUAL(threads_alive(), before + 1);
        sq__alarms_release(set);
        sq__alarms_release(same);
        let_threads_end(before);
        CHECK_EQUAL(threads_alive(), before);
    }
    CHECK(timed_waits() > waits);
}

TEST(a_lease_without_a_thread_or_memory_is_ENOMEM) {
    sq__alarms_t *set;
    fail_nth(FAIL_THREAD, 1, false);
    CHECK_EQUAL(sq__alarms_shared(&set), ENOMEM);
    CHECK_EQUAL(fail_nothing(), 1);
    for (uint64_t nth = 1, failed = 1; failed > 0; nth += 1) {
        fail_nth(FAIL_ALLOCATION, nth, false);
        sq__alarms_t *made = sq__alarms_create();
        failed = fail_nothing();
        CHECK_EQUAL(made == NULL, failed);
        if (made != NULL) {
            sq__alarms_destroy(made);
        }
    }
    CHECK_EQUAL(sq__alarms_shared(&set), 0);
    sq__alarms_release(set);
}

/* Threads set and cancel while the alarms' thread runs: each alarm was either cancelled or called, not both. */
enum { RACERS = 3 };

typedef struct racer {
    sq__alarms_t *set;
    size_t stream, rounds;
} racer_t;

static void *race(void *argument) {
    racer_t *racer = argument;
    random_stream_t random = random_start(racer->stream);
    _Atomic size_t order = 0;
    size_t cancelled = 0;
    for (size_t i = 0; i < racer->rounds; i += 1) {
        gong_t gong;
        hang(racer->set, &gong, &order, sq__clock_now() + random_below(&random, 30000), random_below(&random, 2) * 20000);
        for (uint64_t pause = random_below(&random, 300); pause > 0; pause -= 1) {
            atomic_signal_fence(memory_order_seq_cst);
        }
        if (sq__alarm_cancel(racer->set, &gong.alarm)) {
            cancelled += 1;
        } else {
            latch_wait(&gong.rung, 1);
            CHECK(gong.called_at >= gong.due);
        }
    }
    CHECK_EQUAL(order + cancelled, racer->rounds);
    return NULL;
}

TEST(setting_cancelling_and_calling_race_and_each_alarm_has_one_outcome) {
    racer_t racers[RACERS];
    pthread_t threads[RACERS];
    sq__alarms_t *set;
    CHECK_EQUAL(sq__alarms_shared(&set), 0);
    for (size_t i = 0; i < RACERS; i += 1) {
        racers[i] = (racer_t){ set, 10 + i, scaled(20000) };
        threads[i] = spawn(race, &racers[i]);
    }
    for (size_t i = 0; i < RACERS; i += 1) {
        join(threads[i]);
    }
    sq__alarms_release(set);
}

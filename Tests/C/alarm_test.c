/* alarm_test.c: sets of alarms: those with a clock of their own, and the process's set. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include "platform/clock.h"
#include "platform/mutex.h"
#include "alarm/alarm.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { MS = 1000000 };
#define HOURS(n) ((uint64_t)(n) * 3600 * 1000000000u)

/* Sets with a clock of their own */

typedef struct record {
    size_t count;
    const struct bell *last;
} record_t;

typedef struct bell {
    sq__alarm_t alarm;
    sq__alarms_t *set;
    record_t *record;
    uint64_t due, called_at;
    size_t number, calls, again; /* how often it sets itself again */
} bell_t;

static void ring(sq__alarm_t *alarm) {
    bell_t *bell = (bell_t *)alarm;
    bell->called_at = sq__alarms_now(bell->set);
    bell->calls += 1;
    if (bell->record->last != NULL && bell->record->last != bell && bell->record->last->due == bell->due) {
        CHECK(bell->record->last->number < bell->number);
    }
    bell->record->last = bell;
    bell->record->count += 1;
    if (bell->again > 0) {
        bell->again -= 1;
        bell->due += 10;
        sq__alarm_set_again(bell->set, alarm, bell->due, 0);
    }
}

TEST(alarms_are_called_when_their_clock_comes_there_and_in_order) {
    enum { BELLS = 2000 };
    sq__alarms_t *set = sq__alarms_create();
    bell_t *bells = calloc(BELLS, sizeof *bells);
    record_t record = { 0, NULL };
    random_stream_t random = random_start(2);
    for (size_t i = 0; i < BELLS; i += 1) {
        bells[i] = (bell_t){ .alarm.call = ring, .set = set, .record = &record, .due = random_below(&random, 500), .number = i };
        sq__alarm_set(set, &bells[i].alarm, bells[i].due, random_below(&random, 2) * 100); /* here a leeway is of no use */
    }
    for (size_t i = 0; i < BELLS; i += 3) {
        CHECK(sq__alarm_cancel(set, &bells[i].alarm));
        CHECK(!sq__alarm_cancel(set, &bells[i].alarm));
    }
    CHECK_EQUAL(sq__alarms_now(set), 0);
    for (uint64_t time = 0; time < 600; time += 7) {
        while (sq__alarms_advance(set, time)) {
            CHECK(sq__alarms_now(set) <= time);
        }
        CHECK_EQUAL(sq__alarms_now(set), time);
    }
    for (size_t i = 0; i < BELLS; i += 1) {
        CHECK_EQUAL(bells[i].calls, i % 3 != 0);
        CHECK(i % 3 == 0 || bells[i].called_at == bells[i].due);
        CHECK(!sq__alarm_cancel(set, &bells[i].alarm));
    }
    CHECK(!sq__alarms_advance(set, 5));
    CHECK_EQUAL(sq__alarms_now(set), 595); /* not back */
    sq__alarms_let_go(set);                /* has no effect */
    sq__alarms_destroy(set);
    free(bells);
}

TEST(an_alarm_can_set_itself_again_and_one_in_the_past_is_called_now) {
    sq__alarms_t *set = sq__alarms_create();
    record_t record = { 0, NULL };
    bell_t bell = { .alarm.call = ring, .set = set, .record = &record, .due = 10, .again = 4 };
    sq__alarm_set(set, &bell.alarm, 10, 0);
    while (sq__alarms_advance(set, 45)) {
    }
    CHECK_EQUAL(bell.calls, 4);
    CHECK(sq__alarms_advance(set, 100));
    CHECK_EQUAL(sq__alarms_now(set), 50);
    CHECK(!sq__alarms_advance(set, 100));
    sq__alarm_set(set, &bell.alarm, 3, 0);
    CHECK(sq__alarms_advance(set, 100));
    CHECK_EQUAL(bell.called_at, 100);
    sq__alarm_set(set, &bell.alarm, SQ__NEVER, 0);
    CHECK(!sq__alarms_advance(set, SQ__NEVER));
    CHECK(sq__alarm_cancel(set, &bell.alarm));
    sq__alarms_destroy(set);
}

static void must_not_ring(sq__alarm_t *alarm) {
    (void)alarm;
    CHECK(!"an alarm that was cancelled");
}

static uint64_t set_and_cancel(sq__alarms_t *set, sq__alarm_t *alarms, size_t count, uint64_t from, uint64_t leeway) {
    random_stream_t random = random_start(3);
    uint64_t begin = sq__clock_now();
    for (size_t i = 0; i < count; i += 1) {
        alarms[i].call = must_not_ring;
        sq__alarm_set(set, &alarms[i], from + random_below(&random, HOURS(1)), leeway);
    }
    for (size_t i = 0; i < count; i += 1) {
        CHECK(sq__alarm_cancel(set, &alarms[i * 7919 % count]));
    }
    return sq__clock_now() - begin;
}

/* Each is set, and all are cancelled in another order; for information, how long it took. */
TEST(a_million_alarms_are_set_and_cancelled_and_take_no_memory) {
    size_t count = scaled(1000000);
    sq__alarms_t *manual = sq__alarms_create(), *shared = NULL;
    sq__alarm_t *alarms = calloc(count, sizeof *alarms);
    REQUIRE(alarms != NULL && sq__alarms_shared(&shared) == 0);
    uint64_t before = allocations();
    uint64_t own = set_and_cancel(manual, alarms, count, 0, 0);
    uint64_t exact = set_and_cancel(shared, alarms, count, sq__clock_now() + HOURS(1), 0);
    uint64_t loose = set_and_cancel(shared, alarms, count, sq__clock_now() + HOURS(1), HOURS(1));
    CHECK_EQUAL(allocations(), before);
    note("nanoseconds for each set and cancel: %llu, %llu in the process's set, %llu with a leeway",
         (unsigned long long)(own / count), (unsigned long long)(exact / count), (unsigned long long)(loose / count));
    sq__alarms_let_go(shared);
    sq__alarms_destroy(manual);
    free(alarms);
}

/* The process's set */

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

/* Nothing is said of how late: the machine may be busy. See it fail: have sq__alarm_set never wake the thread. */
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
    sq__alarms_let_go(set);
}

/* Its leeway is of hours, so that it must have gone along with the other one. See it fail: have take_due look at `exact` only. */
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
        sq__alarms_let_go(set);
    }
}

/* The latest time of the one counts, though another is due before it. See it fail: sleep until the first of `loose` is at its latest. */
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
    sq__alarms_let_go(set);
}

/* The latest time of `endless` is beyond the end of the clock. If it were taken for one that has passed, the thread would sleep
 * until then again and again. To see it fail: let saturated() wrap. */
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
    sq__alarms_let_go(set);
}

TEST(the_thread_ends_after_the_last_lease_and_comes_back) {
    long before = threads_alive();
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
        sq__alarms_let_go(set);
        sq__alarms_let_go(same);
        let_threads_end(before);
        CHECK_EQUAL(threads_alive(), before);
    }
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
    sq__alarms_let_go(set);
}

/* Setters and cancellers beside the thread: each alarm was either cancelled or called, not both. See it fail: have sq__alarm_cancel say
 * true always. */
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
    sq__alarms_let_go(set);
}

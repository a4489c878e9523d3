/* alarm_clock_test.c: sets of alarms with a clock of their own, and the cost of setting and cancelling. alarm_test.c has the
 * process's set. */
#include "harness.h"
#include "heap.h"
#include "inject.h"

#include "platform/clock.h"
#include "platform/mutex.h"
#include "alarm/alarm.h"

#include <errno.h>
#include <stdlib.h>

#define HOURS(n) ((uint64_t)(n) * 3600 * 1000000000u)

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

/* A leeway is of no use there: what runs next is the same for each run. */
TEST(the_next_alarm_of_a_set_with_its_own_clock_is_known_with_and_without_a_leeway) {
    sq__alarms_t *set = sq__alarms_create();
    record_t record = { 0, NULL };
    bell_t exact = { .alarm.call = ring, .set = set, .record = &record, .due = 20 }, loose = exact;
    loose.due = 10;
    CHECK_EQUAL(sq__alarms_next(set), SQ__NEVER);
    sq__alarm_set(set, &exact.alarm, exact.due, 0);
    sq__alarm_set(set, &loose.alarm, loose.due, 100);
    CHECK_EQUAL(sq__alarms_next(set), 10);
    CHECK(sq__alarm_cancel(set, &loose.alarm));
    CHECK_EQUAL(sq__alarms_next(set), 20);
    CHECK(sq__alarm_cancel(set, &exact.alarm));
    sq__alarms_destroy(set);
}

/* As an exploration does it. */
TEST(an_alarm_that_is_chosen_moves_the_clock_to_its_time_and_never_back) {
    sq__alarms_t *set = sq__alarms_create();
    record_t record = { 0, NULL };
    bell_t bell = { .alarm.call = ring, .set = set, .record = &record, .due = 100 };
    sq__alarm_set(set, &bell.alarm, 100, 0);
    sq__alarms_call(set, &bell.alarm);
    CHECK_EQUAL(bell.called_at, 100);
    CHECK_EQUAL(sq__alarms_now(set), 100);
    sq__alarm_set(set, &bell.alarm, 3, 0);
    sq__alarms_call(set, &bell.alarm);
    CHECK_EQUAL(bell.called_at, 100);
    CHECK_EQUAL(sq__alarms_now(set), 100);
    CHECK_EQUAL(bell.calls, 2);
    sq__alarms_destroy(set);
}

static void must_not_ring(sq__alarm_t *alarm) {
    (void)alarm;
    CHECK(!"an alarm that was cancelled");
}

/* The 62nd lease needs a second block of the heap. */
TEST(a_lease_has_the_memory_for_its_alarm) {
    enum { ALARMS = 62 };
    static sq__alarm_t alarms[ALARMS];
    sq__alarms_t *set = sq__alarms_create();
    for (size_t i = 0; i < ALARMS - 1; i += 1) {
        CHECK_EQUAL(sq__alarms_lease(set), 0);
    }
    fail_nth(FAIL_ALLOCATION, 1, true);
    CHECK_EQUAL(sq__alarms_lease(set), ENOMEM);
    fail_nothing();
    CHECK_EQUAL(sq__alarms_lease(set), 0);
    fail_nth(FAIL_ALLOCATION, 1, true);
    for (size_t i = 0; i < ALARMS; i += 1) {
        sq__alarm_set(set, &alarms[i], i, 0);
    }
    CHECK_EQUAL(fail_nothing(), 0);
    for (size_t i = 0; i < ALARMS; i += 1) {
        CHECK(sq__alarm_cancel(set, &alarms[i]));
        sq__alarms_release(set);
    }
    sq__alarms_destroy(set);
}

/* The leeway is what it does without: then the thread would wake for it in an hour, and not in two. */
TEST(an_alarm_is_set_without_its_leeway_if_there_is_no_memory_for_that) {
    sq__alarms_t *shared = NULL;
    sq__alarm_t alarm = { .call = must_not_ring };
    REQUIRE(sq__alarms_shared(&shared) == 0);
    fail_nth(FAIL_ALLOCATION, 1, true);
    sq__alarm_set(shared, &alarm, sq__clock_now() + HOURS(1), HOURS(1));
    CHECK_EQUAL(fail_nothing() > 0, true);
    CHECK(alarm.due.place != 0 && alarm.latest.place == 0);
    CHECK(sq__alarm_cancel(shared, &alarm));
    sq__alarms_release(shared);
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

static void lease_each(sq__alarms_t *set, size_t count, bool returns) {
    for (size_t i = 0; i < count; i += 1) {
        if (returns) {
            sq__alarms_release(set);
        } else {
            REQUIRE(sq__alarms_lease(set) == 0);
        }
    }
}

/* Each is set, and all are cancelled in another order; for information, how long it took. The memory of a heap is at most four times of what it
 * needs, and comes back. */
TEST(a_million_alarms_are_set_and_cancelled_in_the_memory_of_their_leases) {
    size_t count = scaled(1000000);
    sq__alarms_t *manual = sq__alarms_create(), *shared = NULL;
    sq__alarm_t *alarms = calloc(count, sizeof *alarms);
    REQUIRE(alarms != NULL && sq__alarms_shared(&shared) == 0);
    size_t unused = heap_bytes();
    lease_each(manual, count, false);
    lease_each(shared, count, false);
    uint64_t before = allocations();
    uint64_t own = set_and_cancel(manual, alarms, count, 0, 0);
    uint64_t exact = set_and_cancel(shared, alarms, count, sq__clock_now() + HOURS(1), 0);
    CHECK_EQUAL(allocations(), before);
    uint64_t loose = set_and_cancel(shared, alarms, count, sq__clock_now() + HOURS(1), HOURS(1));
    lease_each(manual, count, true);
    lease_each(shared, count, true);
    CHECK_AT_MOST(heap_bytes() - unused, (size_t)64 * 1024);
    note("nanoseconds for each set and cancel: %llu, %llu in the process's set, %llu with a leeway",
         (unsigned long long)(own / count), (unsigned long long)(exact / count), (unsigned long long)(loose / count));
    sq__alarms_release(shared);
    sq__alarms_destroy(manual);
    free(alarms);
}

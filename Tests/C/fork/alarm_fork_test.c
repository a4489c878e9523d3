/* alarm_fork_test.c: in the child of a fork the process's set of alarms begins anew; the parent's alarms are called in the
 * parent alone. ThreadSanitizer cannot follow a process with threads through a fork: nothing is tested there. */
#include "child.h"
#include "inject.h"
#include "latch.h"

#include "platform/clock.h"
#include "platform/mutex.h"
#include "alarm/alarm.h"

enum { MS = 1000000 };
#define HOURS(n) ((uint64_t)(n) * 3600 * 1000000000u)

typedef struct bell {
    sq__alarm_t alarm;
    latch_t rung, continues; /* the first bell of a parent waits until it may continue */
    bool stands;
} bell_t;

static void ring(sq__alarm_t *alarm) {
    bell_t *bell = (bell_t *)alarm;
    bool stands = bell->stands; /* the waiting thread may free it */
    latch_bump(&bell->rung);
    if (stands) {
        latch_wait(&bell->continues, 1);
    }
}

static bell_t bell_of(bool stands) { return (bell_t){ { .call = ring }, LATCH_INIT, LATCH_INIT, stands }; }

static void hang(sq__alarms_t *set, bell_t *bell, uint64_t due, uint64_t leeway) {
    *bell = bell_of(false);
    sq__alarm_set(set, &bell->alarm, due, leeway);
}

/* The parent's thread is in the call of `first`, so that the other two, which are due, are still set. */
typedef struct parents {
    sq__alarms_t *set;
    bell_t first, exact, loose;
} parents_t;

static void parents_begin(parents_t *parents) {
    REQUIRE(sq__alarms_shared(&parents->set) == 0);
    parents->first = bell_of(true);
    sq__alarm_set(parents->set, &parents->first.alarm, 0, 0);
    latch_wait(&parents->first.rung, 1);
    hang(parents->set, &parents->exact, 1, 0);
    hang(parents->set, &parents->loose, 2, 1);
}

static void parents_end(parents_t *parents) {
    latch_bump(&parents->first.continues);
    latch_wait(&parents->exact.rung, 1);
    latch_wait(&parents->loose.rung, 1);
    sq__alarms_release(parents->set);
}

/* The child's own alarm is due after the parent's: it would be called after them. */
static int ring_own(void *context) {
    parents_t *parents = context;
    int wrong = 0;
    sq__alarms_t *set;
    bell_t own;
    wrong += !CHECK_EQUAL(sq__alarms_shared(&set), 0);
    hang(set, &own, 3, 0);
    latch_wait(&own.rung, 1);
    wrong += !CHECK_EQUAL(parents->exact.rung.value, 0);
    wrong += !CHECK_EQUAL(parents->loose.rung.value, 0);
    wrong += !CHECK(sq__alarm_cancel(set, &parents->exact.alarm)); /* in order, as the header says */
    wrong += !CHECK(sq__alarm_cancel(set, &parents->loose.alarm));
    sq__alarms_release(set);
    return wrong;
}

/* If the child's thread slept only until the latest times of the parent's alarms, which may have passed, it would sleep again and
 * again. */
static int sleep_long(void *context) {
    (void)context;
    sq__alarms_t *set;
    bell_t own;
    int wrong = !CHECK_EQUAL(sq__alarms_shared(&set), 0);
    uint64_t waits = timed_waits();
    hang(set, &own, sq__clock_now() + 200 * MS, 0);
    latch_wait(&own.rung, 1);
    wrong += !CHECK_AT_MOST(timed_waits() - waits, 20); /* spurious wake-ups */
    sq__alarms_release(set);
    return wrong;
}

/* The parent's leases do not keep the child's thread. */
static int end_alone(void *context) {
    (void)context;
    sq__alarms_t *set;
    bell_t own;
    long before = threads_alive();
    int wrong = !CHECK_EQUAL(sq__alarms_shared(&set), 0);
    hang(set, &own, 3, 0);
    latch_wait(&own.rung, 1);
    wrong += !CHECK_EQUAL(threads_alive(), before + 1);
    sq__alarms_release(set);
    let_threads_end(before);
    return wrong + !CHECK_EQUAL(threads_alive(), before);
}

static void check_child(int (*body)(void *)) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_release(sq_queue_create("any", NULL));
    parents_t parents;
    parents_begin(&parents);
    CHECK_EQUAL(in_fork(body, &parents), 0);
    parents_end(&parents);
}

TEST(an_alarm_of_the_parents_is_not_called_in_the_child) { check_child(ring_own); }
TEST(the_childs_thread_does_not_wake_up_for_the_parents_alarms) { check_child(sleep_long); }
TEST(the_childs_thread_ends_although_the_parent_has_leases) { check_child(end_alone); }

/* A call that forks: its child goes back to the library, and has nothing to do with the set. */
typedef struct forker {
    sq__alarm_t alarm;
    sq__mutex_t *held; /* at the fork, as by another thread; NULL: nothing is */
    int status;        /* as of fork_and_return */
    latch_t called;
} forker_t;

static void fork_in_call(sq__alarm_t *alarm) {
    forker_t *forker = (forker_t *)alarm;
    if (forker->held != NULL) {
        sq__mutex_lock(forker->held);
    }
    if (!fork_and_return(&forker->status)) {
        if (forker->held != NULL) {
            sq__mutex_unlock(forker->held);
        }
        latch_bump(&forker->called);
    }
}

/* The child's only thread is the copy of the one that calls alarms: it ends, and the process with it. */
TEST(an_alarm_can_fork_and_its_child_can_return) {
    if (UNDER_TSAN || UNDER_ASAN) {
        note("left out: a sanitizer does not support threads after a fork, or misses the parent's");
        return;
    }
    forker_t forker = { .alarm.call = fork_in_call, .status = -2, .called = LATCH_INIT };
    sq__alarms_t *set;
    REQUIRE(sq__alarms_shared(&set) == 0);
    sq__alarm_set(set, &forker.alarm, 0, 0);
    latch_wait(&forker.called, 1);
    CHECK_EQUAL(forker.status, 0);
    sq__alarms_release(set);
}

TEST(an_alarm_of_a_manual_set_can_fork_and_its_child_can_return) {
    if (fork_left_out()) {
        return;
    }
    sq__alarms_t *set = sq__alarms_create();
    REQUIRE(set != NULL);
    forker_t forker = { .alarm.call = fork_in_call, .held = (sq__mutex_t *)set /* its first field */, .status = -2, .called = LATCH_INIT };
    sq__alarm_set(set, &forker.alarm, 1, 0);
    bool called = sq__alarms_advance(set, 1);
    if (forker.status == -1) {
        _exit(called ? 0 : 1);
    }
    CHECK(called);
    CHECK_EQUAL(forker.status, 0);
    sq__alarms_destroy(set);
}

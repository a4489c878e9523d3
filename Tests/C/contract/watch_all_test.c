/* watch_all_test.c: one watcher for all queues that are made from then on. */
#include "inject.h"
#include "stall_watcher.h"

/* Counts the tasks of one queue that run for too long: on a busy machine those of others may, too. */
typedef struct ward {
    latch_t calls, discarded;
    _Atomic(const sq_queue_t *) queue;
} ward_t;

#define WARD_INIT { .calls = LATCH_INIT, .discarded = LATCH_INIT }

static void count_stall(void *context, const sq_stall_t *stall) {
    ward_t *ward = context;
    if (stall->kind == SQ_STALL_RUNNING && stall->number == (uintptr_t)ward->queue) {
        latch_bump(&ward->calls);
    }
}

static void count_end(void *ward) { latch_bump(&((ward_t *)ward)->discarded); }

static sq_watcher_t watcher_for(ward_t *ward) { return (sq_watcher_t){ .stalled = count_stall, .context = ward, .discard = count_end }; }

static void watch_all(ward_t *ward, uint64_t threshold) {
    const sq_watcher_t watcher = watcher_for(ward);
    CHECK_EQUAL(sq_watch_all(threshold, &watcher), 0);
}

/* A task that runs for too long is reported to this watcher. */
static void check_watched(sq_queue_t *queue, ward_t *ward) {
    hold_t hold;
    ward->queue = queue;
    const int before = ward->calls.value;
    hold_async(&hold, queue);
    latch_wait(&ward->calls, before + 1);
    hold_end(&hold);
    drain(queue);
}

TEST(queues_that_are_made_later_are_watched_until_they_are_freed) {
    ward_t ward = WARD_INIT;
    watch_all(&ward, SHORT);
    sq_queue_t *first = make_queue_of("first", 0), *second = make_queue_of("second", 0);
    check_watched(second, &ward);
    check_watched(first, &ward);
    CHECK_EQUAL(sq_watch_all(0, NULL), 0);
    check_watched(first, &ward);
    sq_queue_t *later = make_queue_of("later", 0);
    sq_queue_release(first);
    CHECK_EQUAL(ward.discarded.value, 0);
    sq_queue_release(second);
    latch_wait(&ward.discarded, 1); /* `later` has no watcher */
    sq_queue_release(later);
}

TEST(a_queue_keeps_the_watcher_that_it_was_made_with_and_can_be_given_another) {
    ward_t old = WARD_INIT, fresh = WARD_INIT, own = WARD_INIT;
    watch_all(&old, SHORT);
    sq_queue_t *of_old = make_queue_of("of old", 0), *of_own = make_queue_of("of own", 0);
    watch_all(&fresh, SHORT);
    sq_queue_t *of_fresh = make_queue_of("of fresh", 0);
    check_watched(of_old, &old);
    check_watched(of_fresh, &fresh);
    const sq_watcher_t watcher = watcher_for(&own);
    CHECK_EQUAL(sq_queue_watch(of_own, SHORT, &watcher), 0);
    check_watched(of_own, &own);
    sq_queue_release(of_old);
    latch_wait(&old.discarded, 1);
    CHECK_EQUAL(sq_watch_all(0, NULL), 0);
    sq_queue_release(of_fresh);
    latch_wait(&fresh.discarded, 1);
    sq_queue_release(of_own);
    latch_wait(&own.discarded, 1);
}

TEST(a_watcher_without_a_queue_is_discarded_by_the_call_that_replaces_it) {
    ward_t ward = WARD_INIT;
    const sq_watcher_t watcher = watcher_for(&ward);
    CHECK_EQUAL(sq_watch_all(0, &watcher), EINVAL);
    CHECK_EQUAL(sq_watch_all(0, NULL), 0);
    CHECK_EQUAL(ward.discarded.value, 0);
    watch_all(&ward, HOURS);
    CHECK_EQUAL(sq_watch_all(0, NULL), 0);
    CHECK_EQUAL(ward.discarded.value, 1);
}

TEST(queues_of_all_kinds_are_watched) {
    ward_t ward = WARD_INIT;
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create("pool", NULL);
    options.width = 4;
    watch_all(&ward, SHORT);
    sq_queue_t *concurrent = sq_queue_create("concurrent", &options);
    sq_pool_release(options.pool);
    sq_queue_t *target = make_queue_of("target", 0);
    options = (sq_queue_options_t)SQ_QUEUE_OPTIONS_INIT;
    options.target = target;
    sq_queue_t *targeted = sq_queue_create("targeted", &options);
    check_watched(concurrent, &ward);
    check_watched(targeted, &ward);
    CHECK_EQUAL(sq_watch_all(0, NULL), 0);
    sq_queue_release(targeted);
    sq_queue_release(target);
    sq_queue_release(concurrent);
    latch_wait(&ward.discarded, 1);
}

TEST(without_memory_a_queue_is_made_and_not_watched) {
    ward_t ward = WARD_INIT;
    const sq_watcher_t watcher = watcher_for(&ward);
    fail_nth(FAIL_ALLOCATION, 1, false);
    CHECK_EQUAL(sq_watch_all(HOURS, &watcher), ENOMEM);
    CHECK_EQUAL(fail_nothing(), 1);
    watch_all(&ward, HOURS);
    for (size_t nth = 1, missed = 1; missed > 0; nth += 1) {
        fail_nth(FAIL_ALLOCATION, nth, false);
        sq_queue_t *queue = sq_queue_create("famine", NULL);
        missed = fail_nothing();
        CHECK((queue == NULL) == (nth == 1)); /* the first is the queue itself */
        if (queue != NULL) {
            CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
        }
        sq_queue_release(queue);
    }
    CHECK_EQUAL(sq_watch_all(0, NULL), 0);
    latch_wait(&ward.discarded, 1);
}

static void *make_queues(void *unused) {
    for (int i = 0; i < 500; i += 1) {
        sq_queue_t *queue = make_queue_of("short", 0);
        CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
        sq_queue_release(queue);
    }
    return unused;
}

TEST(each_watcher_is_discarded_once_while_queues_are_made) {
    ward_t ward = WARD_INIT;
    pthread_t makers[3];
    for (int i = 0; i < 3; i += 1) {
        makers[i] = spawn(make_queues, NULL);
    }
    for (int i = 0; i < 500; i += 1) {
        watch_all(&ward, HOURS);
    }
    for (int i = 0; i < 3; i += 1) {
        join(makers[i]);
    }
    CHECK_EQUAL(sq_watch_all(0, NULL), 0);
    latch_wait(&ward.discarded, 500);
    CHECK_EQUAL(ward.discarded.value, 500);
}

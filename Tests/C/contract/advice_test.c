/* advice_test.c: what a report of a deadlock advises fits the wait that was refused; a dump and a stall say that no thread runs a loop. */
#include "caller.h"
#include "dump.h"
#include "inject.h"
#include "loop.h"
#include "stall_watcher.h"

#include "sq_deferred.h"
#include "sq_group.h"
#include "sq_item.h"
#include "sq_shutdown.h"
#include "sq_timer.h"

static bool advises(const char *words) {
    bool holds = strstr(sq_deadlock_report(), words) != NULL;
    if (!holds) {
        note("%s", sq_deadlock_report());
    }
    return holds;
}

static void sync_onto_own(void *queue) {
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), EDEADLK);
    CHECK(advises("Use async, or sq_sync_or_run"));
}

/* Its queue is full by then. */
static void wait_for_room(void *queue) {
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &(sq_task_t){ .run = do_nothing }), EDEADLK);
    CHECK(advises("sq_async, which returns EAGAIN"));
}

static void shut_own_down(void *queue) {
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), EDEADLK);
    CHECK(advises("from its own task: the wait could not end before the task does."));
    CHECK(advises("let another thread wait"));
    CHECK(strstr(sq_deadlock_report(), "syncOrRun") == NULL);
}

static sq_timer_t *timer;
static latch_t fired = LATCH_INIT;

static void cancel_own(void *unused) {
    (void)unused;
    CHECK_EQUAL(sq_timer_cancel_and_wait(timer, SQ_FOREVER), EDEADLK);
    CHECK(advises("Use sq_timer_cancel,"));
    latch_bump(&fired);
}

TEST(the_advice_fits_the_wait_for_the_own_queue) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.capacity = 1;
    sq_queue_t *queue = sq_queue_create("own", &options);
    REQUIRE(queue != NULL);
    CHECK_EQUAL(sq_sync(queue, sync_onto_own, queue), 0);
    timer = sq_timer_create(queue, &(sq_task_t){ .run = cancel_own });
    CHECK_EQUAL(sq_timer_start(timer, 1, 0, 0), 0);
    latch_wait(&fired, 1);
    sq_timer_release(timer);
    CHECK_EQUAL(sq_sync(queue, wait_for_room, queue), 0);
    CHECK_EQUAL(sq_sync(queue, shut_own_down, queue), 0);
    sq_queue_release(queue);
}

typedef struct ring {
    sq_queue_t *queue;
    sq_group_t *group;
} ring_t;

static void wait_for_member_behind(void *context) {
    ring_t *ring = context;
    CHECK_EQUAL(sq_group_async(ring->group, ring->queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_group_wait(ring->group, SQ_FOREVER), EDEADLK);
    CHECK(advises("Use sq_group_notify (Swift: notify)"));
    CHECK(strstr(sq_deadlock_report(), "same order") == NULL);
}

TEST(the_advice_for_a_cycle_of_groups_is_not_an_order_of_queues) {
    ring_t ring = { make_queue_of("ring", 0), sq_group_create("members") };
    CHECK_EQUAL(sq_sync(ring.queue, wait_for_member_behind, &ring), 0);
    CHECK_EQUAL(sq_group_wait(ring.group, SQ_FOREVER), 0);
    sq_group_release(ring.group);
    drain(ring.queue);
    sq_queue_release(ring.queue);
}

static void wait_for_item_behind(void *queue) {
    sq_item_t *item = sq_item_create("index", &(sq_task_t){ .run = do_nothing });
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), EDEADLK);
    CHECK(advises("Use sq_item_notify (Swift: notify)"));
    sq_item_release(item);
}

static void wait_for_nameless_group(void *queue) {
    sq_group_t *group = sq_group_create("");
    CHECK_EQUAL(sq_group_async(group, queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), EDEADLK);
    CHECK(advises(" and waits for group made by wait_for_nameless_group (advice_test+0x"));
    sq_group_release(group);
}

/* Calls the function in a task of a queue, which it gets. */
static void call_in_task(sq_function_t function) {
    sq_queue_t *queue = make_queue_of("mine", 0);
    CHECK_EQUAL(sq_sync(queue, function, queue), 0);
    drain(queue);
    sq_queue_release(queue);
}

TEST(a_group_without_a_label_is_reported_by_where_it_was_made) { call_in_task(wait_for_nameless_group); }

static void wait_without_pages(void *queue) {
    sq_group_t *group = sq_group_create("");
    CHECK_EQUAL(sq_group_async(group, queue, do_nothing, NULL), 0);
    fail_nth(FAIL_PAGES, 1, true);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), EDEADLK);
    CHECK(fail_nothing() > 0);
    CHECK(advises(" and waits for group made by 0x"));
    sq_group_release(group);
}

TEST(without_memory_for_its_name_the_address_of_where_a_group_was_made_is_reported) { call_in_task(wait_without_pages); }

/* One of two tasks that wait for each other's groups. */
typedef struct half {
    sq_group_t *group;
    latch_t *ready;
    int error;
    char report[1024];
} half_t;

static void wait_for_half(void *context) {
    half_t *half = context;
    latch_wait(half->ready, 1);
    half->error = sq_group_wait(half->group, SQ_FOREVER);
    snprintf(half->report, sizeof half->report, "%s", sq_deadlock_report());
}

static __attribute__((noinline)) void make_left(half_t *half) {
    half->group = sq_group_create(NULL);
    CHECK(half->group != NULL);
}

static __attribute__((noinline)) void make_the_right_one(half_t *half) {
    half->group = sq_group_create("");
    CHECK(half->group != NULL);
}

TEST(each_group_of_a_cycle_is_named_where_it_belongs) {
    latch_t ready = LATCH_INIT;
    half_t left = { .ready = &ready }, right = { .ready = &ready };
    sq_queue_t *first = make_queue_of("first", 0), *second = make_queue_of("second", 0);
    make_left(&left);
    make_the_right_one(&right);
    CHECK_EQUAL(sq_async(first, wait_for_half, &left), 0);
    CHECK_EQUAL(sq_async(second, wait_for_half, &right), 0);
    CHECK_EQUAL(sq_group_async(left.group, second, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_group_async(right.group, first, do_nothing, NULL), 0);
    latch_bump(&ready);
    drain(first);
    drain(second);
    CHECK_EQUAL(left.error + right.error, EDEADLK); /* one of them, the other continues */
    const char *report = left.error != 0 ? left.report : right.report;
    const char *lefts = strstr(report, " runs a task of queue \"first\" and waits for group made by make_left (advice_test+0x");
    const char *rights = strstr(report, " runs a task of queue \"second\" and waits for group made by make_the_right_one (advice_test+0x");
    bool is_named = CHECK(lefts != NULL && rights != NULL) && CHECK(strstr(lefts, "), which has a task in queue \"second\"") != NULL)
                    && CHECK(strstr(rights, "), which has a task in queue \"first\"") != NULL)
                    && CHECK(strstr(report, " Queue numbers: \"") != NULL); /* the end of the text */
    if (!is_named) {
        note("%s", report);
    }
    sq_group_release(left.group);
    sq_group_release(right.group);
    sq_queue_release(first);
    sq_queue_release(second);
}

TEST(the_advice_for_an_item_behind_the_own_task_is_its_notification) { call_in_task(wait_for_item_behind); }

/* A task of one queue shuts the other down, whose task waits for the first queue. The wait with the deadline is refused. */
typedef struct ends {
    sq_queue_t *mine, *other;
    latch_t inside;
    bool sync_is_refused;
} ends_t;

static sq_time_t deadline_if(bool is_refused) { return is_refused ? sq_deadline(3600ull * 1000000000) : SQ_FOREVER; }

static void sync_onto_other(void *context) {
    ends_t *ends = context;
    latch_bump(&ends->inside);
    latch_wait(&ends->inside, 2);
    CHECK_EQUAL(sq_sync_until(ends->mine, deadline_if(ends->sync_is_refused), do_nothing, NULL), ends->sync_is_refused ? EDEADLK : 0);
    if (ends->sync_is_refused) {
        CHECK(advises("Use async, or wait outside of the task."));
        CHECK(strstr(sq_deadlock_report(), "same order") == NULL);
    }
}

static void shut_other_down(void *context) {
    ends_t *ends = context;
    latch_bump(&ends->inside);
    latch_wait(&ends->inside, 2);
    int error = sq_shutdown(ends->other, SQ_SHUTDOWN_DRAIN, deadline_if(!ends->sync_is_refused));
    CHECK_EQUAL(error, ends->sync_is_refused ? 0 : EDEADLK);
    if (!ends->sync_is_refused) {
        CHECK(advises("The queue is shut down, but this call does not wait"));
        CHECK(strstr(sq_deadlock_report(), "Use async") == NULL);
    }
}

static void check_shutdown_in_a_cycle(bool sync_is_refused) {
    ends_t ends = { make_queue_of("mine", 0), make_queue_of("other", 0), LATCH_INIT, sync_is_refused };
    CHECK_EQUAL(sq_async(ends.other, sync_onto_other, &ends), 0);
    CHECK_EQUAL(sq_sync(ends.mine, shut_other_down, &ends), 0);
    CHECK_EQUAL(sq_shutdown(ends.other, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    drain(ends.mine);
    sq_queue_release(ends.mine);
    sq_queue_release(ends.other);
}

TEST(the_advice_for_a_shutdown_in_a_cycle_is_that_of_a_shutdown) { check_shutdown_in_a_cycle(false); }

TEST(the_advice_for_a_sync_in_a_cycle_with_a_shutdown_is_not_an_order_of_queues) { check_shutdown_in_a_cycle(true); }

static pid_t last_owner;

static void *run_once(void *pool) {
    last_owner = gettid();
    size_t ran = sq_pool_run_some(pool, 1, SQ_NOW);
    CHECK(ran <= 1);
    return NULL;
}

/* `last`: the thread that owned it last, in words. */
static void check_unowned(sq_queue_t *queue, const char *last) {
    stall_watcher_t ward = STALL_WATCHER_INIT;
    const char *text = dump_now();
    CHECK_LINE(text, "queue \"settings\" 0x", ": 1 waiting, no thread runs its loop: ", last);
    CHECK_LINE(text, "pool \"loop\": a loop that no thread runs: ", last, NULL);
    watch(queue, &ward, 1000000);
    latch_wait(&ward.calls, 1);
    CHECK_EQUAL(ward.last[0].kind, SQ_STALL_WAITING);
    CHECK(ward.last[0].unowned);
    CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
    latch_wait(&ward.discarded, 1);
}

TEST(a_loop_that_no_thread_runs_is_named_as_the_cause) {
    char words[64];
    sq_pool_t *pool = sq_pool_create_loop("loop");
    sq_queue_t *queue = queue_on(pool, "settings", 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    check_unowned(queue, "none has yet");
    join(spawn(run_once, pool)); /* becomes the owner, and ends */
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    snprintf(words, sizeof words, "thread %d was the last", last_owner);
    check_unowned(queue, words);
    CHECK_EQUAL(sq_pool_run_some(pool, 1, SQ_NOW), 1);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    const char *text = dump_now();
    CHECK(!has_line(text, "no thread runs", NULL, NULL));
    snprintf(words, sizeof words, "(%d)", gettid());
    CHECK_LINE(text, "pool \"loop\": a loop of thread ", words, ", 1 queues ready");
    CHECK_LINE(text, "queue \"settings\" 0x", words, ", which owns its loop");
    run_until(pool, 1);
    drain(queue);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* dump_test.c: what a dump says about queues and threads. The threads sleep, or are held by latches: no line depends on time. */
#include "caller.h"
#include "dump.h"
#include "concurrent.h"
#include "platform/processors.h"
#include "platform/thread.h"
#include "pools.h"
#include "sq_group.h"
#include "sq_item.h"
#include "sq_once.h"
#include "sq_semaphore.h"

/* Not static: so the program's own table has it in any case. */
void stand_here(void *context);
void stand_here(void *context) {
    hold_t *hold = context;
    latch_bump(&hold->entered);
    latch_wait(&hold->leave, 1);
    latch_bump(&hold->left);
}

static void end_hold(hold_t *hold) {
    latch_bump(&hold->leave);
    latch_wait(&hold->left, 1);
}

TEST(the_holder_of_a_queue_that_never_waited_is_named_with_its_function) {
    sq_queue_t *queue = make_queue_of("store", 0);
    hold_t hold = HOLD_INIT;
    caller_t holder, waiter;
    caller_start(&holder, BY_SYNC, queue, SQ_FOREVER, stand_here, &hold);
    latch_wait(&hold.entered, 1);
    caller_start(&waiter, BY_SYNC, queue, SQ_FOREVER, do_nothing, NULL);
    wait_until_asleep(&waiter.thread_id);
    char name[32], waits[64];
    snprintf(name, sizeof name, "(%d) runs stand_here", holder.thread_id);
    snprintf(waits, sizeof waits, "(%d) has waited ", waiter.thread_id);
    const char *text = dump_until(waits, "its turn in queue \"store\"", "runs it");
    CHECK_LINE(text, name, "in queue \"store\"", "for at least");
    CHECK_LINE(text, "queue \"store\" 0x", ": 1 waiting, 1 of them a thread", NULL);
    end_hold(&hold);
    CHECK_EQUAL(caller_end(&holder), 0);
    CHECK_EQUAL(caller_end(&waiter), 0);
    sq_queue_release(queue);
}

TEST(an_async_task_and_the_depth_behind_it_are_shown) {
    sq_queue_t *queue = make_queue_of("busy", 0);
    hold_t hold = HOLD_INIT;
    CHECK_EQUAL(sq_async(queue, stand_here, &hold), 0);
    latch_wait(&hold.entered, 1);
    for (int i = 0; i < 7; i += 1) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    }
    const char *text = dump_now();
    CHECK_LINE(text, "runs stand_here (dump_test+0x", "in queue \"busy\"", NULL);
    CHECK_LINE(text, "queue \"busy\" 0x", ": 7 waiting", NULL);
    end_hold(&hold);
    drain(queue);
    CHECK(!has_line(dump_now(), "\"busy\"", NULL, NULL));
    sq_queue_release(queue);
}

TEST(a_suspended_queue_is_shown_with_its_count_until_it_is_resumed) {
    sq_queue_t *queue = make_queue_of("paused", 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_LINE(dump_now(), "queue \"paused\" 0x", ": suspended 2 times, 1 waiting", NULL);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_LINE(dump_now(), "queue \"paused\" 0x", ": suspended 1 time, 1 waiting", NULL);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    CHECK(!has_line(dump_now(), "\"paused\"", NULL, NULL));
    sq_queue_release(queue);
}

/* It is on the list of suspended queues once. */
TEST(a_suspended_queue_that_has_ended_can_be_suspended_no_more_and_dumped) {
    sq_queue_t *queue = make_queue_of("paused", 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_suspend(queue), ESHUTDOWN);
    (void)dump_now();
    sq_queue_release(queue);
    CHECK(!has_line(dump_now(), "\"paused\"", NULL, NULL));
}

/* The last release ends the suspension while a task runs, and the task takes a new reference. */
typedef struct reviver {
    sq_queue_t *queue;
    latch_t entered, leave, left;
} reviver_t;

static void revive_and_suspend(void *context) {
    reviver_t *reviver = context;
    latch_bump(&reviver->entered);
    latch_wait(&reviver->leave, 1);
    sq_queue_retain(reviver->queue);
    CHECK_EQUAL(sq_suspend(reviver->queue), 0);
    CHECK_LINE(dump_now(), "queue \"revived\" 0x", ": suspended 1 time", NULL);
    CHECK_EQUAL(sq_resume(reviver->queue), 0);
    sq_queue_release(reviver->queue);
    latch_bump(&reviver->left);
}

TEST(a_queue_that_is_suspended_again_after_its_last_release_is_shown_once) {
    reviver_t reviver = { make_queue_of("revived", 0), LATCH_INIT, LATCH_INIT, LATCH_INIT };
    CHECK_EQUAL(sq_async(reviver.queue, revive_and_suspend, &reviver), 0);
    latch_wait(&reviver.entered, 1);
    CHECK_EQUAL(sq_suspend(reviver.queue), 0);
    sq_queue_release(reviver.queue);
    latch_bump(&reviver.leave);
    latch_wait(&reviver.left, 1);
}

TEST(a_queue_that_waits_for_a_thread_of_its_pool_is_shown_and_so_are_the_permits) {
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *first = queue_on(pool, "first", 0), *second = queue_on(pool, "second", 0);
    hold_t hold = HOLD_INIT;
    caller_t waiter;
    CHECK_EQUAL(sq_async(first, stand_here, &hold), 0);
    latch_wait(&hold.entered, 1);
    CHECK_EQUAL(sq_async(second, do_nothing, NULL), 0);
    caller_start(&waiter, BY_SYNC, second, SQ_FOREVER, do_nothing, NULL);
    wait_until_asleep(&waiter.thread_id);
    const char *text = dump_until("in queue \"second\"", "it waits for a thread of its pool", NULL);
    CHECK_LINE(text, "queue \"second\" 0x", ": 2 waiting", "waits for a thread of its pool");
    CHECK_LINE(text, "pool \"test pool\": 1 of 1 permits taken", "1 threads, 0 idle, 1 blocked", "1 queues ready");
    end_hold(&hold);
    CHECK_EQUAL(caller_end(&waiter), 0);
    drain(second);
    sq_queue_release(first);
    sq_queue_release(second);
    sq_pool_release(pool);
}

static void take_permit(void *semaphore) { CHECK_EQUAL(sq_semaphore_wait(semaphore, SQ_FOREVER), 0); }

TEST(a_task_that_waits_in_a_call_of_the_library_is_counted_beside_the_permits) {
    sq_pool_t *pool = make_pool(1);
    sq_queue_t *queue = queue_on(pool, "first", 0);
    sq_semaphore_t *semaphore = sq_semaphore_create("permits", 0);
    CHECK_EQUAL(sq_async(queue, take_permit, semaphore), 0);
    (void)dump_until("pool \"test pool\": 0 of 1 permits taken", "0 blocked in a task, 1 more in a wait of this library", NULL);
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    drain(queue);
    sq_semaphore_release(semaphore);
    sq_queue_release(queue);
    sq_pool_release(pool);
}

/* A holds "a" and waits for "b", whose task waits for a semaphore that A would signal: no deadlock that can be refused. */
typedef struct knot {
    sq_queue_t *other;
    sq_semaphore_t *semaphore;
    latch_t entered;
} knot_t;

static void wait_for_permit(void *context) {
    knot_t *knot = context;
    latch_bump(&knot->entered);
    CHECK_EQUAL(sq_semaphore_wait(knot->semaphore, SQ_FOREVER), 0);
}

static void sync_onto_other(void *context) { CHECK_EQUAL(sq_sync(((knot_t *)context)->other, do_nothing, NULL), 0); }

TEST(a_chain_of_waits_is_followed_to_its_end) {
    sq_queue_t *a = make_queue_of("a", 0), *b = make_queue_of("b", 0);
    knot_t knot = { .other = b, .semaphore = sq_semaphore_create("permits", 0), .entered = LATCH_INIT };
    caller_t first;
    CHECK_EQUAL(sq_async(b, wait_for_permit, &knot), 0);
    latch_wait(&knot.entered, 1);
    caller_start(&first, BY_SYNC, a, SQ_FOREVER, sync_onto_other, &knot);
    const char *text = dump_until("for its turn in queue \"b\"", "runs it and waits for semaphore \"permits\"", NULL);
    CHECK_LINE(text, "has waited", "for semaphore \"permits\"", NULL);
    CHECK_LINE(text, "runs sync_onto_other", "in queue \"a\"", "it waits (see above)");
    CHECK_EQUAL(sq_semaphore_signal(knot.semaphore), 0);
    CHECK_EQUAL(caller_end(&first), 0);
    drain(b);
    sq_semaphore_release(knot.semaphore);
    sq_queue_release(a);
    sq_queue_release(b);
}

static void *wait_for_group(void *group) {
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    return NULL;
}

TEST(a_group_is_shown_with_its_members_and_their_queues) {
    sq_queue_t *queue = make_queue_of("members", 0);
    sq_group_t *group = sq_group_create("uploads");
    hold_t hold = HOLD_INIT;
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_async(group, queue, stand_here, &hold), 0);
    latch_wait(&hold.entered, 1);
    CHECK_EQUAL(sq_group_async(group, queue, do_nothing, NULL), 0);
    pthread_t waiter = spawn(wait_for_group, group);
    const char *text = dump_until("for group \"uploads\", 1 entered, 2 in queue \"members\"", "runs it", NULL);
    CHECK_LINE(text, "runs stand_here", "in queue \"members\"", NULL);
    end_hold(&hold);
    CHECK_EQUAL(sq_group_leave(group), 0);
    join(waiter);
    drain(queue);
    sq_group_release(group);
    sq_queue_release(queue);
}

static void *wait_for_item(void *item) {
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    return NULL;
}

TEST(an_item_that_runs_is_shown_with_its_own_function) {
    sq_queue_t *queue = make_queue_of("items", 0);
    hold_t hold = HOLD_INIT;
    sq_item_t *item = sq_item_create("thumbnail", &(sq_task_t){ .run = stand_here, .context = &hold });
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    latch_wait(&hold.entered, 1);
    pthread_t waiter = spawn(wait_for_item, item);
    const char *text = dump_until("for item \"thumbnail\"", "runs it", NULL);
    CHECK_LINE(text, "runs stand_here", "in queue \"items\"", NULL);
    end_hold(&hold);
    join(waiter);
    sq_item_release(item);
    sq_queue_release(queue);
}

TEST(objects_without_a_label_are_shown_by_where_they_were_made) {
    enum { HERE = sizeof "objects_without_a_label_are_shown_by_where_they_were_made" };
    const char *const made = " made by objects_without_a_label_are_shown_by_where_they_were_made (dump_test+0x";
    char of_group[64 + HERE], of_item[64 + HERE], of_semaphore[64 + HERE];
    sq_queue_t *queue = make_queue_of("nameless", 0);
    hold_t hold = HOLD_INIT;
    sq_group_t *group = sq_group_create(NULL);
    sq_item_t *item = sq_item_create("", &(sq_task_t){ .run = stand_here, .context = &hold });
    knot_t knot = { .semaphore = sq_semaphore_create("", 0), .entered = LATCH_INIT };
    snprintf(of_group, sizeof of_group, "for group%s", made);
    snprintf(of_item, sizeof of_item, "for item%s", made);
    snprintf(of_semaphore, sizeof of_semaphore, "for semaphore%s", made);
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    latch_wait(&hold.entered, 1);
    pthread_t waits_for_group = spawn(wait_for_group, group), waits_for_item = spawn(wait_for_item, item);
    caller_t waits_for_permit;
    sq_queue_t *other = make_queue_of("other", 0);
    caller_start(&waits_for_permit, BY_SYNC, other, SQ_FOREVER, wait_for_permit, &knot);
    latch_wait(&knot.entered, 1);
    (void)dump_until(of_group, NULL, NULL);
    (void)dump_until(of_item, NULL, NULL);
    (void)dump_until(of_semaphore, NULL, NULL);
    CHECK_STRING(sq_group_label(group), "");
    CHECK_EQUAL(sq_semaphore_signal(knot.semaphore), 0);
    CHECK_EQUAL(caller_end(&waits_for_permit), 0);
    CHECK_EQUAL(sq_group_leave(group), 0);
    join(waits_for_group);
    end_hold(&hold);
    join(waits_for_item);
    drain(queue);
    sq_semaphore_release(knot.semaphore);
    sq_item_release(item);
    sq_group_release(group);
    sq_queue_release(other);
    sq_queue_release(queue);
}

typedef struct no_item {
    sq_function_t words[100];
    hold_t hold;
} no_item_t;

static void pair_stands_here(void *first, void *unused, bool runs) {
    CHECK(runs && unused == NULL);
    stand_here(&((no_item_t *)first)->hold);
}

/* The first argument points to addresses of functions, as an item has one. */
TEST(a_pair_that_is_no_item_is_shown_with_its_own_function) {
    sq_queue_t *queue = make_queue_of("pairs", 0);
    no_item_t first = { .hold = HOLD_INIT };
    for (size_t i = 0; i < 100; i += 1) {
        first.words[i] = add_one;
    }
    CHECK_EQUAL(sq_async_pair(queue, SQ_NOW, pair_stands_here, &first, NULL), 0);
    latch_wait(&first.hold.entered, 1);
    CHECK_LINE(dump_now(), "runs pair_stands_here", "in queue \"pairs\"", NULL);
    end_hold(&first.hold);
    sq_queue_release(queue);
}

static sq_once_t once = SQ_ONCE_INIT;
static hold_t hold_of_once = HOLD_INIT;
static void *call_once(void *unused) {
    CHECK_EQUAL(sq_once(&once, stand_here, &hold_of_once), 0);
    return unused;
}

TEST(a_once_is_shown_with_the_thread_inside_it) {
    pthread_t first = spawn(call_once, NULL);
    latch_wait(&hold_of_once.entered, 1);
    pthread_t second = spawn(call_once, NULL);
    const char *text = dump_until("has waited", "for once \"0x", "is inside its function");
    CHECK_LINE(text, "runs a function of once", NULL, NULL);
    end_hold(&hold_of_once);
    join(first);
    join(second);
}

static void *sync_barrier(void *queue) {
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    return NULL;
}

TEST(a_barrier_that_waits_for_readers_is_shown_with_the_gate) {
    sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
    hold_t hold = HOLD_INIT;
    caller_t reader;
    caller_start(&reader, BY_SYNC, queue, SQ_FOREVER, stand_here, &hold);
    latch_wait(&hold.entered, 1);
    pthread_t barrier = spawn(sync_barrier, queue);
    const char *text = dump_until("its turn as a barrier in queue \"concurrent\"", "runs it", NULL);
    CHECK_LINE(text, "queue \"concurrent\"", "1 task runs, and a barrier waits for them", NULL);
    CHECK_LINE(text, "runs stand_here", "in queue \"concurrent\"", NULL);
    end_hold(&hold);
    CHECK_EQUAL(caller_end(&reader), 0);
    join(barrier);
    sq_queue_release(queue);
}

TEST(timers_and_delayed_tasks_are_shown_with_their_queues) {
    sq_queue_t *queue = make_queue_of("hours", 0);
    sq_pool_t *pool = make_manual_pool();
    sq_queue_t *manual = queue_on(pool, "by hand", 0);
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ .run = do_nothing });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 3600000000000u, 60000000000u, 0), 0);
    CHECK_EQUAL(sq_async_after(manual, 5000000000u, do_nothing, NULL), 0);
    const char *text = dump_now();
    CHECK_LINE(text, "a timer of queue \"hours\" 0x", "every 60.000 s", NULL);
    CHECK_LINE(text, "in 5.000 s of the clock of pool \"manual\": a delayed task of queue \"by hand\"", NULL, NULL);
    sq_timer_release(timer);
    sq_queue_release(queue);
    sq_queue_release(manual);
    CHECK_EQUAL(sq_pool_advance(pool, 5000000000u), 1);
    sq_pool_release(pool);
}

/* A pool that has grown has an alarm, to shrink again. */
TEST(an_alarm_that_belongs_to_no_queue_is_not_shown) {
    enum { MOST = 64 };
    size_t count = sq__processor_count() < MOST ? sq__processor_count() + 1 : MOST;
    sq_pool_t *pool = sq_pool_create("growing", NULL);
    sq_queue_t *queues[MOST];
    hold_t hold = HOLD_INIT;
    REQUIRE(pool != NULL);
    for (size_t i = 0; i < count; i += 1) {
        queues[i] = queue_on(pool, "blocked", 0);
        CHECK_EQUAL(sq_async(queues[i], stand_here, &hold), 0);
    }
    latch_wait(&hold.entered, count);
    CHECK(!has_line(dump_now(), "a delayed task of queue", NULL, NULL));
    latch_bump(&hold.leave);
    latch_wait(&hold.left, count);
    for (size_t i = 0; i < count; i += 1) {
        sq_queue_release(queues[i]);
    }
    sq_pool_release(pool);
}

static void sync_onto_itself(void *queue) { CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), EDEADLK); }

TEST(the_last_report_of_a_deadlock_is_shown) {
    sq_queue_t *queue = make_queue_of("narcissus", 0);
    CHECK_EQUAL(sq_sync(queue, sync_onto_itself, queue), 0);
    char number[64];
    snprintf(number, sizeof number, "Queue numbers: \"narcissus\" %p.", (const void *)queue);
    CHECK_LINE(dump_now(), "ago: sync onto queue \"narcissus\" from its own task", number, NULL);
    sq_queue_release(queue);
}

TEST(a_dump_to_a_file_that_is_not_open_returns_the_error) {
    CHECK_EQUAL(sq_dump(-1), EBADF);
    CHECK_EQUAL(sq_dump_json(-1), EBADF);
}

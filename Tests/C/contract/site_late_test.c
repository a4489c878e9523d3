/* site_late_test.c: delayed tasks, timers, items, members and barriers of a watched queue are shown with the functions that submitted
 * or made them. */
#include "dump.h"
#include "stall_watcher.h"

/* Not static: so the program's own table has them in any case. */
void submit_after(sq_queue_t *queue, hold_t *hold);
void submit_task_after(sq_queue_t *queue, hold_t *hold);
void submit_item(sq_queue_t *queue, hold_t *hold);
void submit_member_item(sq_queue_t *queue, hold_t *hold);
void submit_member_barrier(sq_queue_t *queue, hold_t *hold);
void submit_item_after(sq_queue_t *queue, hold_t *hold);
void submit_member(sq_queue_t *queue, hold_t *hold);
void submit_member_task(sq_queue_t *queue, hold_t *hold);
void submit_barrier(sq_queue_t *queue, hold_t *hold);
void submit_barrier_task(sq_queue_t *queue, hold_t *hold);
void submit_deferred(sq_queue_t *queue, hold_t *hold);
sq_timer_t *make_timer(sq_queue_t *queue, hold_t *hold);
void run_held(void *hold);

enum { SOON = 1000000 };

static sq_group_t *group;
static sq_item_t *item;

void run_held(void *context) {
    hold_t *hold = context;
    latch_bump(&hold->entered);
    latch_wait(&hold->leave, hold->entered.value);
    latch_bump(&hold->left);
}

__attribute__((noinline)) void submit_after(sq_queue_t *queue, hold_t *hold) { CHECK_EQUAL(sq_async_after(queue, SOON, run_held, hold), 0); }

__attribute__((noinline)) void submit_task_after(sq_queue_t *queue, hold_t *hold) {
    CHECK_EQUAL(sq_async_task_after(queue, SOON, &(sq_task_t){ .run = run_held, .context = hold }), 0);
}

__attribute__((noinline)) void submit_item(sq_queue_t *queue, hold_t *hold) {
    item = sq_item_create("sited", &(sq_task_t){ .run = run_held, .context = hold });
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
}

__attribute__((noinline)) void submit_item_after(sq_queue_t *queue, hold_t *hold) {
    item = sq_item_create("sited", &(sq_task_t){ .run = run_held, .context = hold });
    CHECK_EQUAL(sq_item_submit_after(item, queue, SOON), 0);
}

__attribute__((noinline)) void submit_member(sq_queue_t *queue, hold_t *hold) { CHECK_EQUAL(sq_group_async(group, queue, run_held, hold), 0); }

__attribute__((noinline)) void submit_member_task(sq_queue_t *queue, hold_t *hold) {
    CHECK_EQUAL(sq_group_async_task(group, queue, &(sq_task_t){ run_held, hold, do_nothing }), 0);
}

__attribute__((noinline)) void submit_member_item(sq_queue_t *queue, hold_t *hold) {
    item = sq_item_create("sited", &(sq_task_t){ .run = run_held, .context = hold });
    CHECK_EQUAL(sq_group_submit_item(group, item, queue), 0);
}

__attribute__((noinline)) void submit_member_barrier(sq_queue_t *queue, hold_t *hold) {
    CHECK_EQUAL(sq_group_async_barrier_task(group, queue, &(sq_task_t){ run_held, hold, do_nothing }), 0);
}

__attribute__((noinline)) void submit_barrier(sq_queue_t *queue, hold_t *hold) { CHECK_EQUAL(sq_async_barrier(queue, run_held, hold), 0); }

__attribute__((noinline)) void submit_barrier_task(sq_queue_t *queue, hold_t *hold) {
    CHECK_EQUAL(sq_async_barrier_task(queue, &(sq_task_t){ .run = run_held, .context = hold }), 0);
}

static void run_pair(void *first, void *second, bool runs) {
    (void)second;
    CHECK(runs);
    run_held(first);
}

/* The queue has room without end, so it is submitted at once. */
__attribute__((noinline)) void submit_deferred(sq_queue_t *queue, hold_t *hold) {
    sq_deferred_t task = { .call = run_pair, .first = hold };
    CHECK_EQUAL(sq_async_deferred(queue, &task), 0);
}

__attribute__((noinline)) sq_timer_t *make_timer(sq_queue_t *queue, hold_t *hold) {
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ .run = run_held, .context = hold });
    REQUIRE(timer != NULL);
    return timer;
}

typedef struct place {
    void (*submit)(sq_queue_t *, hold_t *);
    const char *shown;
} place_t;

static const place_t places[] = {
    { submit_after, ", submitted by submit_after (" },     { submit_task_after, ", submitted by submit_task_after (" },
    { submit_item, ", submitted by submit_item (" },       { submit_item_after, ", submitted by submit_item_after (" },
    { submit_member, ", submitted by submit_member (" },   { submit_member_task, ", submitted by submit_member_task (" },
    { submit_member_item, ", submitted by submit_member_item (" }, { submit_member_barrier, ", submitted by submit_member_barrier (" },
    { submit_barrier, ", submitted by submit_barrier (" }, { submit_barrier_task, ", submitted by submit_barrier_task (" },
    { submit_deferred, ", submitted by submit_deferred (" },
};

static void check_place(sq_queue_t *queue, const place_t *place) {
    hold_t hold = HOLD_INIT;
    place->submit(queue, &hold);
    latch_wait(&hold.entered, 1);
    CHECK_LINE(dump_now(), " in queue \"late\"", place->shown, NULL);
    latch_bump(&hold.leave);
    latch_wait(&hold.left, 1);
    drain(queue);
    sq_item_release(item);
    item = NULL;
}

TEST(each_task_of_a_watched_queue_is_shown_with_the_function_that_submitted_it) {
    sq_queue_t *queue = make_queue_of("late", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    group = sq_group_create("sited");
    watch(queue, &ward, HOURS);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i += 1) {
        check_place(queue, &places[i]);
    }
    sq_group_release(group);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

TEST(a_delayed_task_that_has_to_wait_for_its_turn_keeps_its_site) {
    sq_queue_t *queue = make_queue_of("late", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    hold_t before, hold = HOLD_INIT;
    watch(queue, &ward, HOURS);
    hold_async(&before, queue);
    submit_after(queue, &hold);
    wait_for_depth(queue, 1);
    hold_end(&before);
    latch_wait(&hold.entered, 1);
    CHECK_LINE(dump_now(), " in queue \"late\"", ", submitted by submit_after (", NULL);
    latch_bump(&hold.leave);
    latch_wait(&hold.left, 1);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

TEST(each_firing_of_a_timer_is_shown_with_the_function_that_made_the_timer) {
    sq_queue_t *queue = make_queue_of("late", 0);
    stall_watcher_t ward = STALL_WATCHER_INIT;
    hold_t hold = HOLD_INIT;
    watch(queue, &ward, HOURS);
    sq_timer_t *timer = make_timer(queue, &hold);
    CHECK_EQUAL(sq_timer_start(timer, SOON, SOON, 0), 0);
    for (size_t firing = 1; firing <= 3; firing += 1) {
        latch_wait(&hold.entered, firing);
        CHECK_LINE(dump_now(), " in queue \"late\"", ", submitted by make_timer (", NULL);
        latch_bump(&hold.leave);
    }
    CHECK_EQUAL(sq_timer_cancel(timer), 0);
    for (size_t i = 0; i < 1000; i += 1) {
        latch_bump(&hold.leave); /* a firing that had begun by then */
    }
    drain(queue);
    sq_timer_release(timer);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

/* explore_wait_test.c: what an exploration decides: which thread continues, whether a wait expires, whether there is room; and
 * what it says of tests that wait forever, or do not end. */
#include "explore_scene.h"

#include "sq_barrier.h"
#include "sq_group.h"
#include "sq_item.h"
#include "sq_timer.h"

/* Deadlines */

static void wait_for_an_hour(void *context) {
    scene_t *scene = context;
    int error = sq_semaphore_wait(scene->semaphore, sq_deadline(3600ull * 1000000000));
    CHECK(error == 0 || error == ETIMEDOUT);
    outcomes[error == 0 ? 1 : 2] += 1;
    scene->value = error;
}

static void wait_and_signal(sq_pool_t *pool, void *context) {
    scene_t scene = scene_on(pool);
    (void)context;
    scene.value = -1;
    CHECK_EQUAL(sq_async(scene.a, wait_for_an_hour, &scene), 0);
    CHECK_EQUAL(sq_async(scene.b, signal_permit, &scene), 0);
    sq_pool_run(pool);
    while (scene.value < 0) { /* the pool may be run before the wait has expired */
        sq_pool_run(pool);
    }
    end_scene(&scene);
}

TEST(a_wait_with_a_deadline_expires_under_some_schedules_whatever_the_clock_says) {
    check_outcomes_of("expiry", wait_and_signal, "12");
}

/* Waits that never end */

static void wait_for_permit(void *context) { CHECK_EQUAL(sq_semaphore_wait(((scene_t *)context)->semaphore, SQ_FOREVER), EDEADLK); }

static void wait_for_nobody(sq_pool_t *pool, void *context) {
    scene_t scene = scene_on(pool);
    (void)context;
    CHECK_EQUAL(sq_async(scene.a, wait_for_permit, &scene), 0);
    sq_pool_run(pool);
    CHECK_EQUAL(sq_async(scene.b, wait_for_permit, &scene), 0);
    CHECK_EQUAL(sq_sync(scene.a, wait_for_permit, &scene), EDEADLK); /* its turn never comes */
    end_scene(&scene);
}

TEST(a_wait_that_nothing_can_end_fails_and_names_who_waits_for_what) {
    sq_explored_t explored = explore("nobody", wait_for_nobody, NULL, options_of(SQ_EXPLORE_RANDOM, 10));
    check_failed(&explored, "waits forever: ");
    check_failed(&explored, "\"wait_for_permit\" of queue \"a\" waits for semaphore \"permits\"");
    check_failed(&explored, "the test waits for its turn in queue \"a\", whose task waits, too");
    sq_explored_clear(&explored);
}

static void wait_or_be_refused(void *context) { WHATEVER(sq_semaphore_wait(((scene_t *)context)->semaphore, SQ_FOREVER)); }

/* One schedule in 64 has a task that waits for the test. */
static void wait_rarely(sq_pool_t *pool, void *context) {
    scene_t scene = scene_on(pool);
    (void)context;
    if (sq_pool_choose(pool, 64) == 63) {
        WHATEVER(sq_async(scene.a, wait_or_be_refused, &scene));
    }
    sq_pool_run(pool);
    signal_permit(&scene);
    sq_pool_run(pool);
    end_scene(&scene);
}

TEST(a_task_that_waits_for_the_test_for_the_first_time_in_a_late_schedule_is_no_failure) {
    check_passed(explore("rarely", wait_rarely, NULL, options_of(SQ_EXPLORE_RANDOM, 1000)), false);
    check_passed(explore("rarely", wait_rarely, NULL, options_of(SQ_EXPLORE_DEPTH_FIRST, 1000)), true);
}

static void nothing(void *context) { (void)context; }
static void sync_b(void *context) { WHATEVER(sq_sync(((scene_t *)context)->b, nothing, NULL)); }
static void sync_a(void *context) { WHATEVER(sq_sync(((scene_t *)context)->a, nothing, NULL)); }

static void wait_crosswise(sq_pool_t *pool, void *context) {
    scene_t scene = scene_on(pool);
    (void)context;
    CHECK_EQUAL(sq_async(scene.a, sync_b, &scene), 0);
    CHECK_EQUAL(sq_async(scene.b, sync_a, &scene), 0);
    sq_pool_run(pool);
    end_scene(&scene);
}

TEST(a_deadlock_is_found_and_its_report_is_the_message) {
    sq_explored_t explored = explore("crosswise", wait_crosswise, NULL, options_of(SQ_EXPLORE_RANDOM, 100));
    check_failed(&explored, "deadlock: thread ");
    CHECK_EQUAL(explored.choices_that_matter, 0);
    sq_explored_clear(&explored);
}

/* No end */

static void submit_again(void *context) { WHATEVER(sq_async(((scene_t *)context)->a, submit_again, context)); }

static void never_end(sq_pool_t *pool, void *context) {
    static scene_t scene;
    (void)context;
    scene = scene_on(pool);
    CHECK_EQUAL(sq_async(scene.a, submit_again, &scene), 0);
    sq_pool_run(pool);
    end_scene(&scene);
}

TEST(a_schedule_without_end_fails_at_the_limit_of_steps) {
    sq_explore_options_t options = options_of(SQ_EXPLORE_RANDOM, 10);
    options.steps = 1000;
    sq_explored_t explored = explore("endless", never_end, NULL, options);
    check_failed(&explored, "no end: more than 1000 steps");
    sq_explored_clear(&explored);
}

/* The test's own decisions */

static void choose_of_three(sq_pool_t *pool, void *context) {
    (void)context;
    outcomes[sq_pool_choose(pool, 3)] += 1;
    CHECK_EQUAL(sq_pool_choose(pool, 1), 0);
}

TEST(a_test_can_have_its_own_decisions_explored) {
    check_outcomes_of("choice", choose_of_three, "012");
    sq_pool_t *pool = make_manual_pool();
    CHECK_EQUAL(sq_pool_choose(pool, 3), 0);
    sq_pool_yield(pool);
    sq_pool_release(pool);
}

static void copy_and_add(void *context) {
    scene_t *scene = context;
    int copy = scene->value;
    sq_pool_yield(scene->pool);
    scene->value = copy + 1;
}

static void add_with_yields(sq_pool_t *pool, void *context) {
    scene_t scene = scene_on(pool);
    (void)context;
    CHECK_EQUAL(sq_async(scene.a, copy_and_add, &scene), 0);
    CHECK_EQUAL(sq_async(scene.b, copy_and_add, &scene), 0);
    sq_pool_run(pool);
    outcomes[scene.value] += 1;
    end_scene(&scene);
}

TEST(a_task_that_yields_can_be_interrupted_there) { check_outcomes_of("yield", add_with_yields, "12"); }

/* Room */

static void fill(sq_pool_t *pool, void *context) {
    sq_queue_t *queue = queue_on(pool, "narrow", 1);
    (void)context;
    CHECK_EQUAL(sq_async(queue, nothing, NULL), 0);
    int error = sq_async(queue, nothing, NULL);
    CHECK(error == 0 || error == EAGAIN);
    outcomes[error == 0] += 1;
    sq_pool_run(pool);
    sq_queue_release(queue);
}

TEST(a_full_queue_may_have_room_by_the_time_of_a_submission) { check_outcomes_of("room", fill, "01"); }

/* Groups, items, concurrent queues */

static void count_up(void *context) { ((scene_t *)context)->value += 1; }

static void wait_for_group(sq_pool_t *pool, void *context) {
    scene_t scene = scene_on(pool);
    sq_group_t *group = sq_group_create("group");
    (void)context;
    CHECK_EQUAL(sq_group_async(group, scene.a, count_up, &scene), 0);
    CHECK_EQUAL(sq_group_async(group, scene.b, count_up, &scene), 0);
    CHECK_EQUAL(sq_async(scene.b, count_up, &scene), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    outcomes[scene.value] += 1;
    sq_pool_run(pool);
    sq_group_release(group);
    end_scene(&scene);
}

TEST(a_wait_for_a_group_ends_after_its_members_with_or_without_other_tasks) { check_outcomes_of("group", wait_for_group, "23"); }

static void cancel_item(void *context) {
    int error = sq_item_cancel(*(sq_item_t **)context);
    CHECK(error == 0 || error == EALREADY);
    outcomes[error == 0 ? 4 : 5] += 1;
}

static void cancel_and_start(sq_pool_t *pool, void *context) {
    scene_t scene = scene_on(pool);
    (void)context;
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ count_up, &scene, NULL });
    REQUIRE(item != NULL);
    CHECK_EQUAL(sq_async(scene.b, cancel_item, &item), 0);
    CHECK_EQUAL(sq_item_submit(item, scene.a), 0);
    int error = sq_item_wait(item, SQ_FOREVER);
    CHECK_EQUAL(error, scene.value == 1 ? 0 : ECANCELED);
    outcomes[scene.value] += 1;
    sq_pool_run(pool);
    sq_item_release(item);
    end_scene(&scene);
}

TEST(an_item_is_cancelled_before_its_start_or_after_its_end) { check_outcomes_of("item", cancel_and_start, "0145"); }

typedef struct readers {
    sq_queue_t *queue;
    sq_pool_t *pool;
    int inside, most, writers;
} readers_t;

static void be_reader(void *context) {
    readers_t *readers = context;
    readers->inside += 1;
    readers->most = readers->inside > readers->most ? readers->inside : readers->most;
    CHECK_EQUAL(readers->writers, 0);
    sq_pool_yield(readers->pool);
    CHECK_EQUAL(readers->writers, 0);
    readers->inside -= 1;
}

static void be_writer(void *context) {
    readers_t *readers = context;
    readers->writers += 1;
    CHECK_EQUAL(readers->inside, 0);
    sq_pool_yield(readers->pool);
    CHECK_EQUAL(readers->inside, 0);
    readers->writers -= 1;
}

static void read_and_write(sq_pool_t *pool, void *context) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    (void)context;
    options.pool = pool;
    options.width = 2;
    readers_t readers = { .queue = sq_queue_create("concurrent", &options), .pool = pool };
    REQUIRE(readers.queue != NULL);
    CHECK_EQUAL(sq_async(readers.queue, be_reader, &readers), 0);
    CHECK_EQUAL(sq_async(readers.queue, be_reader, &readers), 0);
    CHECK_EQUAL(sq_async_barrier(readers.queue, be_writer, &readers), 0);
    CHECK_EQUAL(sq_sync(readers.queue, be_reader, &readers), 0);
    CHECK_EQUAL(sq_sync_barrier(readers.queue, be_writer, &readers), 0);
    sq_pool_run(pool);
    outcomes[readers.most] += 1;
    sq_queue_release(readers.queue);
}

TEST(readers_of_a_concurrent_queue_overlap_or_not_and_a_barrier_never_does) {
    check_outcomes_of("concurrent", read_and_write, "12");
}

/* From outside */

static void wait_for_permit_once(void *context) {
    CHECK_EQUAL(sq_semaphore_wait(((scene_t *)context)->semaphore, SQ_FOREVER), 0);
    ((scene_t *)context)->value += 1;
}

TEST(the_loop_can_be_driven_from_outside_step_by_step) {
    sq_explore_options_t options = options_of(SQ_EXPLORE_RANDOM, 50);
    sq_explored_t explored = SQ_EXPLORED_INIT;
    sq_pool_t *pool;
    int steps[2] = { 0, 0 }, runs = 0;
    options.name = "steps";
    sq_exploration_t *exploration = sq_exploration_create(&options, &explored);
    REQUIRE(exploration != NULL);
    while ((pool = sq_exploration_begin_run(exploration)) != NULL) {
        scene_t scene = scene_on(pool);
        CHECK_EQUAL(sq_async(scene.a, wait_for_permit_once, &scene), 0);
        CHECK_EQUAL(sq_async_after(scene.b, 10, signal_permit, &scene), 0);
        while (sq_exploration_step(exploration, false)) {
            steps[0] += 1;
        }
        CHECK(scene.value == 0 || runs == 0); /* the first run has to find out that tasks wait */
        while (sq_exploration_step(exploration, true)) {
            steps[1] += 1;
        }
        CHECK_EQUAL(scene.value, 1);
        CHECK(sq_exploration_end_run(exploration, NULL));
        end_scene(&scene);
        runs += 1;
    }
    CHECK_EQUAL(sq_exploration_finish(exploration, &explored), 0);
    CHECK_EQUAL(explored.schedules, 50);
    CHECK_EQUAL(runs, 50);
    CHECK(steps[0] >= runs && steps[1] >= 2 * runs);
    sq_explored_clear(&explored);
}

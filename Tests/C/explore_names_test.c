/* explore_names_test.c: what stands for a task in a timeline: the function of the program, or the label. */
#include "explore.h"

#include "sq_group.h"
#include "sq_item.h"
#include "sq_timer.h"

static void work_of_item(void *unused) { (void)unused; }
static void work_of_member(void *unused) { (void)unused; }
static void work_of_timer(void *unused) { (void)unused; }
static void discard_nothing(void *unused) { (void)unused; }

static void pair_of_member(void *first, void *second, bool runs) { (void)first, (void)second, (void)runs; }

static void fail_with_items(sq_pool_t *pool, void *unused) {
    sq_queue_t *queue = queue_on(pool, "queue", 0);
    sq_item_t *plain = sq_item_create(NULL, &(sq_task_t){ work_of_item, NULL, NULL });
    sq_item_t *labelled = sq_item_create("page 7", &(sq_task_t){ work_of_item, NULL, NULL });
    (void)unused;
    REQUIRE(plain != NULL && labelled != NULL);
    CHECK_EQUAL(sq_item_submit(plain, queue), 0);
    CHECK_EQUAL(sq_item_submit(labelled, queue), 0);
    sq_pool_run(pool);
    sq_explore_fail("to see the report");
    sq_item_release(plain);
    sq_item_release(labelled);
    sq_queue_release(queue);
}

/* To see it fail: no sq__item_function in called_by_pair (explore/names.c). */
TEST(a_work_item_has_its_label_or_the_name_of_its_function) {
    sq_explored_t explored = explore("items", fail_with_items, NULL, options_of(SQ_EXPLORE_RANDOM, 2));
    check_reports(&explored, "[ work_of_item ]");
    check_reports(&explored, "[ page 7 ]");
    sq_explored_clear(&explored);
}

static void fail_with_members(sq_pool_t *pool, void *unused) {
    sq_queue_t *queue = queue_on(pool, "queue", 0);
    sq_group_t *group = sq_group_create("group");
    (void)unused;
    REQUIRE(group != NULL);
    CHECK_EQUAL(sq_group_async_task(group, queue, &(sq_task_t){ work_of_member, NULL, discard_nothing }), 0);
    CHECK_EQUAL(sq_group_async_pair(group, queue, pair_of_member, NULL, NULL), 0);
    sq_pool_run(pool);
    sq_explore_fail("to see the report");
    sq_group_release(group);
    sq_queue_release(queue);
}

/* To see it fail: no sq__group_pair in called_by_member. */
TEST(a_member_of_a_group_has_the_name_of_its_function) {
    sq_explored_t explored = explore("members", fail_with_members, NULL, options_of(SQ_EXPLORE_RANDOM, 2));
    check_reports(&explored, "[ work_of_member ]");
    check_reports(&explored, "[ pair_of_member ]");
    sq_explored_clear(&explored);
}

static void fail_with_timer(sq_pool_t *pool, void *unused) {
    sq_queue_t *queue = queue_on(pool, "queue", 0);
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ work_of_timer, NULL, NULL });
    (void)unused;
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 1000, 0, 0), 0);
    sq_pool_advance(pool, 1000);
    sq_explore_fail("to see the report");
    sq_timer_release(timer);
    sq_queue_release(queue);
}

/* To see it fail: no sq__timer_task in called_by_pair. */
TEST(a_firing_has_the_name_of_the_timers_function) {
    sq_explored_t explored = explore("timers", fail_with_timer, NULL, options_of(SQ_EXPLORE_RANDOM, 2));
    check_reports(&explored, "[ work_of_timer ]");
    sq_explored_clear(&explored);
}

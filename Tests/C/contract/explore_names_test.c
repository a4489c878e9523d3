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

TEST(a_work_item_has_its_label_or_the_name_of_its_function) {
    sq_explored_t explored = explore("items", fail_with_items, NULL, options_of(SQ_EXPLORE_RANDOM, 2));
    check_reports(&explored, "[ work_of_item ]");
    check_reports(&explored, "[ page 7 ]");
    sq_explored_clear(&explored);
}

static void do_work(void *unused) { (void)unused; }

/* `context`: the labels, up to NULL. */
static void fail_with_labels(sq_pool_t *pool, void *context) {
    const char *const *labels = context;
    sq_queue_t *queues[4];
    size_t count = 0;
    for (; labels[count] != NULL; count += 1) {
        queues[count] = queue_on(pool, labels[count], 0);
        CHECK_EQUAL(sq_async(queues[count], do_work, NULL), 0);
        sq_pool_run(pool);
    }
    sq_explore_fail("to see the report");
    for (size_t i = 0; i < count; i += 1) {
        sq_queue_release(queues[i]);
    }
}

TEST(heads_leave_out_what_the_labels_with_dots_share) {
    static const struct {
        const char *labels[5], *heads;
    } cases[] = {
        { { "com.example.warehouse.orders", "com.example.warehouse.mail", "main" }, "  step  test              orders            mail              main\n" },
        { { "com.example.shop.a", "com.other.b" }, "  step  test              example.shop.a    other.b\n" },
        { { "com.example.store", "com.example.storage" }, "  step  test              store             storage\n" },
        { { "com.example.warehouse" }, "  step  test              warehouse\n" },
        { { "a.store", "a.mail", "store" }, "  step  test              a.store           mail              store\n" },
        { { "a.b", "a." }, "  step  test              a.b               a.\n" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += 1) {
        sq_explored_t explored = explore("labels", fail_with_labels, (void *)(uintptr_t)cases[i].labels, options_of(SQ_EXPLORE_RANDOM, 2));
        check_reports(&explored, cases[i].heads);
        sq_explored_clear(&explored);
    }
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

TEST(a_firing_has_the_name_of_the_timers_function) {
    sq_explored_t explored = explore("timers", fail_with_timer, NULL, options_of(SQ_EXPLORE_RANDOM, 2));
    check_reports(&explored, "[ work_of_timer ]");
    sq_explored_clear(&explored);
}

static int first;

static void load_row(void *number) { first = first == 0 ? (int)(intptr_t)number : first; }
static void save_row(void *number) { load_row(number); }
static void member_pair(void *number, void *unused, bool runs) {
    (void)unused;
    CHECK(runs);
    load_row(number);
}

/* Fails if the member, on queue "b", runs first. */
static void an_item_and_a_member(sq_pool_t *pool, void *context) {
    sq_queue_t *a = queue_on(pool, "a", 0), *b = queue_on(pool, "b", 0);
    sq_item_t *item = sq_item_create(NULL, &(sq_task_t){ .run = save_row, .context = (void *)1 });
    sq_group_t *group = sq_group_create("group");
    (void)context;
    first = 0;
    CHECK_EQUAL(sq_item_submit(item, a), 0);
    CHECK_EQUAL(sq_group_async_pair(group, b, member_pair, (void *)2, NULL), 0);
    sq_pool_run(pool);
    SQ_EXPLORE_CHECK(first == 1);
    sq_item_release(item);
    sq_group_release(group);
    sq_queue_release(a);
    sq_queue_release(b);
}

TEST(a_report_names_the_functions_of_items_and_of_members_that_are_pairs) {
    sq_explored_t explored = explore("names", an_item_and_a_member, NULL, options_of(SQ_EXPLORE_DEPTH_FIRST, 1000));
    check_failed(&explored, "first == 1");
    check_reports(&explored, "member_pair");
    check_reports(&explored, "save_row");
    CHECK(explored.report != NULL && strstr(explored.report, "have_turn") == NULL && strstr(explored.report, "run_pair") == NULL);
    sq_explored_clear(&explored);
}

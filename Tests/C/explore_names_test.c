/* explore_names_test.c: a report names the user's functions, not those of the library that call them. */
#include "explore.h"

#include "sq_group.h"
#include "sq_item.h"

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
    sq_item_t *item = sq_item_create("row", &(sq_task_t){ .run = save_row, .context = (void *)1 });
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

/* To see it fail: in user_function (explore/names.c), do not unwrap. */
TEST(a_report_names_the_functions_of_items_and_of_members_that_are_pairs) {
    sq_explored_t explored = explore("names", an_item_and_a_member, NULL, options_of(SQ_EXPLORE_DEPTH_FIRST, 1000));
    check_failed(&explored, "first == 1");
    check_reports(&explored, "member_pair");
    check_reports(&explored, "save_row");
    CHECK(explored.report != NULL && strstr(explored.report, "have_turn") == NULL && strstr(explored.report, "run_pair") == NULL);
    sq_explored_clear(&explored);
}

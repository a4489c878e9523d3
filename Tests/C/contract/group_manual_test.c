/* group_manual_test.c: which manual pools a wait for a group runs: those of queues that have members, and only those. */
#include "group.h"

#include "sq_pool.h"
#include "sq_shutdown.h"
#include "sq_suspend.h"

enum { QUEUES = 5 }; /* a table of member counts has four lists at first, so two of these share one */

#define SOON (sq_deadline(10 * 1000000000ull)) /* a bound for a hang only */

TEST(a_wait_finds_the_member_of_each_queue) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_group_t *group = make();
    sq_queue_t *queues[QUEUES];
    size_t ran = 0;
    for (size_t i = 0; i < QUEUES; i += 1) {
        queues[i] = make_queue_on(pool, "queue");
    }
    for (size_t last = 0; last < QUEUES; last += 1) { /* the one whose member is left, behind the others' counts */
        CHECK_EQUAL(sq_suspend(queues[last]), 0);
        for (size_t i = 0; i < QUEUES; i += 1) {
            CHECK_EQUAL(sq_group_async(group, queues[(last + i) % QUEUES], add_one, &ran), 0);
        }
        CHECK_EQUAL(sq_pool_run(pool), QUEUES - 1);
        CHECK_EQUAL(sq_resume(queues[last]), 0);
        CHECK_EQUAL(sq_group_wait(group, SOON), 0);
        CHECK_EQUAL(ran, (last + 1) * QUEUES);
    }
    for (size_t i = 0; i < QUEUES; i += 1) {
        sq_queue_release(queues[i]);
    }
    sq_pool_release(pool);
    sq_group_release(group);
}

TEST(a_wait_does_not_run_a_pool_that_has_no_members_any_more) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    sq_queue_t *queue = make_queue_on(pool, "queue");
    sq_group_t *group = make();
    size_t ran = 0, other = 0;
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_async(queue, add_one, &other), 0); /* no member */
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_wait(group, sq_deadline(1000000)), ETIMEDOUT);
    CHECK_EQUAL(other, 0);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(sq_pool_run(pool), 1);
    CHECK_EQUAL(ran + other, 2);
    sq_queue_release(queue);
    sq_pool_release(pool);
    sq_group_release(group);
}

TEST(a_group_does_not_keep_the_threads_of_a_pool_that_its_members_have_left) {
    sq_pool_t *pool = make_pool();
    sq_queue_t *queue = make_queue_on(pool, "queue");
    sq_group_t *group = make();
    size_t ran = 0;
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    sq_queue_release(queue);
    sq_pool_release(pool);
    let_threads_end(1); /* the one that runs this test */
    CHECK_EQUAL(threads_alive(), 1);
    sq_group_release(group);
}

/* The count of a queue without a pool, then a queue on a target at the same address: the allocator reuses it sooner or later. */
TEST(a_wait_runs_the_pool_of_the_target_of_a_queue_at_the_address_of_a_freed_one) {
    sq_pool_t *manual = sq_pool_create_manual("manual"), *pool = make_pool();
    sq_queue_t *target = make_queue_on(manual, "target"), *threaded = make_queue_on(pool, "threaded");
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    size_t ran = 0;
    bool is_same = false;
    for (int round = 0; !is_same && round < 100; round += 1) { /* AddressSanitizer's allocator does not reuse it */
        sq_group_t *group = make();
        options.target = threaded;
        sq_queue_t *queue = sq_queue_create("queue", &options);
        CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
        CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        const void *address = queue;
        sq_queue_release(queue);
        options.target = target;
        queue = sq_queue_create("queue", &options);
        is_same = queue == address;
        CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
        CHECK_EQUAL(sq_group_wait(group, SOON), 0);
        sq_queue_release(queue);
        sq_group_release(group);
    }
    sq_queue_release(target);
    sq_queue_release(threaded);
    sq_pool_release(manual);
    sq_pool_release(pool);
}

/* loop_deadlock_test.c: waits across a loop: the owner waits for a task that waits for the loop. */
#include "loop.h"

typedef struct cross {
    sq_pool_t *pool;
    sq_queue_t *main, *work;
    sq_group_t *group;
    sq_item_t *item;
    latch_t *inside;
    sq_time_t deadline; /* of the task's wait */
    size_t ran;
    int error;
    char report[1024];
} cross_t;

/* A task on `work` that needs the owner. */
static void sync_to_main(void *context) {
    cross_t *cross = context;
    latch_bump(cross->inside);
    cross->error = sq_sync_until(cross->main, cross->deadline, add_one, &cross->ran);
    snprintf(cross->report, sizeof cross->report, "%s", sq_deadlock_report());
}

static void check_report(const char *report, const char *waits_for) {
    CHECK(strstr(report, "owns the loop \"test loop\"") != NULL);
    CHECK(strstr(report, "runs a task of queue \"work\" and waits for queue \"main\"") != NULL);
    bool is_named = CHECK(strstr(report, waits_for) != NULL);
    if (!is_named) {
        note("the report: %s", report);
    }
}

static cross_t make_cross(latch_t *inside) {
    sq_pool_t *pool = make_loop_pool();
    CHECK_EQUAL(sq_pool_own(pool), 0);
    return (cross_t){ .pool = pool, .main = queue_on(pool, "main", 0), .work = make_queue_of("work", 0), .inside = inside,
                      .deadline = SQ_FOREVER, .error = -1 };
}

static void end_cross(cross_t *cross) {
    drain(cross->work);
    WHATEVER(sq_pool_run_some(cross->pool, SIZE_MAX, SQ_NOW));
    sq_queue_release(cross->work);
    end(cross->pool, cross->main, NULL);
}

TEST(a_sync_to_the_loop_from_a_task_that_the_owner_waits_for_is_refused_and_named) {
    latch_t inside = LATCH_INIT;
    cross_t cross = make_cross(&inside);
    cross.deadline = FAR; /* so it is the one that is refused */
    CHECK_EQUAL(sq_async(cross.work, sync_to_main, &cross), 0);
    CHECK_EQUAL(sq_sync(cross.work, do_nothing, NULL), 0);
    CHECK_EQUAL(cross.error, EDEADLK);
    CHECK_EQUAL(cross.ran, 0);
    check_report(cross.report, "and waits for queue \"work\"");
    end_cross(&cross);
}

TEST(the_owners_own_wait_is_refused_if_it_has_the_earlier_deadline) {
    latch_t inside = LATCH_INIT;
    cross_t cross = make_cross(&inside);
    CHECK_EQUAL(sq_async(cross.work, sync_to_main, &cross), 0);
    CHECK_EQUAL(sq_sync_until(cross.work, FAR, must_not_run, NULL), EDEADLK);
    check_report(sq_deadlock_report(), "and waits for queue \"work\"");
    run_until(cross.pool, 1);
    end_cross(&cross);
    CHECK_EQUAL(cross.error, 0);
    CHECK_EQUAL(cross.ran, 1);
}

/* Whichever comes last closes the cycle, and is refused. */
TEST(of_two_waits_without_a_deadline_exactly_one_is_refused) {
    for (size_t i = 0; i < scaled(300); i += 1) {
        latch_t inside = LATCH_INIT;
        cross_t cross = make_cross(&inside);
        CHECK_EQUAL(sq_async(cross.work, sync_to_main, &cross), 0);
        if (i % 2) {
            latch_wait(&inside, 1);
        }
        int error = sq_sync(cross.work, do_nothing, NULL);
        while (error == EDEADLK && cross.ran == 0) {
            WHATEVER(sq_pool_run_some(cross.pool, 1, sq_deadline(1000000)));
        }
        end_cross(&cross);
        CHECK_EQUAL((error == EDEADLK) + (cross.error == EDEADLK), 1);
    }
}

TEST(a_wait_of_the_owner_for_a_group_or_an_item_is_part_of_the_cycle) {
    latch_t inside = LATCH_INIT;
    cross_t cross = make_cross(&inside);
    cross.deadline = FAR;
    cross.group = sq_group_create("members");
    REQUIRE(cross.group != NULL);
    CHECK_EQUAL(sq_group_async(cross.group, cross.work, sync_to_main, &cross), 0);
    CHECK_EQUAL(sq_group_wait(cross.group, SQ_FOREVER), 0);
    CHECK_EQUAL(cross.error, EDEADLK);
    check_report(cross.report, "and waits for group \"members\"");
    sq_group_release(cross.group);
    cross.item = sq_item_create("item", &(sq_task_t){ sync_to_main, &cross, NULL });
    REQUIRE(cross.item != NULL);
    CHECK_EQUAL(sq_item_submit(cross.item, cross.work), 0);
    CHECK_EQUAL(sq_item_wait(cross.item, SQ_FOREVER), 0);
    CHECK_EQUAL(cross.error, EDEADLK);
    check_report(cross.report, "and waits for item \"item\"");
    sq_item_release(cross.item);
    end_cross(&cross);
}

static void wait_for_group(void *context) {
    cross_t *cross = context;
    cross->error = sq_group_wait(cross->group, cross->deadline);
    snprintf(cross->report, sizeof cross->report, "%s", sq_deadlock_report());
}

static void wait_for_item(void *context) {
    cross_t *cross = context;
    cross->error = sq_item_wait(cross->item, cross->deadline);
    snprintf(cross->report, sizeof cross->report, "%s", sq_deadlock_report());
}

/* A task waits for a member on the loop, and the owner for the task. */
TEST(a_task_that_waits_for_a_group_or_an_item_on_the_loop_whose_owner_waits_for_it_is_refused_and_named) {
    latch_t inside = LATCH_INIT;
    cross_t cross = make_cross(&inside);
    cross.deadline = FAR;
    cross.group = sq_group_create("members");
    cross.item = sq_item_create("item", &(sq_task_t){ add_one, &cross.ran, NULL });
    REQUIRE(cross.group != NULL && cross.item != NULL);
    CHECK_EQUAL(sq_group_async(cross.group, cross.main, add_one, &cross.ran), 0);
    CHECK_EQUAL(sq_item_submit(cross.item, cross.main), 0);
    const struct { sq_function_t wait; const char *words; } ways[] = {
        { wait_for_group, "waits for group \"members\", which has a task in loop \"test loop\", with a deadline" },
        { wait_for_item, "waits for item \"item\", which is in loop \"test loop\", with a deadline" },
    };
    for (int i = 0; i < 2; i += 1) {
        CHECK_EQUAL(sq_async(cross.work, ways[i].wait, &cross), 0);
        CHECK_EQUAL(sq_sync(cross.work, do_nothing, NULL), 0);
        CHECK_EQUAL(cross.error, EDEADLK);
        bool is_named = CHECK(strstr(cross.report, ways[i].words) != NULL && strstr(cross.report, "owns the loop \"test loop\"") != NULL);
        if (!is_named) {
            note("the report: %s", cross.report);
        }
    }
    CHECK_EQUAL(cross.ran, 0);
    sq_group_release(cross.group);
    sq_item_release(cross.item);
    end_cross(&cross);
    CHECK_EQUAL(cross.ran, 2);
}

typedef struct opening {
    cross_t *cross;
    sq_queue_t *suspended;
} opening_t;

static void *resume_after_sync(void *argument) {
    opening_t *opening = argument;
    latch_wait(opening->cross->inside, 1);
    CHECK_EQUAL(sq_resume(opening->suspended), 0);
    return NULL;
}

/* The owner waits for two members: one that syncs to the loop, and one on the loop behind that sync. The wait will run both. */
TEST(a_sync_that_the_owners_wait_for_a_group_runs_ahead_of_a_member_is_not_refused) {
    for (size_t i = 0; i < scaled(300); i += 1) {
        latch_t inside = LATCH_INIT;
        cross_t cross = make_cross(&inside);
        opening_t opening = { &cross, cross.main };
        cross.deadline = FAR;
        cross.group = sq_group_create("members");
        REQUIRE(cross.group != NULL);
        CHECK_EQUAL(sq_suspend(cross.main), 0);
        CHECK_EQUAL(sq_group_async(cross.group, cross.work, sync_to_main, &cross), 0);
        wait_for_depth(cross.main, 1);
        CHECK_EQUAL(sq_group_async(cross.group, cross.main, add_one, &cross.ran), 0);
        pthread_t thread = spawn(resume_after_sync, &opening);
        CHECK_EQUAL(sq_group_wait(cross.group, SQ_FOREVER), 0);
        join(thread);
        CHECK_EQUAL(cross.error, 0);
        CHECK_EQUAL(cross.ran, 2);
        sq_group_release(cross.group);
        end_cross(&cross);
    }
}

/* The owner sleeps for a queue of its own loop that is suspended: the other thread's sync waits for the owner, not for that queue. */
typedef struct resumer {
    cross_t *cross;
    sq_queue_t *suspended;
} resumer_t;

static void *sync_then_resume(void *argument) {
    resumer_t *resumer = argument;
    CHECK_EQUAL(sq_sync_until(resumer->cross->main, sq_deadline(20000000), add_one, &resumer->cross->ran), ETIMEDOUT);
    CHECK_EQUAL(sq_resume(resumer->suspended), 0);
    return NULL;
}

TEST(a_wait_of_the_owner_that_other_threads_can_end_is_no_cycle) {
    latch_t inside = LATCH_INIT;
    cross_t cross = make_cross(&inside);
    resumer_t resumer = { &cross, queue_on(cross.pool, "suspended", 0) };
    CHECK_EQUAL(sq_suspend(resumer.suspended), 0);
    pthread_t thread = spawn(sync_then_resume, &resumer);
    CHECK_EQUAL(sq_sync(resumer.suspended, do_nothing, NULL), 0);
    join(thread);
    CHECK_EQUAL(cross.ran, 0);
    sq_queue_release(resumer.suspended);
    end_cross(&cross);
}

/* Tasks of a pool hop to the loop and back while the owner runs it: never a false alarm. */
typedef struct hopper {
    cross_t *cross;
    sq_queue_t *queue;
    size_t hops;
    latch_t *done;
} hopper_t;

static void hop(void *context) {
    hopper_t *hopper = context;
    for (size_t i = 0; i < hopper->hops; i += 1) {
        CHECK_EQUAL(sq_sync(hopper->cross->main, add_one, &hopper->cross->ran), 0);
    }
    latch_bump(hopper->done);
}

TEST(tasks_of_a_pool_that_sync_to_a_running_loop_are_not_refused) {
    latch_t inside = LATCH_INIT, done = LATCH_INIT;
    cross_t cross = make_cross(&inside);
    sq_pool_t *pool = make_pool(3);
    hopper_t hoppers[3];
    for (int i = 0; i < 3; i += 1) {
        hoppers[i] = (hopper_t){ &cross, queue_on(pool, "hopper", 0), scaled(2000), &done };
        CHECK_EQUAL(sq_async(hoppers[i].queue, hop, &hoppers[i]), 0);
    }
    while (latch_value(&done) < 3) {
        WHATEVER(sq_pool_run_some(cross.pool, SIZE_MAX, sq_deadline(1000000)));
        CHECK_EQUAL(sq_sync_until(cross.work, FAR, do_nothing, NULL), 0);
    }
    CHECK_EQUAL(cross.ran, 3 * hoppers[0].hops);
    for (int i = 0; i < 3; i += 1) {
        sq_queue_release(hoppers[i].queue);
    }
    sq_pool_release(pool);
    end_cross(&cross);
}

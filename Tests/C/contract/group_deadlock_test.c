/* group_deadlock_test.c: a wait for a group whose member cannot end before the waiter continues is refused, with a report; no
 * other wait is. */
#include "caller.h"

static sq_group_t *make(void) {
    sq_group_t *group = sq_group_create("members");
    REQUIRE(group != NULL);
    return group;
}

/* A task that waits for the group. */
typedef struct inside {
    sq_group_t *group;
    sq_queue_t *queue;
    sq_time_t deadline;
    latch_t entered, go;
    atomic_int thread_id;
    int error;
    char report[1024];
} inside_t;

#define INSIDE(group, queue) { group, queue, SQ_FOREVER, LATCH_INIT, LATCH_INIT, 0, -1, "" }

static void wait_for_group(void *context) {
    inside_t *inside = context;
    inside->thread_id = gettid();
    latch_bump(&inside->entered);
    inside->error = sq_group_wait(inside->group, inside->deadline);
    snprintf(inside->report, sizeof inside->report, "%s", sq_deadlock_report());
}

static void check_report(const inside_t *inside, const char *first, const char *second) {
    CHECK_EQUAL(inside->error, EDEADLK);
    if (!CHECK(strstr(inside->report, first) != NULL) || !CHECK(strstr(inside->report, second) != NULL)) {
        note("%s", inside->report);
    }
}

/* A member behind the waiter's own task. */
static void submit_and_wait(void *context) {
    inside_t *inside = context;
    CHECK_EQUAL(sq_group_async(inside->group, inside->queue, do_nothing, NULL), 0);
    wait_for_group(inside);
}

TEST(a_member_behind_the_waiters_own_task_is_a_deadlock) {
    sq_queue_t *queue = make_queue_of("own", 0);
    inside_t inside = INSIDE(make(), queue);
    CHECK_EQUAL(sq_sync(queue, submit_and_wait, &inside), 0);
    check_report(&inside, "runs a task of queue \"own\" and waits for group \"members\", which has a task in queue \"own\"",
                 "deadlock: ");
    CHECK(strstr(inside.report, "with a deadline") == NULL);
    CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0); /* from outside */
    inside = (inside_t)INSIDE(inside.group, queue);
    inside.deadline = FAR;
    CHECK_EQUAL(sq_sync(queue, submit_and_wait, &inside), 0);
    check_report(&inside, "with a deadline", "deadlock: ");
    CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0);
    sq_queue_release(queue);
    sq_group_release(inside.group);
}

/* What waits is discarded one after the other: while the discard function runs, the member behind it is not. */
TEST(a_member_behind_a_discard_function_of_a_concurrent_queue_is_a_deadlock) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.width = SQ_WIDTH_POOL;
    options.pool = sq_pool_create("two", &(sq_pool_options_t){ .size = sizeof(sq_pool_options_t), .threads = 2 });
    REQUIRE(options.pool != NULL);
    sq_queue_t *queue = sq_queue_create("wide", &options);
    REQUIRE(queue != NULL);
    sq_pool_release(options.pool);
    inside_t inside = INSIDE(make(), queue);
    const sq_task_t task = { .run = do_nothing, .context = &inside, .discard = wait_for_group };
    sq_suspend(queue);
    CHECK_EQUAL(sq_async_task(queue, &task), 0);
    CHECK_EQUAL(sq_group_async(inside.group, queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    check_report(&inside, "waits for group \"members\"", "which has a task in queue \"wide\"");
    CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0);
    sq_queue_release(queue);
    sq_group_release(inside.group);
}

static void wait_to_go(void *context) {
    inside_t *inside = context;
    latch_wait(&inside->go, 1);
}

/* The discard function of a notification, called by the thread of the last member. */
static void wait_for_the_next_period(void *context) {
    inside_t *inside = context;
    CHECK_EQUAL(sq_group_async(inside->group, inside->queue, do_nothing, NULL), 0);
    wait_for_group(inside);
}

TEST(a_thread_whose_member_has_left_is_not_needed_for_the_next_period) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.width = SQ_WIDTH_POOL;
    options.pool = sq_pool_create("two", &(sq_pool_options_t){ .size = sizeof(sq_pool_options_t), .threads = 2 });
    REQUIRE(options.pool != NULL);
    sq_queue_t *wide = sq_queue_create("wide", &options), *own = make_queue_of("own", 0), *closed = make_queue_of("closed", 0);
    REQUIRE(wide != NULL);
    sq_pool_release(options.pool);
    inside_t inside = INSIDE(make(), own);
    CHECK_EQUAL(sq_group_async(inside.group, wide, wait_to_go, &inside), 0);
    CHECK_EQUAL(sq_group_notify(inside.group, closed, &(sq_task_t){ do_nothing, &inside, wait_for_the_next_period }), 0);
    CHECK_EQUAL(sq_shutdown(closed, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    hold_t hold;
    hold_sync(&hold, own); /* the wait has to sleep */
    latch_bump(&inside.go);
    latch_wait(&inside.entered, 1);
    wait_until_asleep(&inside.thread_id);
    hold_end(&hold);
    CHECK_EQUAL(sq_sync_barrier(wide, do_nothing, NULL), 0); /* it runs in the task of the last member */
    CHECK_EQUAL(inside.error, 0);
    sq_queue_release(wide);
    sq_queue_release(own);
    sq_queue_release(closed);
    sq_group_release(inside.group);
}

TEST(a_member_that_waits_for_its_own_group_is_a_deadlock) {
    sq_queue_t *queue = make_queue_of("own", 0);
    inside_t inside = INSIDE(make(), queue);
    CHECK_EQUAL(sq_group_async(inside.group, queue, wait_for_group, &inside), 0);
    CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0);
    check_report(&inside, "waits for group \"members\"", "which has a task in queue \"own\"");
    sq_queue_release(queue);
    sq_group_release(inside.group);
}

/* The last member of another group leaves it in a task, which is a member of its own group still. */
typedef struct leaver {
    inside_t *inside;
    sq_group_t *other;
} leaver_t;

static void leave_the_other_and_wait(void *context) {
    leaver_t *leaver = context;
    CHECK_EQUAL(sq_group_leave(leaver->other), 0);
    wait_for_group(leaver->inside);
}

TEST(a_member_that_ends_another_group_is_needed_for_its_own) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.width = SQ_WIDTH_POOL;
    options.pool = sq_pool_create("one", &(sq_pool_options_t){ .size = sizeof(sq_pool_options_t), .threads = 1 });
    REQUIRE(options.pool != NULL);
    sq_queue_t *wide = sq_queue_create("wide", &options), *own = make_queue_of("own", 0);
    REQUIRE(wide != NULL);
    sq_pool_release(options.pool);
    inside_t inside = INSIDE(make(), wide);
    leaver_t leaver = { &inside, make() };
    CHECK_EQUAL(sq_group_enter(leaver.other), 0);
    CHECK_EQUAL(sq_group_notify(leaver.other, own, &(sq_task_t){ do_nothing, NULL, NULL }), 0); /* the last one to leave sees to that */
    CHECK_EQUAL(sq_group_async(inside.group, wide, leave_the_other_and_wait, &leaver), 0);
    CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0);
    check_report(&inside, "waits for group \"members\"", "deadlock: ");
    sq_queue_release(wide);
    sq_queue_release(own);
    sq_group_release(inside.group);
    sq_group_release(leaver.other);
}

/* The commonest: a running member syncs onto the waiter's queue. One of the two is refused. */
typedef struct pair {
    inside_t *inside;
    int error;
    char report[1024];
} pair_t;

static void sync_back(void *context) {
    pair_t *pair = context;
    latch_wait(&pair->inside->entered, 1);
    pair->error = sq_sync(pair->inside->queue, do_nothing, NULL);
    snprintf(pair->report, sizeof pair->report, "%s", sq_deadlock_report());
}

TEST(a_member_that_syncs_onto_the_waiters_queue_is_a_deadlock_for_one_of_them) {
    for (size_t i = 0; i < scaled(300); i += 1) {
        sq_queue_t *mine = make_queue_of("mine", 0), *its = make_queue_of("its", 0);
        inside_t inside = INSIDE(make(), mine);
        pair_t pair = { &inside, -1, "" };
        CHECK_EQUAL(sq_group_async(inside.group, its, sync_back, &pair), 0);
        CHECK_EQUAL(sq_sync(mine, wait_for_group, &inside), 0);
        CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0);
        CHECK_EQUAL((pair.error == EDEADLK) + (inside.error == EDEADLK), 1);
        const char *report = pair.error == EDEADLK ? pair.report : inside.report;
        CHECK(strstr(report, "runs a task of queue \"its\" and waits for queue \"mine\"") != NULL);
        CHECK(strstr(report, "waits for group \"members\", which has a task in queue \"its\"") != NULL);
        sq_queue_release(mine);
        sq_queue_release(its);
        sq_group_release(inside.group);
    }
}

/* Members on several queues, only one of which leads back: A is free, B is held by a thread that waits for the waiter. */
TEST(a_cycle_through_one_of_several_members_is_found) {
    sq_queue_t *mine = make_queue_of("mine", 0), *slow = make_queue_of("slow", 0), *its = make_queue_of("its", 0);
    inside_t inside = INSIDE(make(), mine);
    pair_t pair = { &inside, -1, "" };
    hold_t hold;
    hold_async(&hold, slow);
    CHECK_EQUAL(sq_group_async(inside.group, slow, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_group_async(inside.group, its, sync_back, &pair), 0);
    inside.deadline = FAR; /* so it is this one that is refused */
    CHECK_EQUAL(sq_sync(mine, wait_for_group, &inside), 0);
    check_report(&inside, "queue \"its\"", "with a deadline");
    hold_end(&hold);
    CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0);
    CHECK_EQUAL(pair.error, 0);
    sq_queue_release(mine);
    sq_queue_release(slow);
    sq_queue_release(its);
    sq_group_release(inside.group);
}

TEST(a_member_that_is_submitted_after_the_wait_began_closes_the_cycle) {
    sq_queue_t *queue = make_queue_of("own", 0);
    inside_t inside = INSIDE(make(), queue);
    size_t ran = 0;
    CHECK_EQUAL(sq_group_enter(inside.group), 0);
    CHECK_EQUAL(sq_async(queue, wait_for_group, &inside), 0);
    latch_wait(&inside.entered, 1);
    wait_until_asleep(&inside.thread_id);
    CHECK_EQUAL(sq_group_async(inside.group, queue, add_one, &ran), 0);
    drain(queue);
    check_report(&inside, "waits for group \"members\"", "queue \"own\"");
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(sq_group_leave(inside.group), 0);
    CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0);
    sq_queue_release(queue);
    sq_group_release(inside.group);
}

/* The same with two threads: the member is submitted while the wait begins. */
typedef struct late {
    sq_group_t *group;
    sq_queue_t *queue;
    latch_t *entered;
} late_t;

static void *submit_late(void *argument) {
    late_t *late = argument;
    latch_wait(late->entered, 1);
    CHECK_EQUAL(sq_group_async(late->group, late->queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_group_leave(late->group), 0);
    return NULL;
}

TEST(a_member_that_is_submitted_while_the_wait_begins_closes_the_cycle) {
    for (size_t i = 0; i < scaled(500); i += 1) {
        sq_queue_t *queue = make_queue_of("own", 0);
        inside_t inside = INSIDE(make(), queue);
        CHECK_EQUAL(sq_group_enter(inside.group), 0);
        late_t late = { inside.group, queue, &inside.entered };
        pthread_t thread = spawn(submit_late, &late);
        CHECK_EQUAL(sq_sync(queue, wait_for_group, &inside), 0);
        join(thread);
        CHECK_EQUAL(inside.error, EDEADLK);
        CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0);
        sq_queue_release(queue);
        sq_group_release(inside.group);
    }
}

/* Two groups that wait for each other's members. */
TEST(tasks_of_two_groups_that_wait_for_each_others_group_are_a_deadlock_for_one) {
    for (size_t i = 0; i < scaled(300); i += 1) {
        sq_queue_t *queues[] = { make_queue_of("a", 0), make_queue_of("b", 0) };
        sq_group_t *groups[] = { make(), make() };
        inside_t insides[] = { INSIDE(groups[1], queues[0]), INSIDE(groups[0], queues[1]) };
        hold_t holds[2];
        for (int g = 0; g < 2; g += 1) {
            hold_sync(&holds[g], queues[g]);
            CHECK_EQUAL(sq_group_async(groups[g], queues[g], wait_for_group, &insides[g]), 0);
        }
        hold_end(&holds[0]);
        hold_end(&holds[1]);
        for (int g = 0; g < 2; g += 1) {
            CHECK_EQUAL(sq_group_wait(groups[g], SQ_FOREVER), 0);
        }
        CHECK_EQUAL((insides[0].error == EDEADLK) + (insides[1].error == EDEADLK), 1);
        for (int g = 0; g < 2; g += 1) {
            sq_queue_release(queues[g]);
            sq_group_release(groups[g]);
        }
    }
}

/* One wait that closes two cycles: refused once, the others continue. */
TEST(a_wait_that_closes_two_cycles_at_once_is_refused_once) {
    sq_queue_t *mine = make_queue_of("mine", 0), *a = make_queue_of("a", 0), *b = make_queue_of("b", 0);
    inside_t inside = INSIDE(make(), mine);
    pair_t pairs[] = { { &inside, -1, "" }, { &inside, -1, "" } };
    inside.deadline = FAR;
    CHECK_EQUAL(sq_group_async(inside.group, a, sync_back, &pairs[0]), 0);
    CHECK_EQUAL(sq_group_async(inside.group, b, sync_back, &pairs[1]), 0);
    CHECK_EQUAL(sq_sync(mine, wait_for_group, &inside), 0);
    CHECK_EQUAL(inside.error, EDEADLK);
    CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0);
    CHECK_EQUAL(pairs[0].error, 0);
    CHECK_EQUAL(pairs[1].error, 0);
    sq_queue_release(mine);
    sq_queue_release(a);
    sq_queue_release(b);
    sq_group_release(inside.group);
}

/* No deadlock: members that entered, and members on queues that no thread holds that waits for us. */
static void leave_later(void *context) {
    inside_t *inside = context;
    latch_wait(&inside->go, 1);
    CHECK_EQUAL(sq_group_leave(inside->group), 0);
}

TEST(a_wait_for_members_that_can_end_is_not_refused) {
    sq_queue_t *mine = make_queue_of("mine", 0), *its = make_queue_of("its", 0), *third = make_queue_of("third", 0);
    inside_t inside = INSIDE(make(), mine);
    hold_t hold;
    CHECK_EQUAL(sq_group_enter(inside.group), 0);
    CHECK_EQUAL(sq_async(third, leave_later, &inside), 0);
    hold_async(&hold, its);
    CHECK_EQUAL(sq_group_async(inside.group, its, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async(mine, wait_for_group, &inside), 0);
    latch_wait(&inside.entered, 1);
    wait_until_asleep(&inside.thread_id);
    CHECK_EQUAL(sq_group_async(inside.group, its, do_nothing, NULL), 0);
    hold_end(&hold);
    latch_bump(&inside.go);
    drain(mine);
    CHECK_EQUAL(inside.error, 0);
    sq_queue_release(mine);
    sq_queue_release(its);
    sq_queue_release(third);
    sq_group_release(inside.group);
}

/* A submission that is refused is no member, not even for a moment. */
typedef struct refused {
    sq_group_t *group;
    sq_queue_t *queue;
    atomic_bool stop;
} refused_t;

static void *submit_and_be_refused(void *argument) {
    refused_t *refused = argument;
    while (!refused->stop) {
        CHECK_EQUAL(sq_group_async(refused->group, refused->queue, do_nothing, NULL), EAGAIN);
    }
    return NULL;
}

static void wait_beside_submissions(void *context) {
    inside_t *inside = context;
    refused_t refused = { inside->group, inside->queue, false };
    CHECK_EQUAL(sq_async(inside->queue, do_nothing, NULL), 0); /* the only room */
    pthread_t thread = spawn(submit_and_be_refused, &refused);
    for (size_t i = 0; i < 50; i += 1) {
        CHECK_EQUAL(sq_group_wait(inside->group, sq_deadline(200000)), ETIMEDOUT);
    }
    refused.stop = true;
    join(thread);
}

TEST(a_submission_that_is_refused_is_not_taken_for_a_member) {
    sq_queue_t *queue = make_queue_of("full", 1);
    inside_t inside = INSIDE(make(), queue);
    CHECK_EQUAL(sq_group_enter(inside.group), 0);
    CHECK_EQUAL(sq_sync(queue, wait_beside_submissions, &inside), 0);
    CHECK_EQUAL(sq_group_leave(inside.group), 0);
    CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0);
    drain(queue);
    sq_queue_release(queue);
    sq_group_release(inside.group);
}

static void be_refused(void *context) {
    inside_t *inside = context;
    CHECK_EQUAL(sq_async(inside->queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_group_async(inside->group, inside->queue, must_not_run, NULL), EAGAIN);
}

TEST(a_member_behind_its_waiter_is_a_deadlock_although_another_one_was_refused_before) {
    sq_queue_t *queue = make_queue_of("full", 1);
    inside_t inside = INSIDE(make(), queue);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, be_refused, &inside), 0);
    drain(queue);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, submit_and_wait, &inside), 0);
    check_report(&inside, "waits for group \"members\"", "has a task in queue \"full\"");
    CHECK_EQUAL(sq_group_wait(inside.group, SQ_FOREVER), 0);
    drain(queue);
    sq_queue_release(queue);
    sq_group_release(inside.group);
}

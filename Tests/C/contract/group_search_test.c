/* group_search_test.c: the search for a cycle, where a wait for a group can be reached in several ways, or closes several cycles. */
#include "caller.h"

/* A task that waits for the group, or for a queue. */
typedef struct waiter {
    sq_group_t *group;
    sq_queue_t *queue;
    latch_t entered, go;
    atomic_int thread_id;
    int error;
} waiter_t;

#define WAITER(group, queue) { group, queue, LATCH_INIT, LATCH_INIT, 0, -1 }

static sq_group_t *make(void) {
    sq_group_t *group = sq_group_create("members");
    REQUIRE(group != NULL);
    return group;
}

static void enter(waiter_t *waiter) {
    waiter->thread_id = gettid();
    latch_bump(&waiter->entered);
}

static void wait_for_group(void *context) {
    waiter_t *waiter = context;
    enter(waiter);
    waiter->error = sq_group_wait(waiter->group, SQ_FOREVER);
}

static void wait_until_it_sleeps(waiter_t *waiter) {
    latch_wait(&waiter->entered, 1);
    wait_until_asleep(&waiter->thread_id);
}

/* Two members sleep already, each in a sync back onto the queue of the task that submitted them and waits for the group. */
static void sync_back(void *context) {
    waiter_t *member = context;
    enter(member);
    member->error = sq_sync_until(member->queue, FAR, must_not_run, NULL);
}

typedef struct both {
    waiter_t waiter, members[2];
    sq_queue_t *queues[2];
} both_t;

static void submit_both_and_wait(void *context) {
    both_t *both = context;
    for (int i = 0; i < 2; i += 1) {
        CHECK_EQUAL(sq_group_async(both->waiter.group, both->queues[i], sync_back, &both->members[i]), 0);
    }
    wait_until_it_sleeps(&both->members[0]);
    wait_until_it_sleeps(&both->members[1]);
    wait_for_group(&both->waiter);
}

TEST(a_wait_that_closes_two_cycles_has_the_wait_with_a_deadline_of_each_refused) {
    sq_queue_t *mine = make_queue_of("mine", 0);
    both_t both = { WAITER(make(), NULL), { WAITER(NULL, mine), WAITER(NULL, mine) }, { make_queue_of("a", 0), make_queue_of("b", 0) } };
    CHECK_EQUAL(sq_sync(mine, submit_both_and_wait, &both), 0);
    CHECK_EQUAL(both.waiter.error, 0);
    for (int i = 0; i < 2; i += 1) {
        CHECK_EQUAL(both.members[i].error, EDEADLK);
        sq_queue_release(both.queues[i]);
    }
    sq_queue_release(mine);
    sq_group_release(both.waiter.group);
}

/* A member nests two queues, and waits for a third. The search comes to the wait for its group by way of each of the two. */
typedef struct nest {
    sq_queue_t *inner;
    waiter_t busy;
} nest_t;

static void sync_onto_busy(void *context) {
    waiter_t *busy = context;
    latch_wait(&busy->go, 1);
    enter(busy);
    busy->error = sq_sync(busy->queue, do_nothing, NULL);
}

static void sync_onto_inner(void *context) {
    nest_t *nest = context;
    CHECK_EQUAL(sq_sync(nest->inner, sync_onto_busy, &nest->busy), 0);
}

TEST(a_search_that_comes_to_a_wait_in_two_ways_ends) {
    sq_queue_t *mine = make_queue_of("mine", 0), *outer = make_queue_of("outer", 0), *busy = make_queue_of("busy", 0);
    nest_t nest = { make_queue_of("inner", 0), WAITER(NULL, busy) };
    waiter_t waiter = WAITER(make(), NULL);
    hold_t hold;
    hold_async(&hold, busy);
    CHECK_EQUAL(sq_group_async(waiter.group, outer, sync_onto_inner, &nest), 0);
    CHECK_EQUAL(sq_async(mine, wait_for_group, &waiter), 0);
    wait_until_it_sleeps(&waiter);
    latch_bump(&nest.busy.go);
    wait_until_it_sleeps(&nest.busy);
    hold_end(&hold);
    drain(mine);
    CHECK_EQUAL(waiter.error, 0);
    CHECK_EQUAL(nest.busy.error, 0);
    sq_queue_release(mine);
    sq_queue_release(outer);
    sq_queue_release(busy);
    sq_queue_release(nest.inner);
    sq_group_release(waiter.group);
}

TEST(a_late_member_closes_a_cycle_beside_a_newer_wait_for_another_group) {
    sq_queue_t *queues[] = { make_queue_of("older", 0), make_queue_of("newer", 0) };
    waiter_t waiters[] = { WAITER(make(), NULL), WAITER(make(), NULL) };
    for (int i = 0; i < 2; i += 1) {
        CHECK_EQUAL(sq_group_enter(waiters[i].group), 0);
        CHECK_EQUAL(sq_async(queues[i], wait_for_group, &waiters[i]), 0);
        wait_until_it_sleeps(&waiters[i]);
    }
    CHECK_EQUAL(sq_group_async(waiters[0].group, queues[0], do_nothing, NULL), 0);
    drain(queues[0]);
    CHECK_EQUAL(waiters[0].error, EDEADLK);
    for (int i = 0; i < 2; i += 1) {
        CHECK_EQUAL(sq_group_leave(waiters[i].group), 0);
        drain(queues[i]);
        sq_queue_release(queues[i]);
        sq_group_release(waiters[i].group);
    }
    CHECK_EQUAL(waiters[1].error, 0);
}

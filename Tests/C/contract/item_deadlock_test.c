/* item_deadlock_test.c: a wait for an item that cannot end before the waiter continues is refused, with a report; no other is. */
#include "item.h"

/* A task that waits for an item. */
typedef struct inside {
    sq_item_t *item;
    sq_queue_t *queue;
    sq_time_t deadline;
    latch_t entered;
    atomic_int thread_id;
    int error;
    char report[1024];
} inside_t;

#define INSIDE(item, queue) { item, queue, SQ_FOREVER, LATCH_INIT, 0, -1, "" }

static void wait_for_item(void *context) {
    inside_t *inside = context;
    inside->thread_id = gettid();
    latch_bump(&inside->entered);
    inside->error = sq_item_wait(inside->item, inside->deadline);
    snprintf(inside->report, sizeof inside->report, "%s", sq_deadlock_report());
}

static void check_report(const inside_t *inside, const char *text) {
    CHECK_EQUAL(inside->error, EDEADLK);
    if (!CHECK(strstr(inside->report, text) != NULL)) {
        note("%s", inside->report);
    }
}

TEST(an_item_that_waits_for_itself_is_a_deadlock) {
    for (int timed = 0; timed < 2; timed += 1) {
        sq_queue_t *queue = make_queue_of("own", 0);
        inside_t inside = INSIDE(NULL, queue);
        inside.item = make_item_of(&(sq_task_t){ wait_for_item, &inside, NULL });
        inside.deadline = timed ? FAR : SQ_FOREVER;
        CHECK_EQUAL(sq_item_submit(inside.item, queue), 0);
        CHECK_EQUAL(sq_item_wait(inside.item, SQ_FOREVER), 0);
        check_report(&inside, "runs a task of queue \"own\" and waits for item \"item\", which is in queue \"own\"");
        check_report(&inside, "The thread would wait for itself");
        CHECK(strstr(inside.report, "others continue") == NULL); /* there are none */
        CHECK_EQUAL(sq_item_cancel(inside.item), EALREADY);
        sq_queue_release(queue);
        sq_item_release(inside.item);
    }
}

static void submit_and_wait(void *context) {
    inside_t *inside = context;
    CHECK_EQUAL(sq_item_submit(inside->item, inside->queue), 0);
    wait_for_item(inside);
}

static void submit_later_and_wait(void *context) {
    inside_t *inside = context;
    CHECK_EQUAL(sq_item_submit_after(inside->item, inside->queue, 1000), 0);
    wait_for_item(inside);
}

TEST(an_item_behind_the_waiters_own_task_is_a_deadlock_delayed_or_not) {
    static const sq_function_t bodies[] = { submit_and_wait, submit_later_and_wait };
    for (int b = 0; b < 2; b += 1) {
        outcome_t outcome;
        sq_queue_t *queue = make_queue_of("own", 0);
        inside_t inside = INSIDE(make_item(&outcome), queue);
        CHECK_EQUAL(sq_sync(queue, bodies[b], &inside), 0);
        check_report(&inside, "waits for item \"item\", which is in queue \"own\"");
        CHECK_EQUAL(sq_item_wait(inside.item, SQ_FOREVER), 0); /* from outside */
        check_outcome(&outcome, 1, 0);
        sq_queue_release(queue);
        sq_item_release(inside.item);
    }
}

TEST(an_item_that_is_submitted_after_the_wait_began_closes_the_cycle) {
    for (int delayed = 0; delayed < 2; delayed += 1) {
        outcome_t outcome;
        sq_queue_t *queue = make_queue_of("own", 0);
        inside_t inside = INSIDE(make_item(&outcome), queue);
        CHECK_EQUAL(sq_async(queue, wait_for_item, &inside), 0);
        latch_wait(&inside.entered, 1);
        wait_until_asleep(&inside.thread_id);
        CHECK_EQUAL(delayed ? sq_item_submit_after(inside.item, queue, 1) : sq_item_submit(inside.item, queue), 0);
        CHECK_EQUAL(sq_item_wait(inside.item, SQ_FOREVER), 0);
        check_report(&inside, "waits for item \"item\", which is in queue \"own\"");
        sq_queue_release(queue);
        sq_item_release(inside.item);
    }
}

static void *submit_at_once(void *argument) {
    inside_t *inside = argument;
    latch_wait(&inside->entered, 1);
    CHECK_EQUAL(sq_item_submit(inside->item, inside->queue), 0);
    return NULL;
}

TEST(an_item_that_is_submitted_while_the_wait_begins_closes_the_cycle) {
    for (size_t i = 0; i < scaled(500); i += 1) {
        outcome_t outcome;
        sq_queue_t *queue = make_queue_of("own", 0);
        inside_t inside = INSIDE(make_item(&outcome), queue);
        pthread_t thread = spawn(submit_at_once, &inside);
        CHECK_EQUAL(sq_sync(queue, wait_for_item, &inside), 0);
        join(thread);
        CHECK_EQUAL(inside.error, EDEADLK);
        CHECK_EQUAL(sq_item_wait(inside.item, SQ_FOREVER), 0);
        sq_queue_release(queue);
        sq_item_release(inside.item);
    }
}

/* A running item that syncs onto the waiter's queue. */
typedef struct back {
    inside_t *inside;
    int error;
    char report[1024];
} back_t;

static void sync_back(void *context) {
    back_t *back = context;
    latch_wait(&back->inside->entered, 1);
    back->error = sq_sync(back->inside->queue, do_nothing, NULL);
    snprintf(back->report, sizeof back->report, "%s", sq_deadlock_report());
}

TEST(a_running_item_that_syncs_onto_the_waiters_queue_is_a_deadlock_for_one_of_them) {
    for (size_t i = 0; i < scaled(300); i += 1) {
        sq_queue_t *mine = make_queue_of("mine", 0), *its = make_queue_of("its", 0);
        inside_t inside = INSIDE(NULL, mine);
        back_t back = { &inside, -1, "" };
        inside.item = make_item_of(&(sq_task_t){ sync_back, &back, NULL });
        inside.deadline = i % 2 ? FAR : SQ_FOREVER;
        CHECK_EQUAL(sq_item_submit(inside.item, its), 0);
        CHECK_EQUAL(sq_sync(mine, wait_for_item, &inside), 0);
        CHECK_EQUAL(sq_item_wait(inside.item, SQ_FOREVER), 0);
        CHECK_EQUAL((back.error == EDEADLK) + (inside.error == EDEADLK), 1);
        CHECK(i % 2 == 0 || inside.error == EDEADLK); /* the one with a deadline */
        const char *report = back.error == EDEADLK ? back.report : inside.report;
        CHECK(strstr(report, "runs a task of queue \"its\" and waits for queue \"mine\"") != NULL);
        CHECK(strstr(report, "waits for item \"item\", which is in queue \"its\"") != NULL);
        sq_queue_release(mine);
        sq_queue_release(its);
        sq_item_release(inside.item);
    }
}

/* Over an item, a group, two queues and a once: four threads. */
typedef struct ring {
    inside_t inside;
    sq_queue_t *queues[3];
    sq_group_t *group;
    sq_once_t once;
    latch_t ready;
    int errors[3];
} ring_t;

static void wait_for_group_in_once(void *context) {
    ring_t *ring = context;
    latch_bump(&ring->ready);
    latch_wait(&ring->ready, 3);
    ring->errors[0] = sq_group_wait(ring->group, SQ_FOREVER);
}

static void run_once(void *context) {
    ring_t *ring = context;
    CHECK_EQUAL(sq_once(&ring->once, wait_for_group_in_once, ring), 0);
}

static void sync_from_member(void *context) {
    ring_t *ring = context;
    latch_bump(&ring->ready);
    latch_wait(&ring->ready, 3);
    ring->errors[1] = sq_sync(ring->queues[2], do_nothing, NULL);
}

static void wait_in_ring(void *context) {
    ring_t *ring = context;
    latch_bump(&ring->ready);
    latch_wait(&ring->ready, 3);
    ring->inside.deadline = FAR; /* so it is this one that is refused */
    wait_for_item(&ring->inside);
}

TEST(a_cycle_over_an_item_a_group_a_once_and_three_queues_is_named) {
    ring_t ring = { .inside = INSIDE(NULL, NULL), .once = SQ_ONCE_INIT, .ready = LATCH_INIT, .errors = { -1, -1, -1 } };
    static const char *const labels[] = { "item's", "member's", "waiter's" };
    for (int i = 0; i < 3; i += 1) {
        ring.queues[i] = make_queue_of(labels[i], 0);
    }
    ring.group = sq_group_create("group");
    ring.inside.item = make_item_of(&(sq_task_t){ run_once, &ring, NULL });
    CHECK_EQUAL(sq_item_submit(ring.inside.item, ring.queues[0]), 0);
    CHECK_EQUAL(sq_group_async(ring.group, ring.queues[1], sync_from_member, &ring), 0);
    CHECK_EQUAL(sq_sync(ring.queues[2], wait_in_ring, &ring), 0);
    check_report(&ring.inside, "and waits for group \"group\", which has a task in queue \"member's\"");
    check_report(&ring.inside, "waits for item \"item\", which is in queue \"item's\", with a deadline");
    check_report(&ring.inside, "runs a task of queue \"member's\" and waits for queue \"waiter's\"");
    CHECK_EQUAL(sq_item_wait(ring.inside.item, SQ_FOREVER), 0);
    CHECK_EQUAL(ring.errors[0], 0);
    CHECK_EQUAL(ring.errors[1], 0);
    sq_group_release(ring.group);
    sq_item_release(ring.inside.item);
    for (int i = 0; i < 3; i += 1) {
        sq_queue_release(ring.queues[i]);
    }
}

/* The waiter is in no task, but inside the function of a once that a task of the item's queue waits for. */
typedef struct held {
    inside_t inside;
    sq_once_t once;
    atomic_int task_id;
    int error;
} held_t;

static void wait_in_once(void *context) { wait_for_item(&((held_t *)context)->inside); }

static void *enter_once(void *argument) {
    held_t *held = argument;
    CHECK_EQUAL(sq_once(&held->once, wait_in_once, held), 0);
    return NULL;
}

static void need_once(void *context) {
    held_t *held = context;
    held->task_id = gettid();
    held->error = sq_once(&held->once, do_nothing, NULL);
}

TEST(an_item_that_is_submitted_while_a_once_waits_for_it_closes_the_cycle) {
    outcome_t outcome;
    sq_queue_t *queue = make_queue_of("needs the once", 0);
    held_t held = { .inside = INSIDE(make_item(&outcome), queue), .once = SQ_ONCE_INIT, .error = -1 };
    pthread_t thread = spawn(enter_once, &held);
    latch_wait(&held.inside.entered, 1);
    CHECK_EQUAL(sq_async(queue, need_once, &held), 0);
    wait_until_asleep(&held.task_id);
    wait_until_asleep(&held.inside.thread_id);
    CHECK_EQUAL(sq_item_submit(held.inside.item, queue), 0);
    join(thread);
    CHECK_EQUAL(sq_item_wait(held.inside.item, SQ_FOREVER), 0);
    CHECK_EQUAL((held.inside.error == EDEADLK) + (held.error == EDEADLK), 1);
    sq_queue_release(queue);
    sq_item_release(held.inside.item);
}

/* No alarm. */
typedef struct slow {
    latch_t entered, go;
} slow_t;

static void discard_slowly(void *context) {
    slow_t *slow = context;
    latch_bump(&slow->entered);
    latch_wait(&slow->go, 1);
}

static void *cancel_item(void *argument) {
    CHECK_EQUAL(sq_item_cancel(argument), 0);
    return NULL;
}

TEST(a_wait_for_an_item_that_is_being_cancelled_is_not_refused) {
    slow_t slow = { LATCH_INIT, LATCH_INIT };
    sq_queue_t *queue = make_queue_of("own", 0);
    inside_t inside = INSIDE(NULL, queue);
    inside.item = make_item_of(&(sq_task_t){ must_not_run, &slow, discard_slowly });
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async(queue, wait_for_item, &inside), 0);
    CHECK_EQUAL(sq_item_submit(inside.item, queue), 0);
    pthread_t thread = spawn(cancel_item, inside.item);
    latch_wait(&slow.entered, 1);
    CHECK_EQUAL(sq_resume(queue), 0);
    latch_wait(&inside.entered, 1);
    wait_until_asleep(&inside.thread_id);
    latch_bump(&slow.go);
    join(thread);
    drain(queue);
    CHECK_EQUAL(inside.error, ECANCELED);
    sq_queue_release(queue);
    sq_item_release(inside.item);
}

TEST(a_wait_for_an_item_that_can_end_is_not_refused) {
    outcome_t outcome;
    hold_t hold;
    sq_queue_t *mine = make_queue_of("mine", 0), *its = make_queue_of("its", 0);
    inside_t inside = INSIDE(make_item(&outcome), mine);
    hold_async(&hold, its);
    CHECK_EQUAL(sq_async(mine, wait_for_item, &inside), 0);
    latch_wait(&inside.entered, 1);
    wait_until_asleep(&inside.thread_id);
    CHECK_EQUAL(sq_item_submit(inside.item, its), 0);
    hold_end(&hold);
    drain(mine);
    CHECK_EQUAL(inside.error, 0);
    check_outcome(&outcome, 1, 0);
    sq_queue_release(mine);
    sq_queue_release(its);
    sq_item_release(inside.item);
}

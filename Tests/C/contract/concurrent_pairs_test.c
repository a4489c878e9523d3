/* concurrent_pairs_test.c: tasks of a concurrent queue that wait for what their first word is. */
#include "concurrent.h"

#include "sq_group.h"
#include "sq_item.h"
#include "sq_once.h"
#include "sq_semaphore.h"

typedef struct waiter {
    int error;
    atomic_int thread_id;
} waiter_t;

static void wait_for_group(void *group, void *context, bool runs) {
    CHECK(runs);
    waiter_t *waiter = context;
    waiter->thread_id = gettid();
    waiter->error = sq_group_wait(group, SQ_FOREVER);
}

static void wait_for_item(void *item, void *context, bool runs) {
    CHECK(runs);
    waiter_t *waiter = context;
    waiter->thread_id = gettid();
    waiter->error = sq_item_wait(item, SQ_FOREVER);
}

static void run_once(void *once, void *context, bool runs) {
    CHECK(runs);
    waiter_t *waiter = context;
    waiter->thread_id = gettid();
    waiter->error = sq_once(once, do_nothing, NULL);
}

/* The task sleeps until `busy` leaves, and then has what it waited for. */
static void check_waits_for(sq_pair_function_t wait, void *what, stay_t *busy) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    waiter_t waiter = { .error = -1 };
    latch_wait(&busy->entered, 1);
    CHECK_EQUAL(sq_async_pair(queue, SQ_NOW, wait, what, &waiter), 0);
    wait_until_asleep(&waiter.thread_id);
    latch_bump(&busy->leave);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(waiter.error, 0);
    sq_queue_release(queue);
}

/* To see these three fail: in needs_reader (wait/edge.c) do not compare the calls. */
TEST(a_reader_whose_first_word_is_a_group_may_wait_for_it) {
    sq_queue_t *other = sq_queue_create("other", NULL);
    sq_group_t *group = sq_group_create("group");
    stay_t busy = STAY_INIT;
    CHECK_EQUAL(sq_group_async(group, other, stay, &busy), 0);
    check_waits_for(wait_for_group, group, &busy);
    sq_group_release(group);
    sq_queue_release(other);
}

TEST(a_reader_whose_first_word_is_an_item_may_wait_for_it) {
    sq_queue_t *other = sq_queue_create("other", NULL);
    stay_t busy = STAY_INIT;
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ stay, &busy, NULL });
    CHECK_EQUAL(sq_item_submit(item, other), 0);
    check_waits_for(wait_for_item, item, &busy);
    sq_item_release(item);
    sq_queue_release(other);
}

/* The task has no other word than the group. */
static waiter_t own;

static void wait_for_own_context(void *group) { wait_for_group(group, &own, true); }

TEST(a_reader_whose_context_is_a_group_may_wait_for_it) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL), *other = sq_queue_create("other", NULL);
    sq_group_t *group = sq_group_create("group");
    stay_t busy = STAY_INIT;
    own = (waiter_t){ .error = -1 };
    CHECK_EQUAL(sq_group_async(group, other, stay, &busy), 0);
    latch_wait(&busy.entered, 1);
    CHECK_EQUAL(sq_async(queue, wait_for_own_context, group), 0);
    wait_until_asleep(&own.thread_id);
    latch_bump(&busy.leave);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(own.error, 0);
    sq_group_release(group);
    sq_queue_release(queue);
    sq_queue_release(other);
}

typedef struct first_run {
    sq_once_t once;
    stay_t busy;
} first_run_t;

static void run_first(void *context) {
    first_run_t *first = context;
    CHECK_EQUAL(sq_once(&first->once, stay, &first->busy), 0);
}

TEST(a_reader_whose_first_word_is_a_once_may_wait_for_it) {
    sq_queue_t *other = sq_queue_create("other", NULL);
    first_run_t first = { .once = SQ_ONCE_INIT, .busy = STAY_INIT };
    CHECK_EQUAL(sq_async(other, run_first, &first), 0);
    check_waits_for(run_once, &first.once, &first.busy);
    sq_queue_release(other);
}

typedef struct asker {
    sq_semaphore_t *permits;
    waiter_t waiter;
} asker_t;

static void wait_for_permit(void *context) {
    asker_t *asker = context;
    asker->waiter.thread_id = gettid();
    asker->waiter.error = sq_semaphore_wait(asker->permits, SQ_FOREVER);
}

TEST(a_reader_may_wait_for_a_permit) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    asker_t asker = { .permits = sq_semaphore_create("permits", 0), .waiter.error = -1 };
    CHECK_EQUAL(sq_async(queue, wait_for_permit, &asker), 0);
    wait_until_asleep(&asker.waiter.thread_id);
    CHECK_EQUAL(sq_semaphore_signal(asker.permits), 0);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(asker.waiter.error, 0);
    sq_semaphore_release(asker.permits);
    sq_queue_release(queue);
}

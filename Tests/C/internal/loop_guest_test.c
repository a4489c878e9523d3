/* loop_guest_test.c: loops whose owner is given by another thread, and loops that one thread after the other runs. */
#include "loop.h"

#include "sq_private.h"
#include "thread/owner.h"

typedef struct guest {
    sq_pool_t *pool;
    latch_t *has_run, *ends;
    size_t ran;
    int error;
} guest_t;

static void *run_as_guest(void *argument) {
    guest_t *guest = argument;
    guest->ran = sq__pool_run_as_guest(guest->pool, SIZE_MAX);
    guest->error = guest->ran > 0 ? 0 : errno;
    latch_bump(guest->has_run);
    latch_wait(guest->ends, 1);
    return NULL;
}

TEST(each_guest_owns_the_loop_until_its_run_returns) {
    enum { GUESTS = 3 };
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    latch_t has_run = LATCH_INIT, ends = LATCH_INIT;
    guest_t guests[GUESTS];
    pthread_t threads[GUESTS];
    begin();
    for (size_t i = 0; i < GUESTS; i += 1) {
        guests[i] = (guest_t){ .pool = pool, .has_run = &has_run, .ends = &ends };
        submit(queue, (int)i + 1);
        threads[i] = spawn(run_as_guest, &guests[i]);
        latch_wait(&has_run, i + 1);
        CHECK_EQUAL(guests[i].ran, 1);
    }
    latch_bump(&ends);
    for (size_t i = 0; i < GUESTS; i += 1) {
        join(threads[i]);
    }
    CHECK_JOURNAL(1, 2, 3);
    end(pool, queue, NULL);
}

TEST(an_owner_is_no_guest_and_admits_none) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    latch_t has_run = LATCH_INIT, ends = LATCH_INIT;
    guest_t guest = { .pool = pool, .has_run = &has_run, .ends = &ends };
    begin();
    CHECK_EQUAL(sq_pool_own(pool), 0);
    submit(queue, 1);
    CHECK_EQUAL(sq__pool_run_as_guest(pool, SIZE_MAX), 1);
    submit(queue, 2);
    latch_bump(&ends);
    join(spawn(run_as_guest, &guest));
    CHECK_EQUAL(guest.error, EPERM);
    CHECK_EQUAL(sq__pool_run_as_guest(pool, SIZE_MAX), 1);
    CHECK_EQUAL(sq__pool_run_as_guest(pool, SIZE_MAX), 0);
    CHECK_EQUAL(errno, EAGAIN);
    CHECK_JOURNAL(1, 2);
    end(pool, queue, NULL);
}

static void run_again(void *pool) { CHECK_EQUAL(sq__pool_run_as_guest(pool, 1), 1); }

/* A run inside of a run ends no ownership: then the rest of the outer one would be without an owner. */
TEST(a_task_of_a_guest_may_run_the_loop_and_release_it) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *first = queue_on(pool, "first", 0), *second = queue_on(pool, "second", 0);
    begin();
    CHECK_EQUAL(sq_async(first, run_again, pool), 0);
    CHECK_EQUAL(sq_async(first, (sq_function_t)sq_pool_release, pool), 0);
    submit(second, 1);
    sq_queue_release(first);
    sq_queue_release(second);
    CHECK_EQUAL(sq__pool_run_as_guest(pool, SIZE_MAX), 2);
    CHECK_JOURNAL(1);
}

/* A main queue that is made by the first task that uses it. */
typedef struct late {
    struct sq__owner *owner;
    sq_pool_t *pool;
    sq_queue_t *main;
    size_t ran;
    int error;
    char report[1024];
} late_t;

static void make_main_and_sync(void *context) {
    late_t *late = context;
    late->pool = make_loop_pool();
    CHECK_EQUAL(sq__pool_own_as(late->pool, late->owner), 0);
    CHECK_EQUAL(sq__pool_own_as(late->pool, late->owner), EPERM);
    late->main = queue_on(late->pool, "main", 0);
    late->error = sq_sync_until(late->main, FAR, add_one, &late->ran);
    snprintf(late->report, sizeof late->report, "%s", sq_deadlock_report());
}

TEST(a_wait_from_before_the_loop_was_made_for_its_thread_is_part_of_the_cycle) {
    late_t late = { .owner = sq__loop_owner() };
    REQUIRE(late.owner != NULL);
    sq_queue_t *work = make_queue_of("work", 0);
    CHECK_EQUAL(sq_async(work, make_main_and_sync, &late), 0);
    CHECK_EQUAL(sq_sync(work, do_nothing, NULL), 0);
    CHECK_EQUAL(late.error, EDEADLK);
    CHECK_EQUAL(late.ran, 0);
    CHECK(strstr(late.report, "owns the loop \"test loop\" and waits for queue \"work\"") != NULL);
    sq_queue_release(work);
    sq__owner_release(late.owner);
    WHATEVER(sq_pool_run_some(late.pool, SIZE_MAX, SQ_NOW)); /* passes over the slot of the refused wait */
    end(late.pool, late.main, NULL);
}

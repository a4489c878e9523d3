/* semaphore_test.c: permits go to the waiting threads, in order, and none is lost or doubled. */
#include "child.h"
#include "inject.h"
#include "permits.h"

#include <stdlib.h>

TEST(a_semaphore_has_as_many_permits_as_it_was_made_with_and_given) {
    sq_semaphore_t *semaphore = make(2);
    CHECK_STRING(sq_semaphore_label(semaphore), "permits");
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    CHECK_EQUAL(take_all(semaphore), 3);
    CHECK_EQUAL(sq_semaphore_wait(semaphore, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_semaphore_wait(semaphore, sq_deadline(1000)), ETIMEDOUT);
    CHECK_EQUAL(sq_semaphore_wait(semaphore, 1), ETIMEDOUT); /* long ago */
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    CHECK_EQUAL(sq_semaphore_wait(semaphore, 1), 0); /* what is there is taken */
    sq_semaphore_release(sq_semaphore_retain(semaphore));
    sq_semaphore_release(semaphore);
    sq_semaphore_release(NULL);
    semaphore = sq_semaphore_create(NULL, 0);
    CHECK_STRING(sq_semaphore_label(semaphore), "");
    sq_semaphore_release(semaphore);
}

TEST(a_signal_beyond_the_maximum_is_EOVERFLOW_and_changes_nothing) {
    errno = 0;
    CHECK(sq_semaphore_create("too many", SQ_SEMAPHORE_MAX + 1) == NULL);
    CHECK_EQUAL(errno, EINVAL);
    sq_semaphore_t *semaphore = make(SQ_SEMAPHORE_MAX);
    CHECK_EQUAL(sq_semaphore_signal(semaphore), EOVERFLOW);
    CHECK_EQUAL(sq_semaphore_wait(semaphore, SQ_NOW), 0);
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    CHECK_EQUAL(sq_semaphore_signal(semaphore), EOVERFLOW);
    sq_semaphore_release(semaphore);
}

typedef struct waiter {
    sq_semaphore_t *semaphore;
    sq_time_t deadline;
    journal_t *journal;
    int number, error;
    pthread_t thread;
    atomic_int thread_id;
} waiter_t;

static void *waiter_main(void *argument) {
    waiter_t *waiter = argument;
    waiter->thread_id = gettid();
    waiter->error = sq_semaphore_wait(waiter->semaphore, waiter->deadline);
    if (waiter->journal != NULL && waiter->error == 0) {
        write_entry(&(entry_t){ waiter->journal, waiter->number }); /* one permit at a time is out */
        CHECK_EQUAL(sq_semaphore_signal(waiter->semaphore), 0);
    }
    return NULL;
}

static void waiter_spawn(waiter_t *waiter, sq_semaphore_t *semaphore, sq_time_t deadline) {
    *waiter = (waiter_t){ semaphore, deadline, NULL, 0, -1, 0, 0 };
    waiter->thread = spawn(waiter_main, waiter);
}

/* Returns when it sleeps in its wait, which must not end by itself. */
static void waiter_start(waiter_t *waiter, sq_semaphore_t *semaphore, sq_time_t deadline, journal_t *journal, int number) {
    *waiter = (waiter_t){ semaphore, deadline, journal, number, -1, 0, 0 };
    waiter->thread = spawn(waiter_main, waiter);
    wait_until_asleep(&waiter->thread_id);
}

static int waiter_end(waiter_t *waiter) {
    join(waiter->thread);
    return waiter->error;
}

TEST(permits_are_given_in_the_order_of_the_waits) {
    enum { WAITERS = 8 };
    sq_semaphore_t *semaphore = make(0);
    waiter_t waiters[WAITERS];
    journal_t journal = { 0 };
    for (int i = 0; i < WAITERS; i += 1) {
        waiter_start(&waiters[i], semaphore, SQ_FOREVER, &journal, i);
    }
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    for (int i = 0; i < WAITERS; i += 1) {
        CHECK_EQUAL(waiter_end(&waiters[i]), 0);
    }
    CHECK_EQUAL(journal.count, WAITERS);
    for (int i = 0; i < WAITERS; i += 1) {
        CHECK_EQUAL(journal.entries[i], i);
    }
    CHECK_EQUAL(take_all(semaphore), 1);
    sq_semaphore_release(semaphore);
}

TEST(a_waiter_whose_deadline_passes_leaves_the_line_and_takes_nothing) {
    sq_semaphore_t *semaphore = make(0);
    waiter_t first, second, third;
    waiter_start(&first, semaphore, SQ_FOREVER, NULL, 0);
    CHECK_EQUAL(sq_semaphore_wait(semaphore, sq_deadline(1000000)), ETIMEDOUT); /* from the end of the line */
    waiter_start(&second, semaphore, SQ_FOREVER, NULL, 0);
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    CHECK_EQUAL(waiter_end(&first), 0);
    waiter_start(&third, semaphore, SQ_FOREVER, NULL, 0);
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    CHECK_EQUAL(waiter_end(&second), 0);
    CHECK_EQUAL(waiter_end(&third), 0);
    CHECK_EQUAL(sq_semaphore_wait(semaphore, SQ_NOW), EAGAIN);
    /* And from its middle and beginning. */
    waiter_spawn(&first, semaphore, sq_deadline(20000000));
    waiter_spawn(&second, semaphore, sq_deadline(20000000));
    waiter_start(&third, semaphore, SQ_FOREVER, NULL, 0);
    CHECK_EQUAL(waiter_end(&second), ETIMEDOUT);
    CHECK_EQUAL(waiter_end(&first), ETIMEDOUT);
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    CHECK_EQUAL(waiter_end(&third), 0);
    CHECK_EQUAL(take_all(semaphore), 0);
    sq_semaphore_release(semaphore);
}

static void release_last(void *semaphore) { sq_semaphore_release(semaphore); }

TEST(the_last_release_is_legal_while_a_thread_waits) {
    sq_semaphore_t *semaphore = make(0);
    do_before_next_wait(release_last, semaphore);
    CHECK_EQUAL(sq_semaphore_wait(semaphore, sq_deadline(20000000)), ETIMEDOUT);
}

/* The thread that got the permit may free the semaphore before the signal has returned. */
static void *signal_once(void *semaphore) {
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    return NULL;
}

TEST(a_waiter_can_release_the_semaphore_as_soon_as_it_has_its_permit) {
    for (size_t i = 0; i < scaled(2000); i += 1) {
        sq_semaphore_t *semaphore = make(0);
        pthread_t signaller = spawn(signal_once, semaphore);
        CHECK_EQUAL(sq_semaphore_wait(semaphore, SQ_FOREVER), 0);
        sq_semaphore_release(semaphore);
        join(signaller);
    }
}

static bool take_with_deadline(sq_semaphore_t *semaphore, random_stream_t *random) {
    bool patient = random_below(random, 8) == 0;
    int error = sq_semaphore_wait(semaphore, patient ? SQ_FOREVER : sq_deadline(random_below(random, 20000)));
    CHECK(error == 0 || error == ETIMEDOUT);
    return error == 0;
}

/* Deadlines of 0 to 20 us. */
TEST(no_permit_is_lost_or_doubled_in_a_storm_of_deadlines) { check_storm(take_with_deadline); }

/* On a pool of one thread: what signals needs the permit of what waits. */
static void wait_inside(void *semaphore) { CHECK_EQUAL(sq_semaphore_wait(semaphore, SQ_FOREVER), 0); }
static void signal_inside(void *semaphore) { CHECK_EQUAL(sq_semaphore_signal(semaphore), 0); }

TEST(a_task_that_waits_on_a_pool_lends_its_thread_to_the_one_that_signals) {
    sq_pool_options_t one = SQ_POOL_OPTIONS_INIT;
    one.threads = 1;
    sq_pool_t *pool = sq_pool_create("one", &one);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    sq_queue_t *a = sq_queue_create("a", &options), *b = sq_queue_create("b", &options);
    sq_semaphore_t *semaphore = make(0);
    CHECK_EQUAL(sq_async(a, wait_inside, semaphore), 0);
    CHECK_EQUAL(sq_async(b, signal_inside, semaphore), 0);
    drain(a);
    drain(b);
    sq_semaphore_release(semaphore);
    sq_queue_release(a);
    sq_queue_release(b);
    sq_pool_release(pool);
}

/* Any thread may signal, so the search for a cycle ends at a wait for a semaphore: no wait is refused, and the watcher gets what the task
 * waits for. */
typedef struct behind {
    sq_queue_t *queue;
    latch_t entered;
    sq_semaphore_t *semaphore;
} behind_t;

static void wait_in_queue(void *context) {
    behind_t *behind = context;
    latch_bump(&behind->entered);
    CHECK_EQUAL(sq_semaphore_wait(behind->semaphore, SQ_FOREVER), 0);
}

static void sync_behind(void *context) {
    behind_t *behind = context;
    CHECK_EQUAL(sq_semaphore_signal(behind->semaphore), 0);
    CHECK_EQUAL(sq_sync(behind->queue, do_nothing, NULL), 0);
}

TEST(a_wait_for_a_semaphore_is_never_a_deadlock) {
    behind_t behind = { make_queue_of("waits", 0), LATCH_INIT, make(0) };
    sq_queue_t *other = make_queue_of("other", 0);
    CHECK_EQUAL(sq_async(behind.queue, wait_in_queue, &behind), 0);
    latch_wait(&behind.entered, 1);
    CHECK_EQUAL(sq_sync(other, sync_behind, &behind), 0);
    sq_queue_release(other);
    sq_queue_release(behind.queue);
    sq_semaphore_release(behind.semaphore);
}

static void fail_the_wait(uint64_t nth) {
    sq_semaphore_t *semaphore = make(0);
    fail_nth(FAIL_ALLOCATION, nth, false);
    int error = sq_semaphore_wait(semaphore, sq_deadline(1000000));
    uint64_t failures = fail_nothing();
    CHECK(error == (failures > 0 ? ENOMEM : ETIMEDOUT));
    CHECK_EQUAL(sq_semaphore_signal(semaphore), 0);
    CHECK_EQUAL(take_all(semaphore), 1);
    sq_semaphore_release(semaphore);
}

int child_main(int count, char **words) {
    (void)count;
    fail_the_wait(strtoull(words[0], NULL, 10));
    return 0;
}

TEST(each_allocation_of_a_semaphore_can_fail) {
    fail_nth(FAIL_ALLOCATION, 1, false);
    errno = 0;
    CHECK(sq_semaphore_create("none", 1) == NULL);
    CHECK_EQUAL(fail_nothing(), 1);
    CHECK_EQUAL(errno, ENOMEM);
    for (int nth = 1; nth <= 3; nth += 1) { /* a token is one; a process each, as tokens are kept */
        char number[12];
        snprintf(number, sizeof number, "%d", nth);
        CHECK_EQUAL(run_child((const char *const[]){ number, NULL }), 0);
    }
}

static int use_in_child(void *argument) {
    sq_semaphore_t **semaphores = argument;
    int wrong = !CHECK_EQUAL(take_all(semaphores[0]), 2);
    wrong += !CHECK_EQUAL(sq_semaphore_wait(semaphores[0], SQ_FOREVER), ESTALE);
    wrong += !CHECK_EQUAL(sq_semaphore_signal(semaphores[0]), 0);
    wrong += !CHECK_EQUAL(sq_semaphore_wait(semaphores[0], SQ_FOREVER), 0);
    wrong += !CHECK_EQUAL(sq_semaphore_signal(semaphores[1]), ESTALE);
    wrong += !CHECK_EQUAL(sq_semaphore_wait(semaphores[1], SQ_FOREVER), ESTALE);
    sq_semaphore_t *fresh = make(0);
    wrong += !CHECK_EQUAL(sq_semaphore_wait(fresh, sq_deadline(1000)), ETIMEDOUT);
    wrong += !CHECK_EQUAL(sq_semaphore_signal(fresh), 0);
    wrong += !CHECK_EQUAL(take_all(fresh), 1);
    sq_semaphore_release(fresh);
    sq_semaphore_release(semaphores[0]);
    sq_semaphore_release(semaphores[1]);
    return wrong;
}

TEST(in_the_child_of_a_fork_permits_can_be_taken_and_waits_are_refused) {
    if (fork_left_out()) {
        return;
    }
    sq_semaphore_t *semaphores[] = { make(2), make(0) };
    waiter_t waiter;
    waiter_start(&waiter, semaphores[1], SQ_FOREVER, NULL, 0);
    CHECK_EQUAL(in_fork(use_in_child, semaphores), 0);
    CHECK_EQUAL(sq_semaphore_signal(semaphores[1]), 0);
    CHECK_EQUAL(waiter_end(&waiter), 0);
    CHECK_EQUAL(take_all(semaphores[0]), 2);
    sq_semaphore_release(semaphores[0]);
    sq_semaphore_release(semaphores[1]);
}

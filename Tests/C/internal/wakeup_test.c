/* wakeup_test.c: waking a thread without a descriptor. */
#include "caller.h"
#include "platform/clock.h"
#include "platform/mutex.h"
#include "platform/wakeup.h"

#include <signal.h>

static sq__wakeup_t wakeup;

static void post_in_handler(int number) {
    (void)number;
    sq__wakeup_post(&wakeup);
}

/* May return too early. */
static void wait_until_posted(atomic_bool *is_posted) {
    while (!atomic_load(is_posted)) {
        CHECK(sq__wakeup_wait(&wakeup, SQ__NEVER));
    }
}

static atomic_bool posted;

static void *wait_for_it(void *argument) {
    wait_until_posted(&posted);
    return argument;
}

TEST(a_post_before_the_wait_is_found_once) {
    sq__wakeup_post(&wakeup);
    sq__wakeup_post(&wakeup);
    CHECK(sq__wakeup_wait(&wakeup, 0));
    CHECK(!sq__wakeup_wait(&wakeup, 0));
}

TEST(a_wait_ends_at_its_deadline_and_not_before) {
    uint64_t deadline = sq__clock_now() + 30000000;
    while (sq__wakeup_wait(&wakeup, deadline)) {
        CHECK(sq__clock_now() < deadline);
    }
    CHECK(sq__clock_now() >= deadline);
}

TEST(a_signal_handler_wakes_a_thread_that_sleeps_without_a_limit) {
    struct sigaction before, ours = { .sa_handler = post_in_handler };
    REQUIRE(sigaction(SIGUSR1, &ours, &before) == 0);
    for (int i = 0; i < 100; i += 1) {
        atomic_store(&posted, false);
        pthread_t thread = spawn(wait_for_it, NULL);
        if (i % 2 == 0) {
            sched_yield(); /* with some luck the thread sleeps */
        }
        atomic_store(&posted, true);
        errno = 99;
        raise(SIGUSR1);
        CHECK_EQUAL(errno, 99);
        join(thread);
        (void)sq__wakeup_wait(&wakeup, 0);
    }
    REQUIRE(sigaction(SIGUSR1, &before, NULL) == 0);
}

static void *wait_cancelled(void *argument) {
    REQUIRE(pthread_cancel(pthread_self()) == 0);
    (void)sq__wakeup_wait(&wakeup, sq__clock_now() + 1000000);
    atomic_store(&posted, true);
    return argument;
}

TEST(a_wait_is_not_cancelled) {
    atomic_store(&posted, false);
    join(spawn(wait_cancelled, NULL));
    CHECK(atomic_load(&posted));
}

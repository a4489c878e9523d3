/* dump_busy_test.c: a dump on a machine that is so busy that a thread which has a lock does not run for long. */
#include "caller.h"
#include "dump.h"
#include "thread/self.h"

#include <stdatomic.h>
#include <time.h>

int __real_nanosleep(const struct timespec *wanted, struct timespec *left);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);

/* A thread sleeps longer than it wants: all of these pauses end late. */
static latch_t pauses = LATCH_INIT;
static atomic_bool is_busy;

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left) {
    if (is_busy) {
        latch_bump(&pauses);
        return __real_nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, left);
    }
    return __real_nanosleep(wanted, left);
}

enum { PAUSES = 20 };
static latch_t entered = LATCH_INIT;

static bool stand(void *context, const sq__self_t *at, const sq__self_t *copy) {
    (void)context, (void)at, (void)copy;
    latch_bump(&entered);
    latch_wait(&pauses, PAUSES);
    return false;
}

static void *hold_list_of_threads(void *unused) {
    (void)sq__self_listed();
    CHECK(sq__self_visit(&(sq__patience_t){ .tries = 0 }, stand, NULL));
    return unused;
}

TEST(a_dump_waits_for_a_lock_that_is_held_by_a_thread_which_is_slow) {
    sq_queue_t *queue = make_queue_of("slow", 0);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    pthread_t holder = spawn(hold_list_of_threads, NULL);
    latch_wait(&entered, 1);
    is_busy = true;
    const char *text = dump_now();
    is_busy = false;
    CHECK(!has_line(text, "Another thread held the lock", NULL, NULL));
    CHECK(latch_value(&pauses) >= PAUSES);
    join(holder);
    sq_queue_release(queue);
}

TEST(patience_with_locked_mutexes_is_limited_for_all_of_them_together) {
    enum { TRIES = 30, LEAST = 8 };
    sq__mutex_t mutex = SQ__MUTEX_INIT;
    sq__patience_t patience = { .tries = TRIES };
    size_t before = latch_value(&pauses);
    sq__mutex_lock(&mutex);
    is_busy = true;
    CHECK(!sq__mutex_lock_patiently(&mutex, &patience));
    CHECK_EQUAL(latch_value(&pauses) - before, TRIES);
    CHECK(!sq__mutex_lock_patiently(&mutex, &patience));
    is_busy = false;
    CHECK_EQUAL(latch_value(&pauses) - before, TRIES + LEAST);
    sq__mutex_unlock(&mutex);
    CHECK(sq__mutex_lock_patiently(&mutex, &patience)); /* a mutex that is free needs none */
    sq__mutex_unlock(&mutex);
}

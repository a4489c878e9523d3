/* moment_test.c: calls of two threads in an order that they would come to once in a million runs. This program is linked with
 * --wrap=pthread_mutex_lock (make/check-own.mk): what happens between two steps of the library is put before a lock. */
#include "caller.h"
#include "latch.h"

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);

/* This thread's next lock comes after this, once. */
static _Thread_local void (*before_lock)(void *context);
static _Thread_local void *before_lock_context;

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
    void (*now)(void *) = before_lock;
    before_lock = NULL;
    if (now != NULL) {
        now(before_lock_context);
    }
    return __real_pthread_mutex_lock(mutex);
}

static void do_before_next_lock(void (*call)(void *), void *context) {
    before_lock_context = context;
    before_lock = call;
}

/* A task that stands in its queue, does one thing when told, and stands on until it is let go. */
typedef struct stander {
    sq_queue_t *queue;
    void (*thing)(struct stander *);
    latch_t entered, go, done, leave, left;
} stander_t;

static void stand(void *context) {
    stander_t *stander = context;
    latch_bump(&stander->entered);
    latch_wait(&stander->go, 1);
    stander->thing(stander);
    latch_bump(&stander->done);
    latch_wait(&stander->leave, 1);
    latch_bump(&stander->left);
}

static void stand_in(stander_t *stander, sq_queue_t *queue, void (*thing)(stander_t *)) {
    *stander = (stander_t){ queue, thing, LATCH_INIT, LATCH_INIT, LATCH_INIT, LATCH_INIT, LATCH_INIT };
    CHECK_EQUAL(sq_async(queue, stand, stander), 0);
    latch_wait(&stander->entered, 1);
}

static void have_it_done(void *context) {
    stander_t *stander = context;
    latch_bump(&stander->go);
    latch_wait(&stander->done, 1);
}

static void have_it_done_and_left(void *context) {
    stander_t *stander = context;
    have_it_done(stander);
    latch_bump(&stander->leave);
    latch_wait(&stander->left, 1);
}

static void resume(stander_t *stander) { CHECK_EQUAL(sq_resume(stander->queue), 0); }
static void nothing(stander_t *stander) { (void)stander; }

/* The last release sees the queue suspended; before it has the lock, the running task resumes it: what waits must run. To see
 * it fail: in sq__suspend_abandon, do not look whether it is still suspended. */
TEST(the_last_release_comes_when_a_task_has_just_resumed_its_queue) {
    sq_queue_t *queue = make_queue_of("resumed", 0);
    stander_t stander;
    size_t ran = 0;
    stand_in(&stander, queue, resume);
    CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ add_one, &ran, must_not_run }), 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    do_before_next_lock(have_it_done, &stander);
    sq_queue_release(queue);
    latch_bump(&stander.leave);
    let_threads_end(1);
    CHECK_EQUAL(ran, 1);
}

/* The same, and the queue ends meanwhile, for it was shut down: whoever comes last frees it. To see it fail: in
 * sq__suspend_abandon, do not look for ENDED (a block is left over). */
TEST(the_last_release_comes_when_a_suspended_shutdown_has_just_ended) {
    sq_queue_t *queue = make_queue_of("ended", 0);
    stander_t stander;
    stand_in(&stander, queue, nothing);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_DRAIN, SQ_NOW), ETIMEDOUT);
    do_before_next_lock(have_it_done_and_left, &stander);
    sq_queue_release(queue);
    let_threads_end(1);
}

/* The same as the first, but the task takes a reference before it resumes, which is given up when the queue is at rest and
 * the first release has not yet come to the state word: the one that comes last frees it. To see it fail: in
 * sq_queue_release, free it whenever it is at rest (AddressSanitizer). */
static void retain_and_resume(stander_t *stander) {
    sq_queue_retain(stander->queue);
    resume(stander);
}

static void have_it_done_and_release(void *context) {
    stander_t *stander = context;
    sq_queue_t *queue = stander->queue;
    have_it_done_and_left(stander);
    while (sq_sync_until(queue, SQ_NOW, do_nothing, NULL) != 0) {
        sched_yield(); /* not at rest yet */
    }
    sq_queue_release(queue);
}

TEST(a_reference_that_a_task_took_is_given_up_before_the_last_release_has_come_through) {
    for (int i = 0; i < 100; i += 1) {
        sq_queue_t *queue = make_queue_of("overtaken", 0);
        stander_t stander;
        stand_in(&stander, queue, retain_and_resume);
        CHECK_EQUAL(sq_suspend(queue), 0);
        do_before_next_lock(have_it_done_and_release, &stander);
        sq_queue_release(queue);
        let_threads_end(1);
    }
}

/* lock_order_test.c: calls of two threads in an order that chance would bring about once in a million runs. This program is linked with
 * --wrap=pthread_mutex_lock and clock_gettime (make/check-own.mk): what must happen between two steps of the library is called right
 * before the library takes a lock, or right after it has read the clock. */
#include "caller.h"
#include "inject.h"
#include "latch.h"
#include "state/state_inline.h"

#include <time.h>

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);

/* Called once, before this thread takes its nth lock from now on. */
static _Thread_local void (*before_lock)(void *context);
static _Thread_local void *before_lock_context;
static _Thread_local unsigned locks_to_come;

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (before_lock != NULL && --locks_to_come == 0) {
        void (*now)(void *) = before_lock;
        before_lock = NULL;
        now(before_lock_context);
    }
    return __real_pthread_mutex_lock(mutex);
}

static void do_before_lock(unsigned nth, void (*call)(void *), void *context) {
    locks_to_come = nth;
    before_lock_context = context;
    before_lock = call;
}

static void do_before_next_lock(void (*call)(void *), void *context) { do_before_lock(1, call, context); }

/* A task that blocks its queue, does one thing on request, and stays until it is released. */
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
static void bump(void *latch) { latch_bump(latch); }

/* The last release sees the queue suspended; before it has the lock, the running task resumes it: what waits must run. */
TEST(the_last_release_comes_when_a_task_has_just_resumed_its_queue) {
    sq_queue_t *queue = make_queue_of("resumed", 0);
    stander_t stander;
    latch_t ran = LATCH_INIT;
    stand_in(&stander, queue, resume);
    CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ bump, &ran, must_not_run }), 0);
    CHECK_EQUAL(sq_suspend(queue), 0);
    do_before_next_lock(have_it_done, &stander);
    sq_queue_release(queue);
    latch_bump(&stander.leave);
    latch_wait(&ran, 1);
    let_threads_end(1);
}

/* The same, and the queue ends in between, because it was shut down: the last thread frees it. */
TEST(the_last_release_comes_when_a_suspended_shutdown_has_just_ended) {
    sq_queue_t *queue = make_queue_of("ended", 0);
    stander_t stander;
    stand_in(&stander, queue, nothing);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
    do_before_next_lock(have_it_done_and_left, &stander);
    sq_queue_release(queue);
    let_threads_end(1);
}

/* The same as the first, but the task takes a reference before it resumes, which is released when the queue is at rest and
 * the first release has not yet come to the state word: the one that comes last frees it. */
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

TEST(a_reference_that_a_task_took_is_released_before_the_last_release_has_finished) {
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

/* A cancel has waited for a firing until its deadline. Before it has the queue's lock again, to leave the list, the firing
 * ends: the cancel returns 0. Locks: the queue's, the token's, the queue's. */
static void end_firing(void *context) {
    stander_t *stander = context;
    have_it_done_and_left(stander);
    drain(stander->queue);
}

TEST(a_firing_that_ends_as_a_cancel_stops_waiting_for_it_is_over) {
    sq_queue_t *queue = make_queue_of("firing", 0);
    stander_t stander = { queue, nothing, LATCH_INIT, LATCH_INIT, LATCH_INIT, LATCH_INIT, LATCH_INIT };
    hold_t hold;
    hold_async(&hold, queue); /* a wait, so that this thread has its token */
    CHECK_EQUAL(sq_sync_until(queue, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    hold_end(&hold);
    sq_timer_t *timer = sq_timer_create(queue, &(sq_task_t){ stand, &stander, NULL });
    REQUIRE(timer != NULL);
    CHECK_EQUAL(sq_timer_start(timer, 0, 0, 0), 0);
    latch_wait(&stander.entered, 1);
    do_before_lock(3, end_firing, &stander);
    CHECK_EQUAL(sq_timer_cancel_and_wait(timer, sq_deadline(1000000)), 0);
    CHECK(before_lock == NULL);
    sq_timer_release(timer);
    sq_queue_release(queue);
}

/* The same with a shutdown. Locks: the queue's, again, the enders', the token's, the enders'. */
static void end_queue(void *context) {
    stander_t *stander = context;
    have_it_done_and_left(stander);
    while (!(sq__load_acquire(&stander->queue->state) & SQ__ENDED)) {
        sched_yield();
    }
    sq__lock(stander->queue); /* under which it ends */
    sq__unlock(stander->queue);
}

TEST(a_queue_that_ends_as_a_shutdown_stops_waiting_for_it_has_ended) {
    sq_queue_t *queue = make_queue_of("ending", 0);
    stander_t stander;
    stand_in(&stander, queue, nothing);
    CHECK_EQUAL(sq_sync_until(queue, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT); /* this thread has its token */
    do_before_lock(5, end_queue, &stander);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, sq_deadline(1000000)), 0);
    CHECK(before_lock == NULL);
    sq_queue_release(queue);
}

/* After each of its next looks_to_hold reads of the clock, the watching thread waits for `go`. */
static atomic_int looks_to_hold;
static latch_t looked = LATCH_INIT, go = LATCH_INIT;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
    int error = __real_clock_gettime(clock, now);
    char name[16] = "";
    if (looks_to_hold > 0 && pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "sq-watch") == 0) {
        size_t number = looked.value + 1; /* it alone bumps it */
        looks_to_hold -= 1;
        latch_bump(&looked);
        latch_wait(&go, number);
    }
    return error;
}

static void check_plausible(void *context, const sq_stall_t *stall) {
    (void)context;
    CHECK(stall->nanoseconds < 3600ull * 1000000000u);
}

/* A task begins just after the watching thread has looked at the clock: its running time would come out negative. */
TEST(a_task_that_begins_while_it_is_looked_at_does_not_run_for_ages) {
    enum { LOOKS = 6 }; /* the thread looks at the clock when it wakes up, and at each queue: at least every other is one */
    sq_queue_t *queue = make_queue_of("watched", 0);
    looks_to_hold = LOOKS; /* from the first one on: a thread that finds the queue idle looks no more before there is a task */
    CHECK_EQUAL(sq_queue_watch(queue, 2000000, &(sq_watcher_t){ check_plausible, NULL, NULL }), 0);
    for (size_t i = 1; i <= LOOKS; i += 1) {
        stander_t stander;
        latch_wait(&looked, i);
        stand_in(&stander, queue, nothing);
        latch_bump(&go);
        if (i < LOOKS) {
            latch_wait(&looked, i + 1); /* it has looked at the task */
        }
        have_it_done_and_left(&stander);
        drain(queue);
    }
    CHECK_EQUAL(sq_queue_watch(queue, 0, NULL), 0);
    sq_queue_release(queue);
}

/* A watcher of all queues, and the thread that replaces it. */
typedef struct replacement {
    pthread_t thread;
    atomic_int thread_id;
    latch_t leave;
    atomic_int discards, discards_elsewhere; /* not on that thread */
} replacement_t;

static void note_discard(void *context) {
    replacement_t *replacement = context;
    replacement->discards += 1;
    replacement->discards_elsewhere += replacement->thread_id != gettid();
}

static void *watch_none(void *context) {
    replacement_t *replacement = context;
    replacement->thread_id = gettid();
    CHECK_EQUAL(sq_watch_all(0, NULL), 0);
    latch_wait(&replacement->leave, 1);
    return NULL;
}

/* Returns once the other thread sleeps: it has replaced the watcher, or waits for a lock that this one holds. */
static void replace_watcher(void *context) {
    replacement_t *replacement = context;
    replacement->thread = spawn(watch_none, replacement);
    wait_until_asleep(&replacement->thread_id);
    fail_nth(FAIL_ALLOCATION, 1, true);
}

/* The thread that creates a queue may hold a lock that the watcher's discard function takes. */
TEST(a_watcher_is_not_discarded_by_a_thread_that_creates_a_queue) {
    replacement_t replacement = { .leave = LATCH_INIT };
    const sq_watcher_t watcher = { .stalled = check_plausible, .context = &replacement, .discard = note_discard };
    CHECK_EQUAL(sq_watch_all(2000000, &watcher), 0);
    do_before_lock(2, replace_watcher, &replacement); /* the watcher was found, and the queue's lock is about to be taken */
    sq_queue_t *queue = sq_queue_create("not watched", NULL);
    CHECK(fail_nothing() > 0);
    REQUIRE(queue != NULL && before_lock == NULL);
    latch_bump(&replacement.leave);
    join(replacement.thread);
    CHECK_EQUAL(replacement.discards, 1);
    CHECK_EQUAL(replacement.discards_elsewhere, 0);
    sq_queue_release(queue);
}

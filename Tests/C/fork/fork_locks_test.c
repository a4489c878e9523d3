/* fork_locks_test.c: a fork waits for each lock of the library that may be held for a moment, and its child can have them all.
 * ThreadSanitizer cannot follow a process with threads through a fork: nothing is tested there. */
#include "caller.h"
#include "child.h"
#include "inject.h"
#include "sq_pool.h"

#include "platform/mutex.h"
#include "state/state.h"
#include "wait/deadlock.h"
#include "observe/reader.h"
#include "objects/object_lock.h"
#include "queue/end.h"
#include "inspect/watch_thread.h"
#include "alarm/alarm.h"
#include "thread/self.h"

#include <sched.h>
#include <stdatomic.h>

/* Addresses one after the other fall to all the queues' locks, however many they are. */
enum { QUEUES_LOCKS = 64, ROUNDS = 30, ROUNDS_EACH = 4, STRIDE = 64 };

typedef struct lock {
    const char *name;
    sq__lock_rank_t rank;
    const void *object; /* of an array of locks: the one of the object at this address, which is never looked into */
} lock_t;

static void take(const lock_t *lock) {
    const sq__fork_lock_t *registered = &sq__fork_locks[lock->rank];
    registered->lock != NULL ? sq__mutex_lock(registered->lock) : sq__locks_take(registered->locks, lock->object);
}

static void give(const lock_t *lock) {
    const sq__fork_lock_t *registered = &sq__fork_locks[lock->rank];
    registered->lock != NULL ? sq__mutex_unlock(registered->lock) : sq__locks_release(registered->locks, lock->object);
}

typedef struct busy {
    const lock_t *lock;
    atomic_bool holds, over;
} busy_t;

/* Holds the lock most of the time. */
static void *hold_and_leave(void *argument) {
    busy_t *busy = argument;
    while (!busy->over) {
        take(busy->lock);
        busy->holds = true;
        for (int i = 0; i < 20; i += 1) {
            sched_yield();
        }
        busy->holds = false;
        give(busy->lock);
        sched_yield();
    }
    return NULL;
}

/* In the child what the lock protects is complete, and the lock can be taken. */
static int use_in_child(void *context) {
    const busy_t *busy = context;
    bool whole = CHECK(!busy->holds);
    take(busy->lock);
    give(busy->lock);
    return whole ? 0 : 1;
}

static void check_lock(int rounds, lock_t lock) {
    busy_t busy = { .lock = &lock };
    pthread_t thread = spawn(hold_and_leave, &busy);
    for (int round = 0; round < rounds; round += 1) {
        if (!CHECK_EQUAL(in_fork(use_in_child, &busy), 0)) {
            note("the lock of %s", lock.name);
            break;
        }
    }
    busy.over = true;
    join(thread);
}

TEST(no_lock_of_a_moment_is_held_in_the_child_of_a_fork) {
    if (fork_left_out()) {
        return;
    }
    check_lock(ROUNDS, (lock_t){ "the shared pool", SQ__RANK_SHARED_POOL, NULL });
    check_lock(ROUNDS, (lock_t){ "threads that wait for an end", SQ__RANK_ENDERS, NULL });
    check_lock(ROUNDS, (lock_t){ "the turn at the queues with histograms", SQ__RANK_MEASURED_TURN, NULL });
    check_lock(ROUNDS, (lock_t){ "the queues with histograms", SQ__RANK_MEASURED, NULL });
    check_lock(ROUNDS, (lock_t){ "the watching thread", SQ__RANK_WATCH, NULL });
    check_lock(ROUNDS, (lock_t){ "the waits", SQ__RANK_WAITS, NULL });
    check_lock(ROUNDS, (lock_t){ "the alarms", SQ__RANK_ALARMS, NULL });
    check_lock(ROUNDS, (lock_t){ "groups, items, semaphores and onces", SQ__RANK_OBJECTS, NULL });
    check_lock(ROUNDS, (lock_t){ "the cache of threads", SQ__RANK_CACHE, NULL });
    check_lock(ROUNDS, (lock_t){ "the tokens", SQ__RANK_TOKENS, NULL });
#ifdef SQ_DEBUG
    check_lock(ROUNDS, (lock_t){ "the queues that were freed", SQ__RANK_HANDLES, NULL });
#endif
}

TEST(no_lock_of_a_queue_is_held_in_the_child_of_a_fork) {
    if (fork_left_out()) {
        return;
    }
    for (uintptr_t i = 1; i <= QUEUES_LOCKS; i += 1) {
        check_lock(ROUNDS_EACH, (lock_t){ "a queue", SQ__RANK_QUEUES, (const void *)(i * STRIDE) }); /* NOLINT: an address alone */
    }
}

/* A token's own lock is not taken for a fork: a granter that comes late may have it, in the parent, after the waiter has continued. */
static int wait_with_another(void *before) {
    return CHECK(sq__self_token() != before) && CHECK(sq__token_acquire() != before) ? 0 : 1;
}

TEST(no_token_of_the_parents_is_used_in_the_child_of_a_fork) {
    if (fork_left_out()) {
        return;
    }
    sq__token_t *mine = sq__self_token();
    REQUIRE(mine != NULL);
    CHECK_EQUAL(in_fork(wait_with_another, mine), 0);
}

/* For the same reason the child wakes no thread that waits in the parent. Here the waiter is about to sleep, and holds its token's
 * lock. */
typedef struct sleeper {
    sq_queue_t *queue;
    latch_t stands, continues;
    int error, status;
    pthread_t thread;
} sleeper_t;

static void stand(void *context) {
    sleeper_t *sleeper = context;
    latch_bump(&sleeper->stands);
    latch_wait(&sleeper->continues, 1);
}

static void *fall_asleep(void *argument) {
    sleeper_t *sleeper = argument;
    do_before_next_wait(stand, sleeper);
    sleeper->error = sq_sync(sleeper->queue, do_nothing, NULL);
    return NULL;
}

static void fork_here(void *context) {
    sleeper_t *sleeper = context;
    sleeper->thread = spawn(fall_asleep, sleeper);
    latch_wait(&sleeper->stands, 1);
    if (!fork_and_return(&sleeper->status)) {
        latch_bump(&sleeper->continues);
    }
}

TEST(a_child_that_returns_from_a_task_wakes_no_thread_of_the_parent) {
    if (fork_left_out()) {
        return;
    }
    sleeper_t sleeper = { make_queue_of("forking", 0), LATCH_INIT, LATCH_INIT, -1, -2, 0 };
    bool good = CHECK_EQUAL(sq_sync(sleeper.queue, fork_here, &sleeper), 0);
    if (sleeper.status == -1) {
        _exit(good ? 0 : 1); /* the child has come back */
    }
    join(sleeper.thread);
    CHECK_EQUAL(sleeper.status, 0);
    CHECK_EQUAL(sleeper.error, 0);
    sq_queue_release(sleeper.queue);
}

/* The same where a call has forked: the one that waits for it is in the parent. */
static void fork_in_call(void *context) {
    sleeper_t *sleeper = context;
    latch_wait(&sleeper->stands, 1);
    if (!fork_and_return(&sleeper->status)) {
        latch_bump(&sleeper->continues);
    }
}

TEST(a_child_that_returns_from_a_call_ends_and_wakes_no_thread_of_the_parent) {
    if (UNDER_TSAN || UNDER_ASAN) {
        return; /* as in fork_test: a child that is the copy of a thread, and ends with it */
    }
    sleeper_t sleeper = { make_queue_of("forking", 0), LATCH_INIT, LATCH_INIT, 0, -2, 0 };
    do_before_next_wait(stand, &sleeper);
    CHECK_EQUAL(sq_run_and_wait(sleeper.queue, SQ_FOREVER, fork_in_call, &sleeper), 0);
    CHECK_EQUAL(sleeper.status, 0);
    sq_queue_release(sleeper.queue);
}

/* The same where the function of a once has forked. */
static sq_once_t once = SQ_ONCE_INIT;

static void *wait_for_once(void *argument) {
    sleeper_t *sleeper = argument;
    do_before_next_wait(stand, sleeper);
    sleeper->error = sq_once(&once, must_not_run, NULL);
    return NULL;
}

static void fork_in_once(void *context) {
    sleeper_t *sleeper = context;
    sleeper->thread = spawn(wait_for_once, sleeper);
    latch_wait(&sleeper->stands, 1);
    if (!fork_and_return(&sleeper->status)) {
        latch_bump(&sleeper->continues);
    }
}

TEST(a_child_that_returns_from_a_once_wakes_no_thread_of_the_parent) {
    if (fork_left_out()) {
        return;
    }
    sleeper_t sleeper = { NULL, LATCH_INIT, LATCH_INIT, -1, -2, 0 };
    bool good = CHECK_EQUAL(sq_once(&once, fork_in_once, &sleeper), 0);
    if (sleeper.status == -1) {
        _exit(good ? 0 : 1); /* the child has come back */
    }
    join(sleeper.thread);
    CHECK_EQUAL(sleeper.status, 0);
    CHECK_EQUAL(sleeper.error, 0);
}

/* The child does not stop a thread of the parent either. Here the queue's thread is about to sleep. */
static void have_the_thread_stand(void *sleeper) { do_before_next_wait(stand, sleeper); }

static int release_in_child(void *queue) {
    sq_queue_release(queue);
    return 0;
}

TEST(a_release_in_the_child_stops_no_thread_of_the_parents) {
    if (fork_left_out()) {
        return;
    }
    sleeper_t sleeper = { make_queue_of("sleeping", 0), LATCH_INIT, LATCH_INIT, 0, 0, 0 };
    CHECK_EQUAL(sq_async(sleeper.queue, have_the_thread_stand, &sleeper), 0);
    latch_wait(&sleeper.stands, 1);
    CHECK_EQUAL(in_fork(release_in_child, sleeper.queue), 0);
    latch_bump(&sleeper.continues);
    sq_queue_release(sleeper.queue);
    let_threads_end(1); /* nothing stands there any more */
}

/* The lock of a watched concurrent queue's readers. A reader takes it twice; a fork waits for it. */
typedef struct readers {
    sq_queue_t *queue;
    atomic_bool over;
} readers_t;

static void *read_on(void *argument) {
    readers_t *readers = argument;
    while (!readers->over) {
        CHECK_EQUAL(sq_sync(readers->queue, do_nothing, NULL), 0);
    }
    return NULL;
}

static int look_at_readers(void *queue) {
    (void)sq__reader_oldest(queue);
    return 0;
}

static void ignore_stall(void *context, const sq_stall_t *stall) {
    (void)context;
    (void)stall;
}

TEST(the_list_of_readers_is_not_locked_in_the_child_of_a_fork) {
    if (fork_left_out()) {
        return;
    }
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    sq_pool_t *pool = options.pool = sq_pool_create_manual("manual");
    options.width = SQ_WIDTH_POOL;
    readers_t readers = { .queue = sq_queue_create("readers", &options) };
    REQUIRE(readers.queue != NULL);
    CHECK_EQUAL(sq_queue_watch(readers.queue, 3600ull * 1000000000, &(sq_watcher_t){ .stalled = ignore_stall }), 0);
    pthread_t threads[3]; /* so that one of them has it nearly always */
    for (size_t i = 0; i < 3; i += 1) {
        threads[i] = spawn(read_on, &readers);
    }
    for (int round = 0; round < ROUNDS; round += 1) {
        if (!CHECK_EQUAL(in_fork(look_at_readers, readers.queue), 0)) {
            break;
        }
    }
    readers.over = true;
    for (size_t i = 0; i < 3; i += 1) {
        join(threads[i]);
    }
    sq_queue_release(readers.queue);
    sq_pool_release(pool);
}

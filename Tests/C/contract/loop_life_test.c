/* loop_life_test.c: owners that end, hosts that do not come back, forks, signals, dying threads, and missing memory or descriptors. */
#include "loop.h"

#include "fork.h"

static void *run_one_task(void *pool) {
    CHECK_EQUAL(sq_pool_run_some(pool, 1, FAR), 1);
    return NULL;
}

TEST(another_thread_takes_over_what_an_owner_leaves_when_it_ends) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    caller_t caller;
    begin();
    submit(queue, 1);
    submit(queue, 2);
    join(spawn(run_one_task, pool));
    CHECK(is_readable(pool, 0));
    caller_start(&caller, BY_SYNC, queue, SQ_FOREVER, write_entry, &numbers[3]);
    wait_for_depth(queue, 2);
    join(spawn(run_one_task, pool));
    run_until(pool, 1);
    CHECK_EQUAL(caller_end(&caller), 0);
    CHECK_JOURNAL(1, 2, 3);
    end(pool, queue, NULL);
}

static void *try_to_own(void *pool) { return (void *)(intptr_t)sq_pool_own(pool); }

TEST(a_thread_owns_a_loop_that_it_has_asked_for_and_runs_nothing_by_that) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    void *error = NULL;
    begin();
    submit(queue, 1);
    CHECK_EQUAL(sq_pool_own(pool), 0);
    CHECK_EQUAL(sq_pool_own(pool), 0);
    CHECK_EQUAL(journal.count, 0);
    REQUIRE(pthread_join(spawn(try_to_own, pool), &error) == 0);
    CHECK_EQUAL((intptr_t)error, EPERM);
    CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW), 1);
    end(pool, queue, NULL);
    pool = make_loop_pool();
    REQUIRE(pthread_join(spawn(try_to_own, pool), &error) == 0);
    CHECK_EQUAL((intptr_t)error, 0);
    CHECK_EQUAL(sq_pool_own(pool), 0); /* that thread has ended */
    sq_pool_release(pool);
}

typedef struct fall {
    sq_pool_t *pool;
    sq_queue_t *queue;
    size_t discarded;
} fall_t;

static void release_all(void *context) {
    fall_t *fall = context;
    sq_queue_release(fall->queue);
    sq_pool_release(fall->pool);
}

TEST(a_task_can_release_the_last_references_while_the_loop_is_run) {
    fall_t fall = { make_loop_pool(), NULL, 0 };
    size_t ran = 0;
    fall.queue = queue_on(fall.pool, "on a loop", 0);
    CHECK_EQUAL(sq_async(fall.queue, release_all, &fall), 0);
    CHECK_EQUAL(sq_async(fall.queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_pool_run_some(fall.pool, SIZE_MAX, SQ_NOW), 2);
    CHECK_EQUAL(ran, 1);
}

TEST(what_is_left_at_a_release_is_discarded_by_a_shutdown_before_or_needs_another_run) {
    fall_t fall = { make_loop_pool(), NULL, 0 };
    fall.queue = queue_on(fall.pool, "on a loop", 0);
    WHATEVER(sq_pool_run_some(fall.pool, 1, SQ_NOW));
    CHECK_EQUAL(sq_async_task(fall.queue, &(sq_task_t){ must_not_run, &fall.discarded, add_one }), 0);
    CHECK_EQUAL(sq_shutdown(fall.queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0); /* by the owner: it runs what is left */
    CHECK_EQUAL(fall.discarded, 1);
    end(fall.pool, fall.queue, NULL);
    fall.pool = make_loop_pool();
    fall.queue = queue_on(fall.pool, "on a loop", 0);
    size_t ran = 0;
    CHECK_EQUAL(sq_async(fall.queue, add_one, &ran), 0);
    sq_queue_release(fall.queue); /* the queue keeps itself and the loop until the task has run */
    CHECK_EQUAL(ran, 0);
    CHECK_EQUAL(sq_pool_run_some(fall.pool, SIZE_MAX, SQ_NOW), 1);
    CHECK_EQUAL(ran, 1);
    sq_pool_release(fall.pool);
}

/* A host that never comes back: no call with a deadline hangs, and a watcher reports which queue makes no progress. */
typedef struct watch {
    latch_t stalled;
    sq_stall_kind_t kind;
    size_t depth;
} watch_t;

static void note_stall(void *context, const sq_stall_t *stall) {
    watch_t *watch = context;
    watch->kind = stall->kind;
    watch->depth = stall->depth;
    latch_bump(&watch->stalled);
}

TEST(a_loop_that_is_not_run_any_more_is_reported_by_a_watcher_and_a_drain_with_a_deadline) {
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    watch_t watch = { .stalled = LATCH_INIT };
    caller_t caller;
    begin();
    CHECK_EQUAL(sq_queue_watch(queue, 2000000, &(sq_watcher_t){ note_stall, &watch, NULL }), 0);
    submit(queue, 1);
    latch_wait(&watch.stalled, 1);
    CHECK_EQUAL(watch.kind, SQ_STALL_WAITING);
    CHECK_EQUAL(watch.depth, 1);
    caller_start(&caller, BY_SHUTDOWN, queue, sq_deadline(1000000), NULL, NULL);
    CHECK_EQUAL(caller_end(&caller), ETIMEDOUT);
    CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW), 1);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), 0);
    end(pool, queue, NULL);
}

static int use_parents_loop(void *context) {
    fall_t *fall = context;
    int wrong = !CHECK_EQUAL(sq_pool_run_some(fall->pool, 1, SQ_NOW), 0);
    wrong += !CHECK_EQUAL(errno, ESTALE);
    wrong += !CHECK_EQUAL(sq_pool_run_forever(fall->pool), ESTALE);
    wrong += !CHECK_EQUAL(sq_pool_stop(fall->pool), ESTALE);
    wrong += !CHECK_EQUAL(sq_pool_own(fall->pool), ESTALE);
    errno = 0;
    wrong += !CHECK_EQUAL(sq_pool_fd(fall->pool), -1);
    wrong += !CHECK_EQUAL(errno, ESTALE);
    wrong += !CHECK_EQUAL(sq_async(fall->queue, must_not_run, NULL), ESTALE);
    wrong += !CHECK_EQUAL(sq_sync(fall->queue, must_not_run, NULL), ESTALE);
    sq_queue_release(fall->queue);
    sq_pool_release(fall->pool);
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "the child's", 0);
    begin();
    submit(queue, 1);
    wrong += !CHECK_EQUAL(sq_pool_run_some(pool, 1, SQ_NOW), 1);
    end(pool, queue, NULL);
    return wrong + use_new_queues(NULL);
}

TEST(in_the_child_of_a_fork_the_parents_loop_runs_nothing_and_a_new_one_works) {
    if (fork_left_out()) {
        return;
    }
    fall_t fall = { make_loop_pool(), NULL, 0 };
    fall.queue = queue_on(fall.pool, "on a loop", 0);
    begin();
    WHATEVER(sq_pool_run_some(fall.pool, 1, SQ_NOW));
    submit(fall.queue, 1);
    CHECK_EQUAL(in_fork(use_parents_loop, &fall), 0);
    CHECK(is_readable(fall.pool, 0));
    CHECK_EQUAL(sq_pool_run_some(fall.pool, 1, SQ_NOW), 1);
    end(fall.pool, fall.queue, NULL);
}

static void fork_in_task(void *context) { CHECK(!fork_and_return(context) || *(int *)context == -1); }

TEST(a_task_of_a_loop_can_fork) {
    if (fork_left_out()) {
        return;
    }
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    int status = 0;
    begin();
    CHECK_EQUAL(sq_async(queue, fork_in_task, &status), 0);
    submit(queue, 1);
    CHECK_EQUAL(sq_async(queue, stop_loop, pool), 0);
    int error = sq_pool_run_forever(pool);
    if (status == -1) {
        _exit(error == ESTALE && journal.count == 0 ? 0 : 1);
    }
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(error, 0);
    CHECK_JOURNAL(1);
    end(pool, queue, NULL);
}

/* The child shares the descriptor with its parent. */
TEST(the_child_of_a_fork_in_a_task_does_not_read_its_parents_descriptor) {
    for (int is_endless = 0; is_endless < 2 && !fork_left_out(); is_endless += 1) {
        sq_pool_t *pool = make_loop_pool();
        sq_queue_t *queue = queue_on(pool, "on a loop", 0);
        int status = 0;
        begin();
        CHECK_EQUAL(sq_async(queue, fork_in_task, &status), 0);
        if (is_endless) {
            CHECK_EQUAL(sq_async(queue, stop_loop, pool), 0);
        }
        int error = is_endless ? sq_pool_run_forever(pool) : 0;
        if (!is_endless && sq_pool_run_some(pool, SIZE_MAX, SQ_NOW) == 0) {
            error = errno;
        }
        if (status == -1) {
            _exit(error == ESTALE ? 0 : 1);
        }
        CHECK_EQUAL(status, 0);
        CHECK_EQUAL(error, 0);
        CHECK(!is_readable(pool, 0));
        submit(queue, 1);
        CHECK(is_readable(pool, 0));
        CHECK_EQUAL(sq_pool_run_some(pool, SIZE_MAX, SQ_NOW), 1);
        end(pool, queue, NULL);
    }
}

/* Signals end poll with EINTR. */
static atomic_size_t signals;
static void count_signal(int number) {
    (void)number;
    signals += 1;
}

typedef struct sender {
    sq_pool_t *pool;
    sq_queue_t *queue;
    pthread_t owner;
} sender_t;

static void *send_signals(void *argument) {
    sender_t *sender = argument;
    for (size_t i = 0; i < 1000; i += 1) {
        pthread_kill(sender->owner, SIGUSR1);
        if (i % 10 == 0) {
            CHECK_EQUAL(sq_sync(sender->queue, do_nothing, NULL), 0);
        }
    }
    stop_loop(sender->pool);
    return NULL;
}

TEST(a_loop_runs_through_a_stream_of_signals) {
    struct sigaction before, action = { .sa_handler = count_signal };
    sigaction(SIGUSR1, &action, &before);
    sq_pool_t *pool = make_loop_pool();
    sender_t sender = { pool, queue_on(pool, "on a loop", 0), pthread_self() };
    pthread_t thread = spawn(send_signals, &sender);
    CHECK_EQUAL(sq_pool_run_forever(pool), 0);
    join(thread);
    CHECK(signals > 0);
    check_outcomes(sender.queue, 100, 0, 0, 0);
    end(pool, sender.queue, NULL);
    sigaction(SIGUSR1, &before, NULL);
}

/* A thread posts from its last destructor. */
enum { POSTS = 1000 };
static pthread_key_t last_words;
static size_t heard;

static void post_all(void *queue) {
    for (int i = 0; i < POSTS; i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, &heard), 0);
    }
}

static void *die(void *queue) {
    REQUIRE(pthread_setspecific(last_words, queue) == 0);
    return NULL;
}

TEST(a_thousand_posts_of_a_dying_thread_all_run) {
    REQUIRE(pthread_key_create(&last_words, post_all) == 0);
    sq_pool_t *pool = make_loop_pool();
    sq_queue_t *queue = queue_on(pool, "on a loop", 0);
    heard = 0;
    pthread_t thread = spawn(die, queue);
    run_until(pool, POSTS);
    join(thread);
    CHECK_EQUAL(heard, POSTS);
    pthread_key_delete(last_words);
    end(pool, queue, NULL);
}

/* The owner returns from a run and polls, as a host does, while others post. */
enum { QUEUES = 3 };
typedef struct poster {
    sq_queue_t *queues[QUEUES];
    size_t posts, *ran;
} poster_t;

static void *post_to_all(void *argument) {
    poster_t *poster = argument;
    for (size_t i = 0; i < poster->posts; i += 1) {
        CHECK_EQUAL(sq_async(poster->queues[i % QUEUES], add_one, poster->ran), 0);
        if (i % 64 == 0) {
            sched_yield();
        }
    }
    return NULL;
}

TEST(a_post_between_a_run_and_the_poll_is_not_missed) {
    sq_pool_t *pool = make_loop_pool();
    size_t ran = 0;
    poster_t poster = { .posts = scaled(60000), .ran = &ran };
    for (int i = 0; i < QUEUES; i += 1) {
        poster.queues[i] = queue_on(pool, "on a loop", 0);
    }
    pthread_t threads[2] = { spawn(post_to_all, &poster), spawn(post_to_all, &poster) };
    while (ran < 2 * poster.posts) {
        REQUIRE(is_readable(pool, 100000));
        WHATEVER(sq_pool_run_some(pool, 10, SQ_NOW));
    }
    for (int i = 0; i < 2; i += 1) {
        join(threads[i]);
    }
    CHECK_EQUAL(ran, 2 * poster.posts);
    sq_queue_release(poster.queues[2]);
    end(pool, poster.queues[0], poster.queues[1]);
}

TEST(a_loop_without_memory_or_a_descriptor_is_an_error) {
    uint64_t failed = 1;
    for (uint64_t nth = 1; failed > 0; nth += 1) {
        fail_nth(FAIL_ALLOCATION, nth, false);
        sq_pool_t *pool = sq_pool_create_loop("test loop");
        int error = errno;
        size_t ran = pool != NULL ? sq_pool_run_some(pool, 1, SQ_NOW) : 0;
        int run_error = errno;
        failed = fail_nothing();
        CHECK(pool != NULL || error == ENOMEM);
        CHECK(pool == NULL || (ran == 0 && run_error == (failed ? ENOMEM : EAGAIN)));
        sq_pool_release(pool);
    }
    struct rlimit before, none = { 0 };
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    none.rlim_max = before.rlim_max;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    sq_pool_t *pool = sq_pool_create_loop("test loop");
    int error = errno;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(pool == NULL);
    CHECK_EQUAL(error, EMFILE);
}

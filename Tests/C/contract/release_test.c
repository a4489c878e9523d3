/* release_test.c: the last release of a queue, from everywhere. After each test the harness checks that no thread and no block of memory is
 * left. */
#include "caller.h"
#include "inject.h"
#include "latch.h"

#include <sched.h>

/* In loops over short-lived queues: never more than KEPT_WAITERS threads at one time, on the busiest machine. */
static void let_few_live(size_t round) {
    if (round % 16 == 15) {
        let_threads_end(16);
    }
}

TEST(release_of_null_is_ignored) {
    sq_queue_release(NULL);
}

TEST(a_queue_that_was_never_used_goes_at_its_last_release) {
    long blocks = live_blocks();
    for (size_t i = 0; i < 1000; i += 1) {
        sq_queue_t *queue = sq_queue_create("never used", NULL);
        REQUIRE(queue != NULL);
        sq_queue_release(queue);
    }
    CHECK_EQUAL(live_blocks(), blocks);
}

typedef struct owner {
    sq_queue_t *queue;
    latch_t done;
    size_t ran;
} owner_t;

static void release_from_inside(void *context) {
    owner_t *owner = context;
    sq_queue_release(owner->queue);
    /* The queue lives on until its tasks are done, this one included. */
    CHECK(sq_is_current(owner->queue));
    CHECK(sq_current_queue() == owner->queue);
    owner->ran += 1;
    latch_bump(&owner->done);
}

TEST(the_last_reference_can_be_released_by_its_own_async_task) {
    for (size_t i = 0; i < 1000; i += 1) {
        owner_t owner = { sq_queue_create("own async", NULL), LATCH_INIT, 0 };
        REQUIRE(owner.queue != NULL);
        CHECK_EQUAL(sq_async(owner.queue, release_from_inside, &owner), 0);
        latch_wait(&owner.done, 1);
        CHECK_EQUAL(owner.ran, 1);
        let_few_live(i);
    }
}

TEST(the_last_reference_can_be_released_by_its_own_sync_task) {
    for (size_t i = 0; i < 1000; i += 1) {
        owner_t owner = { sq_queue_create("own sync", NULL), LATCH_INIT, 0 };
        REQUIRE(owner.queue != NULL);
        CHECK_EQUAL(sq_sync(owner.queue, release_from_inside, &owner), 0);
        CHECK_EQUAL(owner.ran, 1);
    }
}

TEST(the_last_reference_can_be_released_by_its_own_sync_task_when_the_queue_has_a_thread) {
    for (size_t i = 0; i < 1000; i += 1) {
        owner_t owner = { sq_queue_create("own sync", NULL), LATCH_INIT, 0 };
        REQUIRE(owner.queue != NULL);
        size_t ran = 0;
        CHECK_EQUAL(sq_async(owner.queue, add_one, &ran), 0);
        CHECK_EQUAL(sq_sync(owner.queue, release_from_inside, &owner), 0);
        CHECK_EQUAL(ran, 1);
        let_few_live(i);
    }
}

typedef struct ordered {
    latch_t done;
    size_t next, wrong;
} ordered_t;

typedef struct numbered {
    ordered_t *all;
    size_t number;
} numbered_t;

static void run_numbered(void *context) {
    numbered_t *task = context;
    ordered_t *all = task->all;
    all->wrong += task->number != all->next;
    all->next += 1;
    latch_bump(&all->done);
}

enum { PENDING = 100 };

static void submit_numbered(sq_queue_t *queue, ordered_t *all, numbered_t tasks[PENDING]) {
    for (size_t i = 0; i < PENDING; i += 1) {
        tasks[i] = (numbered_t){ all, i };
        CHECK_EQUAL(sq_async(queue, run_numbered, &tasks[i]), 0);
    }
}

/* A release that waited for the tasks would never return: they are behind a task that ends only after it. */
TEST(a_release_with_100_tasks_pending_does_not_wait_and_loses_none) {
    sq_queue_t *queue = sq_queue_create("pending", NULL);
    REQUIRE(queue != NULL);
    ordered_t all = { LATCH_INIT, 0, 0 };
    numbered_t tasks[PENDING];
    hold_t hold;
    hold_async(&hold, queue);
    submit_numbered(queue, &all, tasks);
    sq_queue_release(queue);
    hold_end(&hold);
    latch_wait(&all.done, PENDING);
    CHECK_EQUAL(all.next, PENDING);
    CHECK_EQUAL(all.wrong, 0);
}

TEST(a_release_with_100_tasks_pending_behind_a_sync_loses_none) {
    sq_queue_t *queue = sq_queue_create("pending", NULL);
    REQUIRE(queue != NULL);
    ordered_t all = { LATCH_INIT, 0, 0 };
    numbered_t tasks[PENDING];
    hold_t hold;
    sq_queue_retain(queue); /* for the call that holds it */
    hold_sync(&hold, queue);
    submit_numbered(queue, &all, tasks);
    sq_queue_release(queue);
    sq_queue_release(queue);
    hold_end(&hold);
    latch_wait(&all.done, PENDING);
    CHECK_EQUAL(all.next, PENDING);
    CHECK_EQUAL(all.wrong, 0);
}

static void release_context(void *context) { sq_queue_release(context); }

TEST(a_queue_can_be_released_by_a_task_of_another_queue) {
    sq_queue_t *other = sq_queue_create("other", NULL);
    REQUIRE(other != NULL);
    for (size_t i = 0; i < 1000; i += 1) {
        sq_queue_t *queue = sq_queue_create("released elsewhere", NULL);
        REQUIRE(queue != NULL);
        if (i % 2) {
            CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        }
        CHECK_EQUAL(sq_async(other, release_context, queue), 0);
        let_few_live(i);
    }
    drain(other);
    sq_queue_release(other);
}

/* The last release meets the runner at every point of its way to sleep: right after the task, while it looks for more,
 * asleep. */
TEST(the_last_release_can_come_at_any_moment_of_the_runner) {
    random_stream_t random = random_start(1);
    size_t rounds = scaled(10000);
    size_t ran = 0;
    for (size_t round = 0; round < rounds; round += 1) {
        sq_queue_t *queue = sq_queue_create("short-lived", NULL);
        REQUIRE(queue != NULL);
        size_t tasks = 1 + random_below(&random, 3);
        for (size_t i = 1; i < tasks; i += 1) {
            CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        }
        owner_t owner = { queue, LATCH_INIT, 0 };
        sq_queue_retain(queue);
        CHECK_EQUAL(sq_async(queue, release_from_inside, &owner), 0);
        for (uint64_t pauses = random_below(&random, 2000); pauses > 0; pauses -= 1) {
            __asm__ __volatile__("");
        }
        sq_queue_release(queue);
        latch_wait(&owner.done, 1);
        ran += owner.ran;
        let_few_live(round);
    }
    CHECK_EQUAL(ran, rounds);
}

typedef struct shared {
    sq_queue_t *queue;
    latch_t go;
    _Atomic size_t ran;
} shared_t;

static void count_shared(void *context) {
    shared_t *shared = context;
    shared->ran += 1;
}

static void *submit_and_release(void *argument) {
    shared_t *shared = argument;
    latch_wait(&shared->go, 1);
    CHECK_EQUAL(sq_async(shared->queue, count_shared, shared), 0);
    CHECK_EQUAL(sq_sync(shared->queue, count_shared, shared), 0);
    CHECK_EQUAL(sq_async(shared->queue, count_shared, shared), 0);
    sq_queue_release(shared->queue);
    return NULL;
}

TEST(releases_from_many_threads_race_with_submissions_and_lose_nothing) {
    enum { THREADS = 4 };
    size_t rounds = scaled(1000);
    for (size_t round = 0; round < rounds; round += 1) {
        shared_t shared = { sq_queue_create("shared", NULL), LATCH_INIT, 0 };
        REQUIRE(shared.queue != NULL);
        pthread_t threads[THREADS];
        for (size_t i = 0; i < THREADS; i += 1) {
            sq_queue_retain(shared.queue);
            threads[i] = spawn(submit_and_release, &shared);
        }
        sq_queue_release(shared.queue);
        latch_bump(&shared.go);
        for (size_t i = 0; i < THREADS; i += 1) {
            join(threads[i]);
        }
        while (shared.ran < THREADS * 3) {
            sched_yield(); /* the accepted tasks still run after the last release */
        }
        let_few_live(round);
    }
}

/* Nothing could resume it. */
typedef struct last_word {
    sq_queue_t *queue;
    latch_t go, discarded;
} last_word_t;

static void suspend_own(void *context) {
    last_word_t *word = context;
    latch_wait(&word->go, 1);
    CHECK_EQUAL(sq_suspend(word->queue), 0);
}

static void note_discard(void *context) { latch_bump(&((last_word_t *)context)->discarded); }

TEST(what_waits_behind_a_task_that_suspends_its_queue_after_the_last_release_is_discarded) {
    last_word_t word = { make_queue_of("suspends itself", 0), LATCH_INIT, LATCH_INIT };
    CHECK_EQUAL(sq_async(word.queue, suspend_own, &word), 0);
    for (size_t i = 0; i < 3; i += 1) {
        CHECK_EQUAL(sq_async_task(word.queue, &(sq_task_t){ must_not_run, &word, note_discard }), 0);
    }
    sq_queue_release(word.queue);
    latch_bump(&word.go);
    latch_wait(&word.discarded, 3);
}

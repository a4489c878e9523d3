/* self_test.c: what the library keeps per thread, and threads that end. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include "platform/memory.h"
#include "thread/self.h"

/* A thread-exit destructor of the program that uses a queue. Its key may be older or younger than the library's: the C library
 * calls the destructors in the order of the keys, so both orders are tested. */
typedef struct last_words {
    pthread_key_t key;
    sq_queue_t *queue;
    size_t rounds; /* how often the destructor runs; the C library stops after 4 */
    size_t ran;    /* by the queue's tasks */
    bool refused;
} last_words_t;

static void count_ran(void *context) { ((last_words_t *)context)->ran += 1; }

static void sync_own(void *context) {
    last_words_t *words = context;
    words->refused = sq_sync(words->queue, count_ran, words) == EDEADLK;
}

static void speak(void *context) {
    last_words_t *words = context;
    hold_t hold;
    CHECK(sq_current_queue() == NULL);
    CHECK_EQUAL(sq_sync(words->queue, count_ran, words), 0);
    hold_async(&hold, words->queue); /* so that the next sync has to wait, and needs a token */
    CHECK_EQUAL(sq_async(words->queue, count_ran, words), 0);
    hold_end(&hold);
    CHECK_EQUAL(sq_sync(words->queue, count_ran, words), 0);
    CHECK_EQUAL(sq_sync(words->queue, sync_own, words), 0);
    CHECK(words->refused);
    CHECK(sq_deadlock_report() != NULL); /* may be empty: after the exit handler nothing would free it */
    words->rounds -= 1;
    if (words->rounds > 0) {
        pthread_setspecific(words->key, words);
    }
}

static void *wait_and_end(void *argument) {
    last_words_t *words = argument;
    hold_t hold;
    pthread_setspecific(words->key, words);
    /* The library's own destructor has something to do as well. */
    hold_async(&hold, words->queue);
    hold_end(&hold);
    CHECK_EQUAL(sq_sync(words->queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_sync(words->queue, sync_own, words), 0);
    return NULL;
}

static void check_last_words(pthread_key_t key, size_t rounds) {
    for (size_t i = 0; i < 100; i += 1) {
        last_words_t words = { key, sq_queue_create("last words", NULL), rounds, 0, false };
        REQUIRE(words.queue != NULL);
        join(spawn(wait_and_end, &words));
        drain(words.queue);
        CHECK_EQUAL(words.rounds, 0);
        CHECK_EQUAL(words.ran, 3 * rounds);
        sq_queue_release(words.queue);
        if (i % 16 == 15) {
            let_threads_end(16);
        }
    }
}

static pthread_key_t older_key;

/* Before the harness first uses the library. */
__attribute__((constructor)) static void make_older_key(void) {
    int error = pthread_key_create(&older_key, speak);
    REQUIRE(error == 0);
}

TEST(a_thread_exit_destructor_older_than_the_library_can_use_a_queue) {
    check_last_words(older_key, 1);
}

TEST(a_thread_exit_destructor_that_comes_again_can_use_a_queue_again) {
    check_last_words(older_key, 3);
}

TEST(a_thread_exit_destructor_younger_than_the_library_can_use_a_queue) {
    REQUIRE(sq__self_token() != NULL); /* kept: the library has its key */
    pthread_key_t key;
    int error = pthread_key_create(&key, speak);
    REQUIRE(error == 0);
    check_last_words(key, 1);
    check_last_words(key, 3);
    pthread_key_delete(key);
}

/* A thread that is detached, and whose last act is a sync: what it leaves is checked by the harness. */
typedef struct detached {
    sq_queue_t *queue;
    latch_t done;
} detached_t;

static void bump(void *context) { latch_bump(context); }

static void *detach_and_sync(void *argument) {
    detached_t *detached = argument;
    pthread_detach(pthread_self());
    CHECK_EQUAL(sq_sync(detached->queue, bump, &detached->done), 0);
    return NULL;
}

TEST(detached_threads_leave_nothing) {
    detached_t detached = { sq_queue_create("detached", NULL), LATCH_INIT };
    REQUIRE(detached.queue != NULL);
    for (size_t i = 0; i < 1000; i += 1) {
        spawn(detach_and_sync, &detached);
        if (i % 16 == 15) {
            let_threads_end(16);
        }
    }
    latch_wait(&detached.done, 1000);
    let_threads_end(1);
    sq_queue_release(detached.queue);
}

/* A report costs memory once per thread, not once per refusal. */
static void sync_itself(void *context) { CHECK_EQUAL(sq_sync(context, do_nothing, NULL), EDEADLK); }

TEST(refusals_do_not_pile_up_memory) {
    sq_queue_t *queue = sq_queue_create("refusals", NULL);
    REQUIRE(queue != NULL);
    CHECK_EQUAL(sq_sync(queue, sync_itself, queue), 0);
    uint64_t before = allocations();
    for (size_t i = 0; i < 1000; i += 1) {
        CHECK_EQUAL(sq_sync(queue, sync_itself, queue), 0);
    }
    CHECK_EQUAL(allocations(), before);
    sq_queue_release(queue);
}

/* After the library's own destructor: what it has given back is not used. */
static void wait_late(void *context) {
    CHECK(sq__self()->ended);
    sq__token_t *mine = sq__self_token(), *another = sq__token_acquire();
    REQUIRE(mine != NULL && another != NULL);
    CHECK(mine != another);
    sq__token_recycle(another);
    sq__self_wait_over(mine);
    latch_bump(context);
}

typedef struct late {
    pthread_key_t key;
    latch_t over;
} late_t;

static void *have_a_token_and_end(void *argument) {
    late_t *late = argument;
    CHECK(sq__self_token() != NULL); /* kept */
    pthread_setspecific(late->key, &late->over);
    return NULL;
}

/* Runs `body` on a thread, and `at_its_end` when that ends, after the library has ended its record. */
static void end_a_thread(void *(*body)(void *late), void (*at_its_end)(void *over)) {
    late_t late = { .over = LATCH_INIT };
    REQUIRE(sq__self_token() != NULL); /* kept: the library has its key */
    int error = pthread_key_create(&late.key, at_its_end); /* younger than the library's */
    REQUIRE(error == 0);
    join(spawn(body, &late));
    latch_wait(&late.over, 1);
    pthread_key_delete(late.key);
}

TEST(a_thread_that_ends_uses_no_token_that_it_has_given_back) { end_a_thread(have_a_token_and_end, wait_late); }

/* The same for the rest of the record: a function of the program's that comes later would use what is freed. */
static void leave_trace(sq__exit_t *exit) { (void)exit; }
static sq__exit_t recorder = { .call = leave_trace };

static void look_late(void *context) {
    const sq__self_t *self = sq__self();
    CHECK(self->ended);
    CHECK(self->link == NULL);
    CHECK(self->owner == NULL);
    CHECK(self->recorder == NULL);
    CHECK(self->report == NULL);
    CHECK(!sq__self_record_with(&recorder));
    latch_bump(context);
}

static void *fill_the_record_and_end(void *argument) {
    late_t *late = argument;
    CHECK(sq__self_listed()->link != NULL);
    CHECK(sq__self_owner() != NULL);
    CHECK(sq__self_report(100) != NULL);
    CHECK(sq__self_record_with(&recorder));
    pthread_setspecific(late->key, &late->over);
    return NULL;
}

TEST(a_thread_that_ends_keeps_nothing_in_its_record) { end_a_thread(fill_the_record_and_end, look_late); }

/* Memory that was used before has anything in it. */
static void *read_no_report(void *unused) {
    enum { BYTES = 1024 };
    volatile char *used = sq__memory(BYTES);
    REQUIRE(used != NULL);
    for (int i = 0; i < BYTES; i += 1) {
        used[i] = 'x';
    }
    sq__memory_free((void *)used);
    CHECK(sq__self_report(BYTES) != NULL);
    CHECK_EQUAL(strlen(sq_deadlock_report()), 0);
    return unused;
}

TEST(a_report_is_empty_before_there_is_one) { join(spawn(read_no_report, NULL)); }

/* spare_test.c: queues that idle give their threads up, and get one again for their next task. */
#include "spare.h"
#include "inject.h"
#include "thread/spare.h"

#include <unistd.h>

enum { MORE_THAN_SPARE = SQ__SPARES + 4 };

/* What a task finds out about its thread. */
typedef struct place {
    latch_t ran;
    pid_t thread;
    char name[16];
} place_t;

static void look(void *context) {
    place_t *place = context;
    place->thread = gettid();
    pthread_getname_np(pthread_self(), place->name, sizeof place->name);
    latch_bump(&place->ran);
}

static place_t place_of_next_task(sq_queue_t *queue) {
    place_t place = { .ran = LATCH_INIT };
    CHECK_EQUAL(sq_async(queue, look, &place), 0);
    latch_wait(&place.ran, 1);
    return place;
}

TEST(a_queue_that_idles_gives_its_thread_up_and_gets_it_back_for_its_next_task) {
    sq_queue_t *queue = sq_queue_create("idles", NULL);
    REQUIRE(queue != NULL);
    place_t first = place_of_next_task(queue);
    uint64_t started = threads_started();
    for (int round = 0; round < 3; round += 1) {
        await_spares(1);
        place_t next = place_of_next_task(queue);
        CHECK_EQUAL(next.thread, first.thread);
        CHECK_STRING(next.name, "idles");
    }
    CHECK_EQUAL(threads_started(), started);
    sq_queue_release(queue);
}

/* To see it fail: in worker.c, do not store the new thread's token. */
TEST(two_queues_that_idle_share_their_threads) {
    sq_queue_t *one = make_used_queue("one"), *two = make_used_queue("");
    uint64_t started = threads_started();
    for (int round = 0; round < 3; round += 1) {
        await_spares(2);
        place_t first = place_of_next_task(one), second = place_of_next_task(two);
        CHECK(first.thread != second.thread);
        CHECK_STRING(first.name, "one");
        CHECK(strcmp(second.name, "sq-spare") != 0 && strcmp(second.name, "one") != 0); /* the program's */
        CHECK_EQUAL(place_of_next_task(one).thread, first.thread); /* it keeps it while it is used */
    }
    CHECK_EQUAL(threads_started(), started);
    sq_queue_release(one);
    sq_queue_release(two);
}

TEST(a_queue_with_a_stack_size_keeps_its_thread) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.stack_size = 512 * 1024;
    sq_queue_t *large = sq_queue_create("keeps", &options);
    REQUIRE(large != NULL);
    place_t first = place_of_next_task(large);
    sq_queue_t *other = make_used_queue("other"); /* idles for less time than the first one */
    await_spares(1);
    CHECK_EQUAL(threads_named("keeps"), 1);
    CHECK_EQUAL(place_of_next_task(large).thread, first.thread);
    sq_queue_release(large);
    sq_queue_release(other);
}

/* To see it fail: in sq__spare_forget, take no spare thread. */
TEST(with_each_queue_that_is_released_a_spare_thread_ends) {
    enum { QUEUES = 3 };
    sq_queue_t *queues[QUEUES];
    for (int i = 0; i < QUEUES; i += 1) {
        queues[i] = make_used_queue("released");
    }
    await_spares(QUEUES);
    CHECK_EQUAL(sq_shutdown(queues[0], SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0); /* ends the worker, too */
    for (unsigned i = 0; i < QUEUES; i += 1) {
        sq_queue_release(queues[i]);
        await_spares(QUEUES - 1 - i);
    }
    CHECK_EQUAL(sq__spare_resting(), 0);
}

/* More queues than there may be spare threads; each runs a task that waits until it may end. */
typedef struct crowd {
    sq_queue_t *queues[MORE_THAN_SPARE];
    latch_t entered, leave;
} crowd_t;

static void enter(void *context) {
    crowd_t *crowd = context;
    latch_bump(&crowd->entered);
    latch_wait(&crowd->leave, 1);
}

static void crowd_begin(crowd_t *crowd) {
    *crowd = (crowd_t){ .entered = LATCH_INIT, .leave = LATCH_INIT };
    for (int i = 0; i < MORE_THAN_SPARE; i += 1) {
        crowd->queues[i] = make_used_queue("crowd");
    }
    while (sq__spare_resting() < MORE_THAN_SPARE) {
        sched_yield();
    }
    await_spares(SQ__SPARES);
}

static void crowd_enters(crowd_t *crowd) {
    for (int i = 0; i < MORE_THAN_SPARE; i += 1) {
        CHECK_EQUAL(sq_async(crowd->queues[i], enter, crowd), 0);
    }
}

static void crowd_end(crowd_t *crowd) {
    latch_bump(&crowd->leave);
    for (int i = 0; i < MORE_THAN_SPARE; i += 1) {
        drain(crowd->queues[i]);
        sq_queue_release(crowd->queues[i]);
    }
}

TEST(tasks_of_more_queues_than_there_are_spare_threads_all_run_at_a_time) {
    crowd_t crowd;
    long alive = threads_alive();
    crowd_begin(&crowd);
    let_threads_end(alive + SQ__SPARES);
    CHECK_EQUAL(threads_alive(), alive + SQ__SPARES);
    uint64_t started = threads_started();
    crowd_enters(&crowd);
    latch_wait(&crowd.entered, MORE_THAN_SPARE);
    CHECK_EQUAL(threads_started() - started, MORE_THAN_SPARE - SQ__SPARES);
    CHECK_EQUAL(sq__spare_resting(), 0);
    crowd_end(&crowd);
}

/* To see it fail: in sq__spare_call, do not nudge the keeper (the test hangs); or give it away (the program crashes). */
TEST(accepted_tasks_for_which_no_thread_starts_run_as_soon_as_one_does) {
    crowd_t crowd;
    crowd_begin(&crowd);
    fail_nth(FAIL_THREAD, 1, true);
    crowd_enters(&crowd);
    latch_wait(&crowd.entered, SQ__SPARES - 1); /* all but the keeper */
    await_failures(FAIL_THREAD, 2 * MORE_THAN_SPARE);
    CHECK_EQUAL(latch_value(&crowd.entered), SQ__SPARES - 1);
    fail_nothing();
    latch_wait(&crowd.entered, MORE_THAN_SPARE);
    crowd_end(&crowd);
}

/* To see it fail: in start_thread, do not look whether there is a token (the program crashes). */
TEST(accepted_tasks_for_which_no_token_can_be_made_run_as_soon_as_one_can) {
    crowd_t crowd;
    crowd_begin(&crowd);
    sq__token_t *tokens[2 * KEPT_WAITERS];
    size_t count = 0;
    fail_nth(FAIL_ALLOCATION, 1, true);
    while ((tokens[count] = sq__token_acquire()) != NULL) { /* those of threads that have ended */
        count += 1;
        REQUIRE(count < sizeof tokens / sizeof tokens[0]);
    }
    crowd_enters(&crowd); /* a task for a free queue needs no memory */
    await_failures(FAIL_ALLOCATION, MORE_THAN_SPARE);
    CHECK_EQUAL(latch_value(&crowd.entered), SQ__SPARES - 1);
    while (count > 0) { /* before the famine ends: then no other token is made */
        sq__token_recycle(tokens[--count]);
    }
    latch_wait(&crowd.entered, MORE_THAN_SPARE);
    fail_nothing();
    crowd_end(&crowd);
}

TEST(accepted_tasks_for_which_no_thread_ever_starts_run_on_threads_of_other_queues_that_idle) {
    crowd_t crowd;
    crowd_begin(&crowd);
    fail_nth(FAIL_THREAD, 1, true);
    crowd_enters(&crowd);
    latch_wait(&crowd.entered, SQ__SPARES - 1);
    latch_bump(&crowd.leave);
    latch_wait(&crowd.entered, MORE_THAN_SPARE);
    fail_nothing();
    crowd_end(&crowd);
}

/* Posts against threads that give up: each pause is about as long as the time after which a worker rests. */
TEST(a_task_that_comes_as_the_thread_gives_up_runs_once) {
    enum { QUEUES = 64 };
    random_stream_t random = random_start(0);
    static size_t ran[QUEUES];
    sq_queue_t *queues[QUEUES];
    for (int i = 0; i < QUEUES; i += 1) {
        ran[i] = 0;
        queues[i] = sq_queue_create("gives up", NULL);
        REQUIRE(queues[i] != NULL);
    }
    for (size_t round = 0; round < 6; round += 1) {
        for (int i = 0; i < QUEUES; i += 1) {
            CHECK_EQUAL(sq_async(queues[i], add_one, &ran[i]), 0);
            usleep((useconds_t)random_below(&random, 2 * 500000 / QUEUES));
        }
    }
    for (int i = 0; i < QUEUES; i += 1) {
        drain(queues[i]);
        CHECK_EQUAL(ran[i], 6);
        sq_queue_release(queues[i]);
    }
}

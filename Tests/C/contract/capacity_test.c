/* capacity_test.c: queues with a capacity: which submissions are refused, which wait for room, and that no room is lost. */
#include "caller.h"
#include "inject.h"

#include "sq_group.h"
#include "sq_pool.h"

#include <sched.h>
#include <stdatomic.h>

/* Blocks the queue with a task, and fills all its room except `left` with others. */
static void fill(sq_queue_t *queue, hold_t *hold, size_t count, size_t *ran) {
    hold_async(hold, queue);
    for (size_t i = 0; i < count; i += 1) {
        CHECK_EQUAL(sq_async(queue, add_one, ran), 0);
    }
}

TEST(a_full_queue_refuses_an_async_and_has_room_again_when_a_turn_comes) {
    const size_t capacities[] = { 1, 2, 125, 126, 127, 1000 };
    for (size_t c = 0; c < 6; c += 1) {
        sq_queue_t *queue = make_queue_of("full", capacities[c]);
        for (size_t round = 0; round < 3; round += 1) {
            size_t ran = 0;
            hold_t hold;
            fill(queue, &hold, capacities[c], &ran); /* the running one takes no room */
            CHECK_EQUAL(sq_async(queue, must_not_run, NULL), EAGAIN);
            CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ must_not_run, NULL, must_not_run }), EAGAIN);
            CHECK_EQUAL(sq_async_until(queue, SQ_NOW, &(sq_task_t){ must_not_run, NULL, must_not_run }), EAGAIN);
            CHECK_EQUAL(sq_async_until(queue, 1, &(sq_task_t){ must_not_run, NULL, must_not_run }), ETIMEDOUT);
            CHECK_EQUAL(sq_queue_depth(queue), capacities[c]);
            hold_end(&hold);
            drain(queue);
            CHECK_EQUAL(ran, capacities[c]);
        }
        sq_queue_stats_t stats = stats_now(queue);
        CHECK_EQUAL(stats.rejected, 12);
        CHECK_AT_MOST(capacities[c], stats.highest_depth);
        CHECK_AT_MOST(stats.highest_depth, capacities[c] + 1); /* and the drain */
        sq_queue_release(queue);
    }
}

TEST(a_member_of_a_group_gives_its_room_back) {
    sq_queue_t *queue = make_queue_of("members", 1);
    sq_group_t *group = sq_group_create("group");
    size_t ran = 0;
    for (size_t i = 1; i < 4; i += 1) {
        CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
        CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
        CHECK_EQUAL(ran, i);
    }
    sq_group_release(group);
    sq_queue_release(queue);
}

TEST(a_capacity_that_is_no_size_is_refused) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.capacity = SIZE_MAX;
    errno = 0;
    CHECK(sq_queue_create("too much", &options) == NULL);
    CHECK_EQUAL(errno, EINVAL);
}

TEST(a_sync_needs_no_room_in_a_full_queue) {
    sq_queue_t *queue = make_queue_of("full", 1);
    size_t ran = 0;
    hold_t hold;
    caller_t callers[2];
    fill(queue, &hold, 1, &ran);
    caller_start(&callers[0], BY_SYNC, queue, SQ_FOREVER, add_one, &ran);
    caller_start(&callers[1], BY_SYNC_UNTIL, queue, FAR, add_one, &ran);
    wait_for_depth(queue, 3);
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), EAGAIN);
    hold_end(&hold);
    CHECK_EQUAL(caller_end(&callers[0]), 0);
    CHECK_EQUAL(caller_end(&callers[1]), 0);
    drain(queue);
    CHECK_EQUAL(ran, 3);
    sq_queue_release(queue);
}

TEST(an_async_until_on_an_unlimited_queue_never_waits) {
    sq_queue_t *queue = make_queue_of("unlimited", 0);
    size_t ran = 0;
    hold_t hold;
    hold_async(&hold, queue);
    for (size_t i = 0; i < 1000; i += 1) {
        CHECK_EQUAL(sq_async_until(queue, i % 2 ? SQ_NOW : SQ_FOREVER, &(sq_task_t){ add_one, &ran, NULL }), 0);
    }
    hold_end(&hold);
    drain(queue);
    CHECK_EQUAL(ran, 1000);
    sq_queue_release(queue);
}

TEST(threads_that_wait_for_room_get_it_in_the_order_of_their_calls) {
    enum { CALLERS = 8 };
    sq_queue_t *queue = make_queue_of("room", 1); /* so that one after the other has room */
    size_t ran = 0;
    journal_t journal = { 0 };
    entry_t entries[CALLERS];
    caller_t callers[CALLERS];
    hold_t hold;
    fill(queue, &hold, 1, &ran);
    for (int i = 0; i < CALLERS; i += 1) {
        entries[i] = (entry_t){ &journal, i };
        caller_start(&callers[i], BY_ROOM, queue, i % 2 ? SQ_FOREVER : FAR, write_entry, &entries[i]);
        wait_until_asleep(&callers[i].thread_id);
    }
    CHECK_EQUAL(sq_queue_depth(queue), 1);
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), EAGAIN);
    hold_end(&hold);
    for (int i = 0; i < CALLERS; i += 1) {
        CHECK_EQUAL(caller_end(&callers[i]), 0);
    }
    drain(queue);
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(journal.count, CALLERS);
    for (int i = 0; i < CALLERS; i += 1) {
        CHECK_EQUAL(journal.entries[i], i);
    }
    sq_queue_release(queue);
}

TEST(one_that_waits_for_room_too_long_keeps_its_task) {
    sq_queue_t *queue = make_queue_of("too long", 1);
    size_t ran = 0;
    hold_t hold;
    fill(queue, &hold, 1, &ran);
    caller_t first, second, third;
    caller_start(&first, BY_ROOM, queue, FAR, add_one, &ran);
    wait_until_asleep(&first.thread_id);
    caller_start(&second, BY_ROOM, queue, sq_deadline(1000000), must_not_run, NULL);
    CHECK_EQUAL(caller_end(&second), ETIMEDOUT);
    caller_start(&third, BY_ROOM, queue, FAR, add_one, &ran);
    wait_until_asleep(&third.thread_id);
    CHECK_EQUAL(sq_async_until(queue, sq_deadline(1000000), &(sq_task_t){ must_not_run, NULL, must_not_run }), ETIMEDOUT);
    hold_end(&hold);
    CHECK_EQUAL(caller_end(&first), 0);
    CHECK_EQUAL(caller_end(&third), 0);
    drain(queue);
    CHECK_EQUAL(ran, 3);
    CHECK_EQUAL(stats_now(queue).rejected, 2);
    CHECK_EQUAL(stats_now(queue).withdrawn, 0);
    sq_queue_release(queue);
}

static void wait_for_own_room(void *context) {
    sq_queue_t *queue = context;
    const sq_task_t never = { must_not_run, NULL, must_not_run };
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async_until(queue, SQ_NOW, &never), EAGAIN);
    CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &never), EDEADLK);
    CHECK(strstr(sq_deadlock_report(), "room") != NULL);
    CHECK(strstr(sq_deadlock_report(), "\"own room\"") != NULL);
}

TEST(a_task_that_waits_for_room_in_its_own_queue_is_refused) {
    sq_queue_t *queue = make_queue_of("own room", 1);
    CHECK_EQUAL(sq_async(queue, wait_for_own_room, queue), 0);
    drain(queue);
    CHECK_EQUAL(sq_sync(queue, wait_for_own_room, queue), 0);
    drain(queue);
    sq_queue_release(queue);
}

TEST(a_shutdown_wakes_threads_that_wait_for_room) {
    enum { CALLERS = 4 };
    for (int mode = SQ_SHUTDOWN_DRAIN; mode <= SQ_SHUTDOWN_DISCARD; mode += 1) {
        sq_queue_t *queue = make_queue_of("closed", 3);
        size_t ran = 0;
        hold_t hold;
        caller_t callers[CALLERS];
        fill(queue, &hold, 3, &ran);
        for (int i = 0; i < CALLERS; i += 1) {
            caller_start(&callers[i], BY_ROOM, queue, SQ_FOREVER, must_not_run, NULL);
            wait_until_asleep(&callers[i].thread_id);
        }
        CHECK_EQUAL(sq_shutdown(queue, (sq_shutdown_mode_t)mode, SQ_NOW), ETIMEDOUT);
        for (int i = 0; i < CALLERS; i += 1) {
            CHECK_EQUAL(caller_end(&callers[i]), ESHUTDOWN);
        }
        hold_end(&hold);
        CHECK_EQUAL(sq_shutdown(queue, (sq_shutdown_mode_t)mode, SQ_FOREVER), 0);
        CHECK_EQUAL(ran, mode == SQ_SHUTDOWN_DRAIN ? 3 : 0);
        CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &(sq_task_t){ must_not_run, NULL, must_not_run }), ESHUTDOWN);
        sq_queue_release(queue);
    }
}

TEST(a_suspended_queue_is_full_at_its_capacity_and_has_room_again_when_it_continues) {
    sq_queue_t *queue = make_queue_of("suspended", 2);
    size_t ran = 0;
    hold_t hold;
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async(queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_resume(queue), 0);
    drain(queue);
    fill(queue, &hold, 2, &ran);
    hold_end(&hold);
    drain(queue);
    CHECK_EQUAL(ran, 4);
    sq_queue_release(queue);
}

/* Room that could not be used comes back: the task's place needs a new segment, and there is no memory for it. */
TEST(room_taken_for_a_place_that_cannot_be_had_comes_back) {
    enum { CAPACITY = 200 }; /* more than a segment */
    sq_queue_t *queue = make_queue_of("no memory", CAPACITY);
    size_t ran = 0, accepted = 0, refused = 0;
    hold_t hold;
    hold_async(&hold, queue); /* the thread is there; what fails is the place */
    fail_nth(FAIL_ALLOCATION, 1, true);
    while (refused < 10 && accepted < CAPACITY) {
        int error = sq_async(queue, add_one, &ran);
        CHECK(error == 0 || error == ENOMEM);
        accepted += error == 0;
        refused += error != 0;
    }
    CHECK_EQUAL(fail_nothing(), 10);
    while (sq_async(queue, add_one, &ran) == 0) {
        accepted += 1;
    }
    CHECK_EQUAL(accepted, CAPACITY);
    CHECK_EQUAL(sq_queue_depth(queue), CAPACITY);
    hold_end(&hold);
    drain(queue);
    CHECK_EQUAL(ran, CAPACITY);
    sq_queue_release(queue);
}

/* Producers compete for room; the tasks of each stay in order. The capacity is smaller than their number, so that they wait for each other. */
typedef struct plant {
    sq_queue_t *queue;
    size_t each;
    bool patient;
    atomic_size_t number, accepted, timed_out;
    size_t next[4], disorders, ran; /* plain: the queue protects them */
} plant_t;

typedef struct product {
    plant_t *plant;
    size_t producer, number;
} product_t;

static void take_product(void *context) {
    product_t *product = context;
    plant_t *plant = product->plant;
    plant->disorders += product->number < plant->next[product->producer];
    plant->next[product->producer] = product->number + 1;
    plant->ran += 1;
    CHECK_AT_MOST(sq_queue_depth(plant->queue), 3 + 4); /* the capacity, and a drain of each producer */
}

static void *produce(void *argument) {
    plant_t *plant = argument;
    enum { PAPER = 16 };
    size_t me = atomic_fetch_add(&plant->number, 1);
    random_stream_t random = random_start(30 + me);
    product_t products[PAPER];
    for (size_t i = 0; i < plant->each; i += 1) {
        product_t *product = &products[i % PAPER];
        *product = (product_t){ plant, me, i };
        sq_time_t deadline = plant->patient ? SQ_FOREVER : sq_deadline(random_below(&random, 20001));
        int error = sq_async_until(plant->queue, deadline, &(sq_task_t){ take_product, product, NULL });
        CHECK(error == 0 || (error == ETIMEDOUT && !plant->patient));
        plant->accepted += error == 0;
        plant->timed_out += error != 0;
        if (i % PAPER == PAPER - 1) {
            drain(plant->queue);
        }
    }
    drain(plant->queue);
    return NULL;
}

static void run_plant(bool patient) {
    plant_t plant = { .queue = make_queue_of("plant", 3), .each = scaled(20000) / 16 * 16, .patient = patient };
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i += 1) {
        threads[i] = spawn(produce, &plant);
    }
    for (size_t i = 0; i < 4; i += 1) {
        join(threads[i]);
    }
    CHECK_EQUAL(plant.accepted + plant.timed_out, 4 * plant.each);
    CHECK_EQUAL(plant.ran, plant.accepted);
    CHECK_EQUAL(plant.disorders, 0);
    note("%zu accepted, %zu timed out", (size_t)plant.accepted, (size_t)plant.timed_out);
    /* All the room is there again. */
    size_t ran = 0;
    hold_t hold;
    fill(plant.queue, &hold, 3, &ran);
    CHECK_EQUAL(sq_async(plant.queue, must_not_run, NULL), EAGAIN);
    hold_end(&hold);
    drain(plant.queue);
    sq_queue_release(plant.queue);
}

TEST(producers_that_wait_for_room_keep_their_order_and_the_depth_its_limit) { run_plant(true); }

/* Room is given while the producers time out. */
TEST(producers_that_time_out_after_0_to_20_us_lose_no_room) { run_plant(false); }

/* The task runs on a queue of width 2: another reader could make room. */
static void wait_for_room_as_a_reader(void *context) {
    sq_queue_t *queue = context;
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async_until(queue, sq_deadline(1000000), &(sq_task_t){ must_not_run, NULL, NULL }), ETIMEDOUT);
    CHECK_EQUAL(sq_resume(queue), 0);
}

TEST(a_reader_may_wait_for_room_in_its_own_queue) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.width = 2;
    options.capacity = 1;
    options.pool = sq_pool_create("pool", NULL);
    sq_queue_t *queue = sq_queue_create("readers", &options);
    REQUIRE(queue != NULL);
    sq_pool_release(options.pool);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, wait_for_room_as_a_reader, queue), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    sq_queue_release(queue);
}

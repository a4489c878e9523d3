/* target_fixed_test.c: when a queue's chain of targets is fixed. What is submitted to a queue, waits for it or counts in it depends on the last of
 * its targets: whose thread runs it, by which clock, and what would be a deadlock. So none of them may be moved from then on. */
#include "latch.h"
#include "target.h"

#include "sq_barrier.h"
#include "sq_current.h"
#include "sq_deferred.h"
#include "sq_group.h"
#include "sq_item.h"
#include "sq_shutdown.h"
#include "sq_suspend.h"
#include "sq_timer.h"
#include "sq_value.h"
#include "sq_watch.h"

/* A queue, its target, and the target of that: no task ever runs there, because the queue is suspended. */
typedef struct chain {
    sq_queue_t *top, *middle, *bottom, *other;
} chain_t;

static chain_t make_chain(void) {
    chain_t chain = { .bottom = make("bottom", NULL), .other = make("other", NULL) };
    chain.middle = make("middle", chain.bottom);
    chain.top = make("top", chain.middle);
    CHECK_EQUAL(sq_suspend(chain.top), 0);
    return chain;
}

static void release_chain(chain_t *chain) {
    CHECK_EQUAL(sq_shutdown(chain->top, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    sq_queue_release(chain->top);
    sq_queue_release(chain->middle);
    sq_queue_release(chain->bottom);
    sq_queue_release(chain->other);
}

static void check_fixed(const chain_t *chain) {
    CHECK_EQUAL(sq_queue_set_target(chain->top, chain->other), EBUSY);
    CHECK_EQUAL(sq_queue_set_target(chain->middle, chain->other), EBUSY);
    CHECK_EQUAL(sq_queue_set_target(chain->bottom, chain->other), EBUSY);
    CHECK_EQUAL(sq_queue_set_target(chain->other, chain->bottom), 0); /* this one is not in the chain */
}

static size_t ran;
static sq_item_t *item;
static sq_group_t *group;
static sq_timer_t *timer;
static sq_deferred_t deferred;

static void deferred_runs(void *first, void *second, bool runs) {
    (void)first;
    (void)second;
    (void)runs;
}

static void deferred_decided(sq_deferred_t *task, int error) {
    (void)task;
    (void)error;
}

static void with_async(sq_queue_t *queue) { CHECK_EQUAL(sq_async(queue, add_one, &ran), 0); }
static void with_barrier(sq_queue_t *queue) { CHECK_EQUAL(sq_async_barrier(queue, add_one, &ran), 0); }
static void with_try(sq_queue_t *queue) { CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, add_one, &ran), EAGAIN); }
static void with_sync(sq_queue_t *queue) { CHECK_EQUAL(sq_sync_until(queue, sq_deadline(1000), add_one, &ran), ETIMEDOUT); }
static void with_sync_barrier(sq_queue_t *queue) { CHECK_EQUAL(sq_sync_barrier_until(queue, sq_deadline(1000), add_one, &ran), ETIMEDOUT); }
static void with_call(sq_queue_t *queue) { CHECK_EQUAL(sq_run_and_wait(queue, sq_deadline(1000), add_one, &ran), ETIMEDOUT); }
static void with_either(sq_queue_t *queue) { CHECK_EQUAL(sq_async_and_wait(queue, sq_deadline(1000), add_one, &ran), ETIMEDOUT); }
static void with_item(sq_queue_t *queue) { CHECK_EQUAL(sq_item_submit(item, queue), 0); }
static void with_delayed_item(sq_queue_t *queue) { CHECK_EQUAL(sq_item_submit_after(item, queue, 3600 * 1000000000ull), 0); }
static void with_item_in_group(sq_queue_t *queue) { CHECK_EQUAL(sq_group_submit_item(group, item, queue), 0); }
static void with_member(sq_queue_t *queue) { CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0); }
static void with_delay(sq_queue_t *queue) { CHECK_EQUAL(sq_async_after(queue, 3600 * 1000000000ull, add_one, &ran), 0); }
static void with_shutdown(sq_queue_t *queue) { CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_NOW), 0); }

static void with_timer(sq_queue_t *queue) {
    timer = sq_timer_create(queue, &(sq_task_t){ .run = add_one, .context = &ran });
    CHECK(timer != NULL);
}

static void with_notification(sq_queue_t *queue) {
    sq_group_enter(group);
    CHECK_EQUAL(sq_group_notify(group, queue, &(sq_task_t){ .run = add_one, .context = &ran }), 0);
    sq_group_leave(group);
}

static void with_deferred(sq_queue_t *queue) {
    deferred = (sq_deferred_t){ .call = deferred_runs, .decided = deferred_decided };
    CHECK_EQUAL(sq_async_deferred(queue, &deferred), 0);
}

TEST(whatever_is_submitted_waits_or_counts_fixes_the_whole_chain) {
    static void (*const uses[])(sq_queue_t *queue) = {
        with_async, with_barrier, with_try, with_sync, with_sync_barrier, with_call, with_either, with_item, with_delayed_item, with_item_in_group,
        with_member, with_delay, with_shutdown, with_timer, with_notification, with_deferred
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i += 1) {
        chain_t chain = make_chain();
        item = sq_item_create("item", &(sq_task_t){ .run = add_one, .context = &ran });
        group = sq_group_create("group");
        uses[i](chain.top);
        check_fixed(&chain);
        sq_timer_release(timer);
        timer = NULL;
        release_chain(&chain);
        sq_item_cancel(item);
        sq_item_release(item);
        CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
        sq_group_release(group);
    }
    CHECK_EQUAL(ran, 0);
}

static void find_chain(void *seen) {
    chain_t *chain = ((chain_t **)seen)[0];
    size_t *count = ((size_t **)seen)[1];
    *count += sq_is_current(chain->top) && sq_is_current(chain->middle) && sq_is_current(chain->bottom) && sq_is_current(chain->other);
}

/* A chain may be built from any end, and what the program reads or writes of a queue does not fix it. */
TEST(an_unused_chain_may_be_moved_at_each_place) {
    chain_t chain = make_chain();
    sq_queue_t *away = make("away", NULL);
    static const char key;
    CHECK_EQUAL(sq_queue_set_value(chain.top, &key, &ran, NULL), 0);
    CHECK(sq_queue_manual_pool(chain.top) == NULL);
    CHECK_EQUAL(sq_queue_depth(chain.top), 0);
    CHECK_EQUAL(sq_resume(chain.top), 0);
    sq_queue_release(sq_queue_retain(chain.top));
    CHECK_EQUAL(sq_queue_set_target(chain.top, away), 0);
    CHECK_EQUAL(sq_queue_set_target(chain.middle, away), 0);
    CHECK_EQUAL(sq_queue_set_target(chain.top, chain.middle), 0);
    CHECK_EQUAL(sq_queue_set_target(chain.middle, chain.bottom), 0);
    CHECK_EQUAL(sq_queue_set_target(chain.bottom, chain.other), 0);
    CHECK_EQUAL(sq_queue_set_target(chain.other, chain.top), EINVAL);
    size_t count = 0;
    void *seen[] = { &chain, &count };
    CHECK_EQUAL(sq_sync(chain.top, find_chain, seen), 0);
    CHECK_EQUAL(sq_async(chain.top, find_chain, seen), 0);
    drain(chain.top);
    CHECK_EQUAL(count, 2);
    CHECK_EQUAL(sq_queue_set_target(chain.other, away), EBUSY);
    sq_queue_release(away);
    release_chain(&chain);
}

/* The manual pool of a chain that may still be moved is found, and the queue stays movable. */
TEST(the_manual_pool_of_an_unused_chain_is_that_of_its_last_target_at_the_moment) {
    scene_t scene = make_scene();
    sq_queue_t *above = make("above", scene.a), *away = make("away", NULL);
    CHECK(sq_queue_manual_pool(above) == scene.pool);
    CHECK_EQUAL(sq_queue_set_target(above, away), 0);
    CHECK(sq_queue_manual_pool(above) == NULL);
    CHECK_EQUAL(sq_queue_set_target(away, scene.b), 0);
    CHECK(sq_queue_manual_pool(above) == scene.pool);
    CHECK_EQUAL(sq_async_after(above, 1000, add_one, &ran), 0);
    CHECK(sq_queue_manual_pool(above) == scene.pool);
    CHECK_EQUAL(sq_pool_advance(scene.pool, 1000), 1);
    sq_queue_release(above);
    sq_queue_release(away);
    release_scene(&scene);
}

static void check_owner_waits(sq_pool_t *loop, bool is_item) {
    sq_queue_t *target = make_target(loop, 1), *middle = make("middle", target), *queue = make("queue", middle);
    item = sq_item_create("item", &(sq_task_t){ .run = add_one, .context = &ran });
    group = sq_group_create("group");
    CHECK_EQUAL(is_item ? sq_item_submit(item, queue) : sq_group_async(group, queue, add_one, &ran), 0);
    CHECK_EQUAL(is_item ? sq_item_wait(item, sq_deadline(10 * 1000000000ull)) : sq_group_wait(group, sq_deadline(10 * 1000000000ull)), 0);
    sq_item_release(item);
    sq_group_release(group);
    sq_queue_release(target);
    sq_queue_release(middle);
    sq_queue_release(queue);
    WHATEVER(sq_pool_run_some(loop, 100, SQ_NOW));
}

/* The wait runs the loop if what it waits for knows that it is there. */
TEST(the_first_item_or_member_of_a_queue_knows_the_loop_of_its_last_target) {
    sq_pool_t *loop = sq_pool_create_loop("loop");
    WHATEVER(sq_pool_run_some(loop, 1, SQ_NOW)); /* it is this thread's */
    ran = 0;
    check_owner_waits(loop, true);
    check_owner_waits(loop, false);
    CHECK_EQUAL(ran, 2);
    sq_pool_release(loop);
}

/* A submission and a change of the target below at the same time: one comes first, and the other sees it. */

typedef struct race {
    pthread_barrier_t start;
    sq_queue_t *target, *queue, *below;
    bool was_below;
    size_t count;
} race_t;

static void look_below(void *context) {
    race_t *race = context;
    race->was_below = sq_is_current(race->below);
    race->count += 1;
}

static void *move(void *context) {
    race_t *race = context;
    pthread_barrier_wait(&race->start);
    return (void *)(intptr_t)sq_queue_set_target(race->target, race->below);
}

static void race_once(unsigned round) {
    race_t race = { .target = make("target", NULL), .below = make("below", NULL) };
    race.queue = make("queue", race.target);
    pthread_barrier_init(&race.start, NULL, 2);
    pthread_t mover = spawn(move, &race);
    pthread_barrier_wait(&race.start);
    CHECK_EQUAL(round % 2 ? sq_sync(race.queue, look_below, &race) : sq_async(race.queue, look_below, &race), 0);
    void *error;
    REQUIRE(pthread_join(mover, &error) == 0);
    drain(race.queue);
    CHECK(error == NULL || (intptr_t)error == EBUSY);
    CHECK(race.was_below == (error == NULL));
    CHECK_EQUAL(race.count, 1);
    pthread_barrier_destroy(&race.start);
    sq_queue_release(race.queue);
    sq_queue_release(race.target);
    sq_queue_release(race.below);
}

/* What is between the two is explored: target_fixed_first and others (Tests/Explore/scenarios/target.c). */
TEST(the_first_submission_sees_the_target_or_the_move_sees_the_submission) {
    for (unsigned round = 0; round < scaled(2000); round += 1) {
        race_once(round);
    }
}

/* ThreadSanitizer finds no race. */

typedef struct used {
    sq_queue_t *target;
    latch_t made;
} used_t;

static void *make_many(void *context) {
    used_t *used = context;
    for (size_t i = 0; i < scaled(2000); i += 1) {
        sq_queue_release(make("queue", used->target));
        latch_bump(&used->made);
    }
    return NULL;
}

TEST(queues_are_made_on_a_target_while_another_thread_uses_it) {
    sq_queue_t *bottom = make("bottom", NULL);
    used_t used = { .target = make("target", bottom), .made = LATCH_INIT };
    sq_queue_t *first = make("first", used.target);
    pthread_t maker = spawn(make_many, &used);
    latch_wait(&used.made, 1);
    while (latch_value(&used.made) < scaled(2000)) {
        CHECK_EQUAL(sq_sync(used.target, do_nothing, NULL), 0);
        sq_queue_release(sq_queue_retain(used.target));
    }
    join(maker);
    sq_queue_release(first);
    sq_queue_release(used.target);
    sq_queue_release(bottom);
}

/* With a walk of the chain for each queue or each turn it takes several minutes, and the watchdog ends the test.
 * The stack holds a call for each queue of the chain. */

enum { DEEP = 100000 };

static void *build_and_sync(void *unused) {
    static sq_queue_t *queues[DEEP];
    (void)unused;
    ran = 0;
    for (size_t i = 0; i < scaled(DEEP); i += 1) {
        queues[i] = make("queue", i > 0 ? queues[i - 1] : NULL);
    }
    CHECK_EQUAL(sq_sync(queues[scaled(DEEP) - 1], add_one, &ran), 0);
    CHECK_EQUAL(ran, 1);
    for (size_t i = 0; i < scaled(DEEP); i += 1) {
        sq_queue_release(queues[i]);
    }
    return NULL;
}

TEST(a_long_chain_takes_time_in_proportion_to_its_length) {
    pthread_attr_t attributes;
    pthread_t builder;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)256 << 20);
    REQUIRE(pthread_create(&builder, &attributes, build_and_sync, NULL) == 0);
    join(builder);
    pthread_attr_destroy(&attributes);
}

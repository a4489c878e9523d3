/* concurrent_storm_test.c: many threads on one concurrent queue, with everything that may happen at the same time. */
#include "concurrent.h"
#include "inject.h"

/* Barriers write plain memory: ThreadSanitizer reports a reader that runs at the same time as a barrier, or that does not see the
 * last barrier's writes. */
typedef struct world {
    sq_queue_t *queue;
    latch_t go;
    size_t value, twice; /* by barriers only: twice == 2 * value */
    atomic_size_t reads, wrong;
} world_t;

static void read_it(void *context) {
    world_t *world = context;
    if (world->twice != 2 * world->value) {
        atomic_fetch_add(&world->wrong, 1);
    }
    atomic_fetch_add(&world->reads, 1);
}

static void write_it(void *context) {
    world_t *world = context;
    world->value += 1;
    world->twice = 2 * world->value;
}

typedef struct actor {
    world_t *world;
    size_t index, rounds, reads, writes;
} actor_t;

static void act(actor_t *actor, random_stream_t *random) {
    sq_queue_t *queue = actor->world->queue;
    sq_time_t soon = random_below(random, 2) ? SQ_NOW : sq_deadline(random_below(random, 50000));
    int error;
    switch (random_below(random, 8)) {
    case 0:
        error = sq_sync_barrier(queue, write_it, actor->world);
        actor->writes += error == 0;
        break;
    case 1:
        error = sq_async_barrier(queue, write_it, actor->world);
        actor->writes += error == 0;
        break;
    case 2:
        error = sq_sync_barrier_until(queue, soon, write_it, actor->world);
        actor->writes += error == 0;
        break;
    case 3:
        error = sq_sync_until(queue, soon, read_it, actor->world);
        actor->reads += error == 0;
        break;
    case 4:
        error = sq_async(queue, read_it, actor->world);
        actor->reads += error == 0;
        break;
    case 5:
        error = random_below(random, 16) == 0 && actor->index == 0 ? (sq_suspend(queue), sq_resume(queue)) : 0;
        break;
    default:
        error = sq_sync(queue, read_it, actor->world);
        actor->reads += error == 0;
        break;
    }
    CHECK(error == 0 || error == EAGAIN || error == ETIMEDOUT || error == ENOMEM);
}

static void *act_often(void *argument) {
    actor_t *actor = argument;
    random_stream_t random = random_start(300 + actor->index);
    latch_wait(&actor->world->go, 1);
    for (size_t i = 0; i < actor->rounds; i += 1) {
        act(actor, &random);
    }
    return NULL;
}

static void storm(size_t width, size_t actors, size_t rounds) {
    world_t world = { .queue = make_concurrent(3, width), .go = LATCH_INIT };
    actor_t all[8];
    pthread_t threads[8];
    REQUIRE(actors <= 8);
    for (size_t i = 0; i < actors; i += 1) {
        all[i] = (actor_t){ .world = &world, .index = i, .rounds = rounds };
        threads[i] = spawn(act_often, &all[i]);
    }
    latch_bump(&world.go);
    size_t reads = 0, writes = 0;
    for (size_t i = 0; i < actors; i += 1) {
        join(threads[i]);
        reads += all[i].reads;
        writes += all[i].writes;
    }
    CHECK_EQUAL(sq_sync_barrier(world.queue, do_nothing, NULL), 0);
    CHECK_EQUAL(world.value, writes);
    CHECK_EQUAL(atomic_load(&world.reads), reads);
    CHECK_EQUAL(atomic_load(&world.wrong), 0);
    sq_queue_stats_t stats = stats_now(world.queue);
    CHECK_EQUAL(stats.ran, reads + writes + 1);
    CHECK_EQUAL(stats.depth, 0);
    CHECK_EQUAL(stats.discarded, 0);
    sq_queue_release(world.queue);
}

TEST(readers_never_meet_a_barrier_and_see_what_it_wrote) { storm(SQ_WIDTH_POOL, 6, scaled(20000)); }

TEST(the_same_with_two_async_tasks_at_a_time) { storm(2, 6, scaled(20000)); }

TEST(the_same_while_memory_runs_out_now_and_then) {
    world_t world = { .queue = make_concurrent(2, SQ_WIDTH_POOL), .go = LATCH_INIT };
    actor_t actor = { .world = &world, .rounds = scaled(5000) };
    latch_bump(&world.go);
    fail_some(FAIL_ALLOCATION, 3);
    act_often(&actor);
    fail_nothing();
    CHECK_EQUAL(sq_sync_barrier(world.queue, do_nothing, NULL), 0);
    CHECK_EQUAL(world.value, actor.writes);
    sq_queue_release(world.queue);
}

/* The end against readers that come and go. */
typedef struct leaver {
    sq_queue_t *queue;
    size_t ran;
} leaver_t;

static void *use_and_release(void *argument) {
    leaver_t *leaver = argument;
    for (size_t i = 0; i < 3; i += 1) {
        leaver->ran += sq_sync(leaver->queue, do_nothing, NULL) == 0;
        leaver->ran += sq_async(leaver->queue, do_nothing, NULL) == 0;
        leaver->ran += sq_sync_barrier(leaver->queue, do_nothing, NULL) == 0;
    }
    sq_queue_release(leaver->queue);
    return NULL;
}

TEST(the_last_release_races_with_readers_that_leave) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = 2;
    sq_pool_t *pool = sq_pool_create("pool", &options);
    for (size_t i = 0; i < scaled(2000); i += 1) {
        sq_queue_t *queue = make_concurrent_on(pool, SQ_WIDTH_POOL);
        leaver_t leavers[3];
        pthread_t threads[3];
        for (size_t j = 0; j < 3; j += 1) {
            leavers[j] = (leaver_t){ sq_queue_retain(queue), 0 };
            threads[j] = spawn(use_and_release, &leavers[j]);
        }
        sq_queue_release(queue);
        for (size_t j = 0; j < 3; j += 1) {
            join(threads[j]);
            CHECK_EQUAL(leavers[j].ran, 9);
        }
    }
    sq_pool_release(pool);
}

/* help_test.c: the level of parallel loops (sq__help_t), with entries of the test's own: when workers come, and who may help; and that a worker without
 * a permit takes no entry. What an apply makes of it: apply_test.c. */
#include "pool/workers.h"
#include "pool/pool.h"
#include "pool_clock.h"

#include "platform/container.h"

#include <string.h>

enum { MANY = 3, LONG = SQ__BATCH + MANY };

/* A loop's entry that says so many times that there is more to do. */
typedef struct loop {
    sq__help_t help;
    scene_t *scene;
    size_t more;
    char name;
} loop_t;

static char journal[1 + LONG + 2 * MANY]; /* of a pool of one thread */
static size_t written;

static sq__ready_end_t take_part(sq__help_t *help) {
    loop_t *loop = SQ__CONTAINER(help, loop_t, help);
    journal[written++] = loop->name;
    latch_bump(&loop->scene->left);
    return loop->more-- > 0 ? SQ__READY_MORE : SQ__READY_GONE;
}

static void post_loop(loop_t *loop, scene_t *scene, char name, size_t more) {
    *loop = (loop_t){ { { NULL }, take_part }, scene, more, name };
    sq__pool_post(scene->pool, SQ__LEVEL_HELP, &loop->help.ready);
}

static sq__ready_end_t run_entry(sq__ready_t *entry, size_t batch, size_t *ran) {
    journal[written++] = 'e';
    return stay(entry, batch, ran);
}

static void post_open(turn_t *turn, scene_t *scene) {
    *turn = (turn_t){ { NULL }, scene, LATCH_INIT, LATCH_INIT, false };
    latch_bump(&turn->gate);
    sq__pool_post(scene->pool, SQ__LEVEL_NORMAL, &turn->entry);
}

/* The worker is in an entry while `entries` others and the loop's are posted, the loop's first. Returns how many entries come before the worker helps. */
static size_t entries_before_help(size_t entries) {
    scene_t scene = begin(1, 1, run_entry);
    turn_t first, turns[LONG];
    loop_t loop;
    written = 0;
    post(&first, &scene, false);
    latch_wait(&first.entered, 1);
    post_loop(&loop, &scene, 'h', 0);
    for (size_t i = 0; i < entries; i += 1) {
        post_open(&turns[i], &scene);
    }
    latch_bump(&first.gate);
    latch_wait(&scene.left, 1 + 1 + entries);
    wait_until(&scene, true, 1);
    CHECK_EQUAL(written, 1 + 1 + entries);
    const char *help = memchr(journal, 'h', written);
    REQUIRE(help != NULL);
    end(&scene);
    return (size_t)(help - journal) - 1;
}

TEST(members_help_when_no_other_entry_waits) { CHECK_EQUAL(entries_before_help(MANY), MANY); }

TEST(members_help_after_a_batch_of_other_entries) { CHECK_EQUAL(entries_before_help(LONG), SQ__BATCH - 1); }

TEST(members_help_loops_in_turn) {
    scene_t scene = begin(1, 1, run_entry);
    turn_t first;
    loop_t one, other;
    written = 0;
    post(&first, &scene, false);
    latch_wait(&first.entered, 1);
    post_loop(&one, &scene, 'a', MANY - 1);
    post_loop(&other, &scene, 'b', MANY - 1);
    latch_bump(&first.gate);
    latch_wait(&scene.left, 1 + 2 * MANY);
    wait_until(&scene, true, 1);
    CHECK_EQUAL(written, 1 + 2 * MANY);
    CHECK(memcmp(journal, "eababab", 1 + 2 * MANY) == 0);
    end(&scene);
}

/* Workers that sleep in the library */

static unsigned count_in_use(const scene_t *scene) {
    unsigned in_use = 0;
    sq__mutex_lock(&scene->pool->shards->lock);
    for (sq__pool_worker_t *worker = scene->pool->shards->all; worker != NULL; worker = worker->next) {
        in_use += worker->permit == SQ__PERMIT_TAKEN;
    }
    CHECK_EQUAL(in_use, scene->pool->shards->in_use);
    sq__mutex_unlock(&scene->pool->shards->lock);
    return in_use;
}

/* The worker of the first entry lends its permit, takes it back, and stays in the entry. */
static sq__ready_end_t lend(sq__ready_t *entry, size_t batch, size_t *ran) {
    turn_t *turn = (turn_t *)entry;
    if (!turn->computes) {
        return stay(entry, batch, ran);
    }
    *ran += 1;
    sq__pool_lend_permit(sq__self()->pool_worker);
    latch_bump(&turn->entered);
    latch_wait(&turn->gate, 1);
    sq__pool_take_permit(sq__self()->pool_worker);
    latch_bump(&turn->entered);
    latch_wait(&turn->gate, 2);
    latch_bump(&turn->scene->left);
    return SQ__READY_GONE;
}

/* A worker comes for the permit that another one has lent. After its entry it leaves, because the other one has the permit again. */
TEST(a_member_too_many_leaves_its_permit_although_an_entry_waits) {
    scene_t scene = begin(1, 1, lend);
    turn_t lender, other, next;
    written = 0;
    post(&lender, &scene, true);
    latch_wait(&lender.entered, 1);
    CHECK_EQUAL(count_in_use(&scene), 0);
    post(&other, &scene, false);
    latch_wait(&other.entered, 1);
    CHECK_EQUAL(count_in_use(&scene), 1);
    latch_bump(&lender.gate);
    latch_wait(&lender.entered, 2);
    CHECK_EQUAL(count_in_use(&scene), 2);
    post_open(&next, &scene);
    latch_bump(&other.gate);
    wait_until(&scene, true, 1);
    CHECK_EQUAL(latch_value(&scene.left), 1); /* what waits was not taken */
    CHECK_EQUAL(count_in_use(&scene), 1);
    latch_bump(&lender.gate);
    latch_wait(&scene.left, 3);
    wait_until(&scene, true, 2);
    end(&scene);
}

/* How many may help */

static sq__pool_t *asked;
static unsigned found;

static sq__ready_end_t ask(sq__ready_t *entry, size_t batch, size_t *ran) {
    found = sq__pool_helpers(asked);
    return stay(entry, batch, ran);
}

static unsigned helpers_from_worker(scene_t *scene, sq__pool_t *of) {
    turn_t turn;
    asked = of;
    scene->left = (latch_t)LATCH_INIT;
    post_open(&turn, scene);
    latch_wait(&scene->left, 1);
    wait_until(scene, true, count(scene, false));
    return found;
}

/* The own permit does not help, nor does the caller's processor where there is a permit for each. */
TEST(helpers_are_the_permits_that_the_caller_does_not_use) {
    scene_t fixed = begin(MANY, MANY, ask), growing = begin(MANY, MANY + 1, ask);
    CHECK_EQUAL(sq__pool_helpers(fixed.pool), MANY);
    CHECK_EQUAL(sq__pool_helpers(growing.pool), MANY - 1);
    CHECK_EQUAL(helpers_from_worker(&fixed, fixed.pool), MANY - 1);
    CHECK_EQUAL(helpers_from_worker(&growing, fixed.pool), MANY);
    CHECK_EQUAL(helpers_from_worker(&growing, growing.pool), MANY - 1);
    fixed.pool->at.process += 1; /* as in the child of a fork */
    CHECK_EQUAL(sq__pool_helpers(fixed.pool), 0);
    fixed.pool->at.process -= 1;
    end(&fixed);
    end(&growing);
}

/* help_test.c: offers to a pool's members (pool/offers.h) with jobs of the test's own: which members come, how often, and in which order with
 * the ready entries; and that a member without a seat takes neither. What an apply makes of it: apply_test.c. */
#include "pool/members.h"
#include "pool/pool.h"
#include "pool_clock.h"

#include "pool/offers.h"
#include "platform/memory.h"

#include <string.h>

enum { MANY = 3 };

/* An offer that says so many times that there is more to do. */
typedef struct offer {
    sq__offer_t help;
    scene_t *scene;
    size_t more, calls;
    bool meets;      /* each call waits for the others */
    unsigned wanted; /* at the last call */
    bool was_listed;
} offer_t;

static char journal[16]; /* of a pool of one thread */
static size_t written;

static bool be_helped(sq__offer_t *help) {
    offer_t *offer = (offer_t *)help;
    scene_t *scene = offer->scene;
    sq__mutex_lock(&scene->pool->parts->lock);
    offer->calls += 1;
    offer->wanted = help->wanted;
    offer->was_listed = help->link != NULL;
    bool has_more = offer->calls <= offer->more;
    sq__mutex_unlock(&scene->pool->parts->lock);
    if (offer->meets) {
        latch_bump(&scene->entered);
        latch_wait(&scene->entered, MANY);
    } else {
        journal[written++] = 'h';
    }
    if (!has_more) {
        latch_bump(&scene->left);
    }
    return has_more;
}

/* The memory is filled first with wrong values, as if it had been used before. */
static offer_t *make_offer(scene_t *scene, unsigned wanted, size_t more) {
    offer_t *offer = sq__memory(sizeof *offer);
    REQUIRE(offer != NULL);
    memset(offer, 0xff, sizeof *offer);
    offer->help.call = be_helped;
    offer->scene = scene;
    offer->more = more;
    offer->calls = 0;
    offer->meets = false;
    sq__pool_offer(scene->pool, &offer->help, wanted);
    return offer;
}

static sq__ready_end_t run_entry(sq__ready_t *entry, size_t batch, size_t *ran) {
    journal[written++] = 'e';
    return stay(entry, batch, ran);
}

static void post_open(turn_t *turn, scene_t *scene) {
    *turn = (turn_t){ { NULL }, scene, LATCH_INIT, LATCH_INIT, false };
    latch_bump(&turn->gate);
    sq__pool_post(scene->pool, SQ__BAND_NORMAL, &turn->entry);
}

static void take_back(scene_t *scene, offer_t *offer) {
    wait_until(scene, true, count(scene, false));
    sq__pool_take_back(scene->pool, &offer->help);
    CHECK(scene->pool->helps == NULL && scene->pool->helps_end == &scene->pool->helps);
}

/* To see it fail: in has_work (members.c) look at the entries only, or in serve wake no further member. It hangs. */
TEST(as_many_members_help_at_one_time_as_an_offer_wants) {
    scene_t scene = begin(MANY, MANY, run_entry);
    offer_t *offer = sq__memory(sizeof *offer);
    REQUIRE(offer != NULL);
    *offer = (offer_t){ .help.call = be_helped, .scene = &scene, .meets = true };
    sq__pool_offer(scene.pool, &offer->help, MANY);
    latch_wait(&scene.left, MANY);
    take_back(&scene, offer);
    end(&scene);
}

/* To see it fail: in sq__offer_leave list the offer although it is listed; in sq__offer_take do not count the member. */
TEST(an_offer_counts_the_members_that_may_still_come) {
    scene_t scene = begin(1, 1, run_entry);
    for (unsigned wanted = 1; wanted <= MANY; wanted += 1) {
        written = 0;
        scene.left = (latch_t)LATCH_INIT;
        offer_t *offer = make_offer(&scene, wanted, MANY);
        latch_wait(&scene.left, 1);
        wait_until(&scene, true, 1);
        CHECK_EQUAL(offer->calls, MANY + 1); /* not once more after the one that found nothing */
        CHECK_EQUAL(offer->wanted, wanted - 1);
        CHECK_EQUAL(offer->was_listed, wanted > 1);
        take_back(&scene, offer);
    }
    end(&scene);
}

/* To see it fail: in next_work take whatever is there of one kind before the other. */
TEST(a_member_takes_offers_and_entries_in_turn) {
    scene_t scene = begin(1, 1, run_entry);
    turn_t first, turns[MANY];
    written = 0;
    post(&first, &scene, false);
    latch_wait(&first.entered, 1);
    for (size_t i = 0; i < MANY; i += 1) {
        post_open(&turns[i], &scene);
    }
    offer_t *offer = make_offer(&scene, 1, MANY - 1);
    latch_bump(&first.gate);
    latch_wait(&scene.left, 1 + MANY + 1);
    CHECK_EQUAL(written, 1 + 2 * MANY);
    CHECK(memcmp(journal, "ehehehe", 1 + 2 * MANY) == 0);
    take_back(&scene, offer);
    end(&scene);
}

/* To see it fail: in sq__offer_list leave out what it does to the end of the list. */
TEST(two_offers_that_wait_for_a_member_are_both_taken) {
    scene_t scene = begin(1, 1, run_entry);
    turn_t first;
    written = 0;
    post(&first, &scene, false);
    latch_wait(&first.entered, 1);
    offer_t *one = make_offer(&scene, 1, 0), *other = make_offer(&scene, 1, 0);
    latch_bump(&first.gate);
    latch_wait(&scene.left, 3);
    wait_until(&scene, true, 1);
    CHECK(one->calls == 1 && other->calls == 1);
    sq__pool_take_back(scene.pool, &one->help);
    take_back(&scene, other);
    end(&scene);
}

/* Members that sleep in the library */

static unsigned count_seated(const scene_t *scene) {
    unsigned seated = 0;
    sq__mutex_lock(&scene->pool->parts->lock);
    for (sq__member_t *member = scene->pool->parts->all; member != NULL; member = member->next) {
        seated += member->is_seated;
    }
    CHECK_EQUAL(seated, scene->pool->parts->seated);
    sq__mutex_unlock(&scene->pool->parts->lock);
    return seated;
}

/* The member of the first entry lends its seat, takes it back, and stays in the entry. */
static sq__ready_end_t lend(sq__ready_t *entry, size_t batch, size_t *ran) {
    turn_t *turn = (turn_t *)entry;
    if (!turn->computes) {
        return stay(entry, batch, ran);
    }
    *ran += 1;
    sq__pool_lend_seat(sq__self()->member);
    latch_bump(&turn->entered);
    latch_wait(&turn->gate, 1);
    sq__pool_take_seat(sq__self()->member);
    latch_bump(&turn->entered);
    latch_wait(&turn->gate, 2);
    latch_bump(&turn->scene->left);
    return SQ__READY_GONE;
}

/* A member comes for the seat that another one has lent. After its entry it leaves, because the other one has the seat again. */
static void check_that_one_leaves(bool helps) {
    scene_t scene = begin(1, 1, lend);
    turn_t lender, other, next;
    written = 0;
    post(&lender, &scene, true);
    latch_wait(&lender.entered, 1);
    CHECK_EQUAL(count_seated(&scene), 0);
    post(&other, &scene, false);
    latch_wait(&other.entered, 1);
    CHECK_EQUAL(count_seated(&scene), 1);
    latch_bump(&lender.gate);
    latch_wait(&lender.entered, 2);
    CHECK_EQUAL(count_seated(&scene), 2);
    offer_t *offer = helps ? make_offer(&scene, 1, 0) : NULL;
    if (!helps) {
        post_open(&next, &scene);
    }
    latch_bump(&other.gate);
    wait_until(&scene, true, 1);
    CHECK_EQUAL(latch_value(&scene.left), 1); /* what waits was not taken */
    CHECK_EQUAL(count_seated(&scene), 1);
    latch_bump(&lender.gate);
    latch_wait(&scene.left, 3);
    wait_until(&scene, true, 2);
    if (helps) {
        take_back(&scene, offer);
    }
    end(&scene);
}

/* To see it fail: in next_work do not compare seated with seats. */
TEST(a_member_too_many_leaves_its_seat_although_an_entry_waits) { check_that_one_leaves(false); }
TEST(a_member_too_many_leaves_its_seat_although_an_offer_waits) { check_that_one_leaves(true); }

/* How many may help */

static sq__pool_t *asked;
static unsigned found;

static sq__ready_end_t ask(sq__ready_t *entry, size_t batch, size_t *ran) {
    found = sq__pool_helpers(asked);
    return stay(entry, batch, ran);
}

static unsigned helpers_from_member(scene_t *scene, sq__pool_t *of) {
    turn_t turn;
    asked = of;
    scene->left = (latch_t)LATCH_INIT;
    post_open(&turn, scene);
    latch_wait(&scene->left, 1);
    wait_until(scene, true, count(scene, false));
    return found;
}

/* The own seat does not help, nor does the caller's processor where there is a seat for each. To see it fail: in sq__pool_helpers leave out any
 * condition. */
TEST(helpers_are_the_seats_that_the_caller_does_not_use) {
    scene_t fixed = begin(MANY, MANY, ask), growing = begin(MANY, MANY + 1, ask);
    CHECK_EQUAL(sq__pool_helpers(fixed.pool), MANY);
    CHECK_EQUAL(sq__pool_helpers(growing.pool), MANY - 1);
    CHECK_EQUAL(helpers_from_member(&fixed, fixed.pool), MANY - 1);
    CHECK_EQUAL(helpers_from_member(&growing, fixed.pool), MANY);
    CHECK_EQUAL(helpers_from_member(&growing, growing.pool), MANY - 1);
    fixed.pool->at.process += 1; /* as in the child of a fork */
    CHECK_EQUAL(sq__pool_helpers(fixed.pool), 0);
    fixed.pool->at.process -= 1;
    end(&fixed);
    end(&growing);
}

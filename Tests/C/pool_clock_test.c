/* pool_clock_test.c: a pool that is looked after, on a clock that the test moves, with jobs of the test's own: when it gets no more
 * seats, which members go, and that as many have a seat as are counted. How far and how soon it grows: pool_grow_test.c,
 * growth_test.c, pool_look_test.c. */
#include "harness.h"
#include "latch.h"

#include "platform/thread.h"
#include "pool/pool_internal.h"
#include "thread/self.h"

#include <sched.h>
#include <sys/resource.h>
#include <stdatomic.h>
#include <unistd.h>

static const uint64_t second = 1000000000;

typedef struct scene {
    sq__pool_t *pool;
    sq__alarms_t *clock, *shared; /* ours; the process's, which the pool had */
    uint64_t now;
    latch_t entered, gate, left;
    atomic_bool computes; /* the job that does is to go on */
} scene_t;

typedef struct work {
    sq__ready_t entry;
    scene_t *scene;
} work_t;

/* Waits at the gate without its seat, as a task does in a sync. */
static sq__ready_end_t wait_without_seat(sq__ready_t *entry, size_t batch, size_t *ran) {
    scene_t *scene = ((work_t *)entry)->scene;
    (void)batch;
    *ran += 1;
    sq__pool_lend_seat(sq__self()->member);
    latch_bump(&scene->entered);
    latch_wait(&scene->gate, 1);
    sq__pool_take_seat(sq__self()->member);
    latch_bump(&scene->left);
    return SQ__READY_GONE;
}

static unsigned count(const scene_t *scene, bool idle) {
    sq__mutex_lock(&scene->pool->lock);
    unsigned found = idle ? scene->pool->idle_members : scene->pool->members;
    sq__mutex_unlock(&scene->pool->lock);
    return found;
}

/* Members do what they are told to some time after. */
static void wait_until(const scene_t *scene, bool idle, unsigned members) {
    while (count(scene, idle) != members) {
        sched_yield();
    }
}

/* So many members work at one time, and are idle again. `all`: how many there are then. */
static void work_at_once(scene_t *scene, size_t members, unsigned all) {
    work_t work[4];
    REQUIRE(members <= sizeof work / sizeof work[0]);
    scene->entered = scene->gate = scene->left = (latch_t)LATCH_INIT;
    for (size_t i = 0; i < members; i += 1) {
        work[i] = (work_t){ { NULL }, scene };
        sq__pool_post(scene->pool, &work[i].entry);
        latch_wait(&scene->entered, i + 1);
    }
    latch_bump(&scene->gate);
    latch_wait(&scene->left, members);
    wait_until(scene, true, all);
}

static void advance(scene_t *scene, uint64_t nanoseconds) {
    scene->now += nanoseconds;
    while (sq__alarms_advance(scene->clock, scene->now)) {
    }
}

/* The look of this second takes place; so many members are left then, idle all. */
static void look(scene_t *scene, unsigned left) {
    advance(scene, second);
    sq__mutex_lock(&scene->pool->lock);
    unsigned staying = scene->pool->members - scene->pool->leaving;
    sq__mutex_unlock(&scene->pool->lock);
    CHECK_EQUAL(staying, left);
    wait_until(scene, false, left);
    CHECK_EQUAL(count(scene, true), left);
}

static scene_t begin(size_t seats, size_t most, sq__ready_function_t call) {
    scene_t scene = { .entered = LATCH_INIT, .gate = LATCH_INIT, .left = LATCH_INIT };
    const sq__pool_plan_t plan = { .call = call, .label = "on a clock", .seats = seats, .most = most };
    REQUIRE(sq__pool_create(&scene.pool, &plan) == 0);
    scene.clock = sq__alarms_create();
    REQUIRE(scene.clock != NULL);
    scene.shared = scene.pool->alarms;
    scene.pool->alarms = scene.clock;
    return scene;
}

static void end(scene_t *scene) {
    sq__mutex_lock(&scene->pool->lock);
    if (sq__alarm_cancel(scene->clock, &scene->pool->alarm)) {
        scene->pool->growth_is_scheduled = false;
    }
    scene->pool->alarms = scene->shared;
    sq__mutex_unlock(&scene->pool->lock);
    sq__alarms_destroy(scene->clock);
    sq__pool_release(scene->pool);
}

/* To see it fail: in shrink (growth.c) or take_idle, make_idle, sq__members_pick_idle (members.c) leave out any count. */
TEST(of_the_members_beyond_those_at_rest_those_go_that_were_idle_for_a_second) {
    scene_t scene = begin(1, 1, wait_without_seat);
    work_at_once(&scene, 3, 3);
    look(&scene, 3); /* all had work */
    work_at_once(&scene, 2, 3);
    look(&scene, 2); /* one had none */
    look(&scene, 1); /* the other one had none, either; the last one stays */
    look(&scene, 1);
    work_at_once(&scene, 2, 2);
    work_at_once(&scene, 2, 2);
    look(&scene, 2);
    work_at_once(&scene, 1, 2);
    look(&scene, 1);
    end(&scene);
}

/* Members with a seat */

static sq__ready_end_t leave_at_once(sq__ready_t *entry, size_t batch, size_t *ran) {
    (void)batch;
    *ran += 1;
    latch_bump(&((work_t *)entry)->scene->left);
    return SQ__READY_GONE;
}

/* One that was called has its seat from then on, though its thread has not woken up yet: a look must not take it for blocked. To
 * see it fail: in sq__members_call_and_unlock, do not note that it is seated. */
TEST(as_many_members_have_a_seat_as_are_counted) {
    enum { SEATS = 2 };
    scene_t scene = begin(SEATS, SEATS, leave_at_once);
    for (size_t round = 1; round <= 2000; round += 1) {
        work_t work[SEATS];
        for (size_t i = 0; i < SEATS; i += 1) {
            work[i] = (work_t){ { NULL }, &scene };
            sq__pool_post(scene.pool, &work[i].entry);
        }
        unsigned seated = 0;
        sq__mutex_lock(&scene.pool->lock);
        for (sq__member_t *member = scene.pool->all; member != NULL; member = member->next) {
            seated += member->is_seated;
        }
        CHECK_EQUAL(seated, scene.pool->seated);
        sq__mutex_unlock(&scene.pool->lock);
        latch_wait(&scene.left, SEATS * round);
    }
    end(&scene);
}

/* No more seats than are needed */

enum { SHORT_LOOKS = 12, MANY_LOOKS = 40, SHORT = 2000000 }; /* more looks than a job needs to last long; as far apart as they are */

typedef struct turn {
    sq__ready_t entry;
    scene_t *scene;
    latch_t entered, gate;
    bool computes; /* when it has come through its gate */
} turn_t;

static sq__ready_end_t stay(sq__ready_t *entry, size_t batch, size_t *ran) {
    turn_t *turn = (turn_t *)entry;
    (void)batch;
    *ran += 1;
    latch_bump(&turn->entered);
    latch_wait(&turn->gate, 1);
    while (turn->computes && turn->scene->computes) {
    }
    latch_bump(&turn->scene->left);
    return SQ__READY_GONE;
}

static void post(turn_t *turn, scene_t *scene, bool computes) {
    *turn = (turn_t){ { NULL }, scene, LATCH_INIT, LATCH_INIT, computes };
    sq__pool_post(scene->pool, &turn->entry);
}

/* Seats, and members that are blocked in their job. */
static unsigned seats(const scene_t *scene, unsigned *blocked) {
    *blocked = 0;
    sq__mutex_lock(&scene->pool->lock);
    for (sq__member_t *member = scene->pool->all; member != NULL; member = member->next) {
        *blocked += member->is_seated && sq__load_relaxed(&member->calls) && sq__thread_state(member->thread_id) == SQ__THREAD_BLOCKED;
    }
    unsigned found = scene->pool->seats;
    sq__mutex_unlock(&scene->pool->lock);
    return found;
}

static void wait_until_blocked(const scene_t *scene, unsigned members) {
    unsigned blocked = 0;
    while (seats(scene, &blocked) != members || blocked != members) {
        usleep(100);
    }
}

static void wait_until_able(const scene_t *scene) {
    unsigned blocked = 1;
    while (blocked > 0) {
        usleep(100);
        seats(scene, &blocked);
    }
}

/* To see it fail: in grow (growth.c) do not look at `most`. */
TEST(a_pool_gets_no_more_seats_than_it_may_have) {
    enum { MOST = 4, JOBS = 7 };
    turn_t turns[JOBS];
    unsigned blocked;
    scene_t scene = begin(3, MOST, stay);
    for (size_t i = 0; i < JOBS; i += 1) {
        post(&turns[i], &scene, false);
    }
    for (size_t i = 0; i < SHORT_LOOKS && seats(&scene, &blocked) < MOST; i += 1) {
        wait_until_blocked(&scene, seats(&scene, &blocked));
        advance(&scene, SHORT);
    }
    for (size_t i = 0; i < SHORT_LOOKS; i += 1) {
        CHECK_EQUAL(seats(&scene, &blocked), MOST);
        wait_until_blocked(&scene, MOST);
        advance(&scene, SHORT);
    }
    for (size_t i = 0; i < JOBS; i += 1) {
        latch_bump(&turns[i].gate);
    }
    latch_wait(&scene.left, JOBS);
    wait_until(&scene, true, count(&scene, false));
    end(&scene);
}

/* One of two members is blocked; the other one gets on, and no job waits for longer than until the next look. To see it fail: in look
 * (growth.c) do not compare with what had been posted at the last one. */
TEST(a_pool_gets_no_more_seats_while_no_job_waits_for_long) {
    turn_t blocks, turns[MANY_LOOKS + 2];
    unsigned blocked;
    scene_t scene = begin(2, 4, stay);
    post(&blocks, &scene, false);
    latch_wait(&blocks.entered, 1);
    post(&turns[0], &scene, false);
    latch_wait(&turns[0].entered, 1);
    for (size_t i = 1; i < MANY_LOOKS + 2; i += 1) {
        post(&turns[i], &scene, false); /* it waits */
        if (i > 1) {
            advance(&scene, SHORT);
        }
        CHECK_EQUAL(seats(&scene, &blocked), 2);
        latch_bump(&turns[i - 1].gate);
        latch_wait(&turns[i].entered, 1);
    }
    latch_bump(&turns[MANY_LOOKS + 1].gate);
    latch_bump(&blocks.gate);
    latch_wait(&scene.left, MANY_LOOKS + 3);
    wait_until(&scene, true, count(&scene, false));
    end(&scene);
}

/* Until the members in a call have used the processor for so many nanoseconds. A look sees 100,000, or, as little, 1. */
enum { LITTLE = 1, MUCH = 200000 };

static void let_use(const scene_t *scene, uint64_t nanoseconds) {
    uint64_t ids[4], before[4];
    size_t count = 0;
    sq__mutex_lock(&scene->pool->lock);
    for (sq__member_t *member = scene->pool->all; member != NULL; member = member->next) {
        if (member->is_seated && sq__load_relaxed(&member->calls)) {
            ids[count] = member->thread_id;
            before[count] = sq__thread_processor_time(member->thread_id);
            count += 1;
        }
    }
    sq__mutex_unlock(&scene->pool->lock);
    for (size_t i = 0; i < count; i += 1) {
        while (sq__thread_processor_time(ids[i]) < before[i] + nanoseconds) {
            sched_yield();
        }
    }
}

static void check_that_a_long_job_gets_no_company(void) {
    turn_t computes, waits;
    unsigned blocked;
    scene_t scene = begin(1, 4, stay);
    scene.computes = true;
    post(&computes, &scene, true);
    latch_bump(&computes.gate);
    latch_wait(&computes.entered, 1);
    wait_until_able(&scene);
    post(&waits, &scene, false);
    for (size_t i = 0; i < MANY_LOOKS; i += 1) {
        let_use(&scene, MUCH);
        advance(&scene, SHORT);
        CHECK_EQUAL(seats(&scene, &blocked), 1);
    }
    scene.computes = false;
    latch_bump(&waits.gate);
    latch_wait(&scene.left, 2);
    wait_until(&scene, true, count(&scene, false));
    end(&scene);
}

TEST(a_pool_gets_no_more_seats_while_a_long_job_computes) { check_that_a_long_job_gets_no_company(); }

/* regression: without file descriptors, or without /proc, members that computed counted as blocked. To see it fail: in doubt
 * (growth.c) do not look at the processor time. */
TEST(a_pool_gets_no_more_seats_while_a_long_job_computes_and_no_file_can_be_opened) {
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, limit.rlim_max }) == 0);
    CHECK_EQUAL(sq__thread_state(sq__thread_id()), SQ__THREAD_UNKNOWN);
    check_that_a_long_job_gets_no_company();
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/* The pool still grows there, only later. To see it fail: in count_blocked (growth.c) unknown members are not blocked. */
TEST(a_pool_whose_member_is_blocked_grows_although_no_file_can_be_opened) {
    turn_t blocks, waits;
    unsigned blocked;
    scene_t scene = begin(1, 4, stay);
    post(&blocks, &scene, false);
    latch_wait(&blocks.entered, 1);
    wait_until_blocked(&scene, 1);
    post(&waits, &scene, false);
    latch_bump(&waits.gate);
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, limit.rlim_max }) == 0);
    for (size_t i = 0; i < MANY_LOOKS; i += 1) {
        advance(&scene, SHORT);
    }
    latch_wait(&waits.entered, 1);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    latch_bump(&blocks.gate);
    latch_wait(&scene.left, 2);
    CHECK(seats(&scene, &blocked) > 1);
    wait_until(&scene, true, count(&scene, false));
    end(&scene);
}

/* A member that is woken now and then, as by a lock that others take and release all the time, is in doubt for long. To see it fail:
 * in doubt (growth.c) count looks, and not those without use of the processor. */
static sq__ready_end_t stay_and_wake(sq__ready_t *entry, size_t batch, size_t *ran) {
    turn_t *turn = (turn_t *)entry;
    (void)batch;
    *ran += 1;
    latch_bump(&turn->entered);
    while (turn->scene->computes) {
        usleep(50);
    }
    latch_bump(&turn->scene->left);
    return SQ__READY_GONE;
}

TEST(a_pool_gets_more_seats_for_a_member_that_is_woken_now_and_then_only_after_many_looks) {
    turn_t wakes, waits;
    unsigned blocked;
    scene_t scene = begin(1, 4, stay_and_wake);
    scene.computes = true;
    post(&wakes, &scene, false);
    latch_wait(&wakes.entered, 1);
    post(&waits, &scene, false);
    for (size_t i = 0; i < SHORT_LOOKS; i += 1) {
        let_use(&scene, LITTLE);
        advance(&scene, SHORT);
        CHECK_EQUAL(seats(&scene, &blocked), 1);
    }
    for (size_t i = 0; i < 100000 && seats(&scene, &blocked) == 1; i += 1) { /* it must be found asleep */
        usleep(100);
        advance(&scene, SHORT);
    }
    CHECK(seats(&scene, &blocked) > 1);
    scene.computes = false;
    latch_wait(&scene.left, 2);
    wait_until(&scene, true, count(&scene, false));
    end(&scene);
}

/* One was blocked, so that there are more; then all compute. To see it fail: no take_back in adjust_seats (growth.c). */
TEST(seats_above_those_at_rest_are_taken_back_while_jobs_wait_when_no_member_is_blocked) {
    turn_t turns[4];
    unsigned blocked;
    scene_t scene = begin(1, 2, stay);
    scene.computes = true;
    for (size_t i = 0; i < 4; i += 1) {
        post(&turns[i], &scene, i < 2);
    }
    latch_wait(&turns[0].entered, 1);
    while (seats(&scene, &blocked) < 2) {
        wait_until_blocked(&scene, 1);
        advance(&scene, SHORT);
    }
    latch_wait(&turns[1].entered, 1);
    latch_bump(&turns[0].gate);
    latch_bump(&turns[1].gate);
    wait_until_able(&scene);
    for (size_t i = 0; i < SHORT_LOOKS; i += 1) {
        let_use(&scene, MUCH);
        advance(&scene, SHORT);
    }
    CHECK_EQUAL(seats(&scene, &blocked), 1);
    latch_bump(&turns[2].gate);
    latch_bump(&turns[3].gate);
    scene.computes = false;
    latch_wait(&scene.left, 4);
    wait_until(&scene, true, count(&scene, false));
    end(&scene);
}

/* fork_waits_test.c: a fork waits while another thread has one of the library's locks. In these tests that thread has the lock until the
 * forking thread sleeps. ThreadSanitizer cannot follow a process with threads through a fork: nothing is tested there. */
#include "caller.h"
#include "child.h"
#include "inject.h"

#include "thread/self.h"

typedef struct scene {
    latch_t stands, leave; /* the thread that has the lock */
    bool may_leave;        /* the child has the value at the time of the fork */
    atomic_int forker, waker;
    int status;
    sq__owner_t *owner;
    sq__token_t *token;
} scene_t;

#define SCENE_INIT { .stands = LATCH_INIT, .leave = LATCH_INIT, .status = -1 }

static void stand(void *context) {
    scene_t *scene = context;
    latch_bump(&scene->stands);
    latch_wait(&scene->leave, 1);
}

static int is_late(void *context) { return CHECK(((scene_t *)context)->may_leave) ? 0 : 1; }

static void *fork_now(void *context) {
    scene_t *scene = context;
    scene->forker = gettid();
    scene->status = in_fork(is_late, scene);
    return NULL;
}

/* A thread has the lock, and stands. */
static void check_fork(scene_t *scene) {
    pthread_t thread = spawn(fork_now, scene);
    wait_until_asleep(&scene->forker);
    scene->may_leave = true;
    latch_bump(&scene->leave);
    join(thread);
    CHECK_EQUAL(scene->status, 0);
}

static bool stand_at_first(void *context, const sq__self_t *at, const sq__self_t *copy) {
    (void)at;
    (void)copy;
    stand(context);
    return false;
}

static void *visit_threads(void *scene) {
    CHECK(sq__self_visit(&(sq__patience_t){ .tries = 1u << 20 }, stand_at_first, scene));
    return NULL;
}

TEST(a_fork_waits_for_a_visit_of_the_list_of_threads) {
    if (fork_left_out()) {
        return;
    }
    scene_t scene = SCENE_INIT;
    (void)sq__self_listed(); /* so that there is a thread to visit */
    pthread_t visitor = spawn(visit_threads, &scene);
    latch_wait(&scene.stands, 1);
    check_fork(&scene);
    join(visitor);
}

static void fail_onto_own(void *queue) { CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), EDEADLK); }

typedef struct reporter {
    sq_queue_t *queue;
    latch_t has_report, leave;
    long blocks;
} reporter_t;

static void *keep_report(void *context) {
    reporter_t *reporter = context;
    CHECK_EQUAL(sq_sync(reporter->queue, fail_onto_own, reporter->queue), 0);
    latch_bump(&reporter->has_report);
    latch_wait(&reporter->leave, 1);
    return NULL;
}

static int has_block_less(void *context) { return CHECK_EQUAL(live_blocks(), ((reporter_t *)context)->blocks - 1) ? 0 : 1; }

/* LeakSanitizer would name it in the child. */
TEST(the_child_frees_the_reports_of_threads_that_it_does_not_have) {
    if (fork_left_out()) {
        return;
    }
    reporter_t reporter = { make_queue_of("own", 0), LATCH_INIT, LATCH_INIT, 0 };
    pthread_t thread = spawn(keep_report, &reporter);
    latch_wait(&reporter.has_report, 1);
    reporter.blocks = live_blocks();
    CHECK_EQUAL(in_fork(has_block_less, &reporter), 0);
    latch_bump(&reporter.leave);
    join(thread);
    sq_queue_release(reporter.queue);
}

/* An owner of a loop that is about to sleep, and has its token's lock. */
static void *sleep_as_owner(void *context) {
    scene_t *scene = context;
    sq__wait_id_t wait_id = sq__token_prepare(scene->token);
    do_before_next_wait(stand, scene);
    CHECK_EQUAL(sq__token_sleep(scene->token, wait_id, SQ_FOREVER), SQ__OPEN);
    return NULL;
}

/* Waits for that lock, and has the lock of the owners. */
static void *wake_owner(void *context) {
    scene_t *scene = context;
    scene->waker = gettid();
    sq__owner_wake(scene->owner);
    return NULL;
}

TEST(a_fork_waits_for_a_post_that_wakes_the_owner_of_a_loop) {
    if (fork_left_out()) {
        return;
    }
    scene_t scene = SCENE_INIT;
    scene.owner = sq__owner_create();
    scene.token = sq__token_acquire();
    REQUIRE(scene.owner != NULL && scene.token != NULL);
    sq__owner_await(scene.owner, scene.token);
    pthread_t sleeper = spawn(sleep_as_owner, &scene);
    latch_wait(&scene.stands, 1);
    pthread_t waker = spawn(wake_owner, &scene);
    wait_until_asleep(&scene.waker);
    check_fork(&scene);
    join(waker);
    join(sleeper);
    sq__owner_await(scene.owner, NULL);
    sq__owner_end(scene.owner);
    sq__token_forget_wake(scene.token);
    sq__token_recycle(scene.token);
}

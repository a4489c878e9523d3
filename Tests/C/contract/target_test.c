/* target_test.c: queues that run their tasks on another queue. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include "sq_current.h"
#include "sq_group.h"
#include "sq_pool.h"
#include "sq_shutdown.h"
#include "sq_timer.h"
#include "sq_value.h"


enum { CHILDREN = 3, ROUNDS = 2000 };

static sq_queue_t *make(const char *label, sq_queue_t *target) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.target = target;
    sq_queue_t *queue = sq_queue_create(label, &options);
    REQUIRE(queue != NULL);
    return queue;
}

/* A manual pool, a target on it, and two queues. */
typedef struct scene {
    sq_pool_t *pool;
    sq_queue_t *target, *a, *b;
} scene_t;

static scene_t make_scene(void) {
    scene_t scene = { .pool = sq_pool_create_manual("manual") };
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = scene.pool;
    scene.target = sq_queue_create("target", &options);
    scene.a = make("a", scene.target);
    scene.b = make("b", scene.target);
    return scene;
}

static void release_scene(scene_t *scene) {
    sq_queue_release(scene->target);
    sq_queue_release(scene->a);
    sq_queue_release(scene->b);
    sq_pool_run(scene->pool);
    sq_pool_release(scene->pool);
}

static char order[64];

static void put(void *letter) { strncat(order, letter, sizeof order - strlen(order) - 1); }

static void submit(sq_queue_t *queue, const char *letter) { CHECK_EQUAL(sq_async(queue, put, (void *)(uintptr_t)letter), 0); }

/* To see it fail: submit run_batch to the queue itself. */
TEST(queues_run_in_the_order_in_which_they_became_ready) {
    scene_t scene = make_scene();
    order[0] = '\0';
    submit(scene.a, "1");
    submit(scene.target, "2");
    submit(scene.b, "3");
    submit(scene.a, "1");
    submit(scene.target, "4");
    sq_pool_run(scene.pool);
    CHECK_STRING(order, "11234");
    release_scene(&scene);
}

typedef struct seen {
    size_t count, seen;
} seen_t;

static void see(void *context) { ((seen_t *)context)->seen = ((seen_t *)context)->count; }

TEST(a_batch_of_one_queue_does_not_keep_the_others_out) {
    scene_t scene = make_scene();
    seen_t seen = { 0 };
    for (int i = 0; i < 100; i += 1) {
        CHECK_EQUAL(sq_async(scene.a, add_one, &seen.count), 0);
    }
    CHECK_EQUAL(sq_async(scene.b, see, &seen), 0);
    CHECK_EQUAL(sq_sync(scene.a, do_nothing, NULL), 0); /* runs the pool meanwhile */
    CHECK(seen.seen > 0 && seen.seen < 100);
    CHECK_EQUAL(seen.count, 100);
    release_scene(&scene);
}

static void look(void *context) {
    sq_queue_t **queues = context;
    CHECK(sq_current_queue() == queues[0]);
    CHECK(sq_is_current(queues[0]) && sq_is_current(queues[1]));
}

/* To see it fail: run the batch with `begins`. */
TEST(a_task_is_on_its_queue_and_on_the_target) {
    sq_queue_t *target = make("target", NULL), *middle = make("middle", target), *child = make("child", middle);
    sq_queue_t *both[] = { child, target }, *above[] = { child, middle };
    static const char key;
    int value = 0;
    CHECK_EQUAL(sq_sync(child, look, both), 0);
    CHECK_EQUAL(sq_sync(child, look, above), 0);
    CHECK_EQUAL(sq_async(child, look, both), 0);
    CHECK_EQUAL(sq_run_and_wait(child, SQ_FOREVER, look, above), 0);
    CHECK_EQUAL(sq_async_and_wait(child, SQ_FOREVER, look, both), 0);
    CHECK_EQUAL(sq_queue_set_value(target, &key, &value, NULL), 0);
    CHECK(sq_queue_value(child, &key) == NULL);
    sq_queue_release(target);
    sq_queue_release(middle);
    drain(child);
    sq_queue_release(child);
}

/* Exclusion */

typedef struct shared {
    sq_queue_t *target, *children[CHILDREN];
    uint64_t plain; /* protected by the target */
    unsigned inside;
} shared_t;

static void touch(void *context) {
    shared_t *shared = context;
    CHECK_EQUAL(__atomic_fetch_add(&shared->inside, 1, __ATOMIC_RELAXED), 0);
    shared->plain += 1;
    __atomic_fetch_sub(&shared->inside, 1, __ATOMIC_RELAXED);
}

static void *submit_all(void *context) {
    shared_t *shared = context;
    for (size_t i = 0; i < scaled(ROUNDS); i += 1) {
        sq_queue_t *queue = i % 4 < CHILDREN ? shared->children[i % 4] : shared->target;
        CHECK_EQUAL(i % 3 == 0 ? sq_sync(queue, touch, shared) : i % 3 == 1 ? sq_async(queue, touch, shared)
                               : i % 7 == 0 ? sq_run_and_wait(queue, SQ_FOREVER, touch, shared) : sq_async_and_wait(queue, SQ_FOREVER, touch, shared), 0);
    }
    return NULL;
}

static void exclude(sq_queue_t *target) {
    shared_t shared = { .target = target };
    pthread_t threads[3];
    for (int i = 0; i < CHILDREN; i += 1) {
        shared.children[i] = make("child", i == 2 ? shared.children[0] : target);
    }
    for (int i = 0; i < 3; i += 1) {
        threads[i] = spawn(submit_all, &shared);
    }
    for (int i = 0; i < 3; i += 1) {
        join(threads[i]);
    }
    for (int i = 0; i < CHILDREN; i += 1) {
        CHECK_EQUAL(sq_shutdown(shared.children[i], SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        sq_queue_release(shared.children[i]);
    }
    CHECK_EQUAL(sq_shutdown(target, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(shared.plain, 3 * scaled(ROUNDS));
    sq_queue_release(target);
}

/* To see it fail: in run_on_target call run_turn without the target's turn. */
TEST(queues_of_one_target_exclude_each_other) { exclude(make("target", NULL)); }

TEST(the_same_on_a_pool) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create("pool", NULL);
    exclude(sq_queue_create("target", &options));
    sq_pool_release(options.pool);
}

/* Waits and deadlocks */

typedef struct nested {
    sq_queue_t *queue;
    int error, until;
    const char *report;
} nested_t;

/* Not in the thread's name, which may be the target's. */
static void check_report(const sq_queue_t *queue) {
    CHECK(strstr(sq_deadlock_report(), "queue \"child\"") != NULL);
    CHECK(sq_current_queue() == queue || strstr(sq_deadlock_report(), "queue \"target\"") != NULL);
}

static void sync_inside(void *context) {
    nested_t *nested = context;
    nested->error = sq_sync(nested->queue, do_nothing, NULL);
    check_report(nested->queue);
    nested->until = sq_run_and_wait(nested->queue, SQ_FOREVER, do_nothing, NULL);
    check_report(nested->queue);
}

/* To see it fail: leave out target_of_caller, or the root in `needs` (wait/edge.c). */
TEST(a_wait_for_a_queue_in_a_task_of_its_target_is_refused) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target), *sibling = make("sibling", target);
    nested_t nested = { .queue = child };
    sq_queue_t *const from[] = { target, sibling, child };
    for (int i = 0; i < 3; i += 1) {
        nested.error = nested.until = 0;
        CHECK_EQUAL(sq_async_and_wait(from[i], SQ_FOREVER, sync_inside, &nested), 0);
        CHECK(nested.error == EDEADLK && nested.until == EDEADLK);
        CHECK_EQUAL(sq_async(from[i], sync_inside, &nested), 0);
        drain(from[i]);
    }
    sq_queue_release(target);
    sq_queue_release(child);
    sq_queue_release(sibling);
}

typedef struct cycle {
    sq_queue_t *child, *other;
    latch_t in_target, in_other;
    int errors[2];
} cycle_t;

static void from_target(void *context) {
    cycle_t *cycle = context;
    latch_bump(&cycle->in_target);
    latch_wait(&cycle->in_other, 1);
    cycle->errors[0] = sq_sync(cycle->other, do_nothing, NULL);
}

static void from_other(void *context) {
    cycle_t *cycle = context;
    latch_bump(&cycle->in_other);
    latch_wait(&cycle->in_target, 1);
    cycle->errors[1] = sq_sync(cycle->child, do_nothing, NULL);
}

/* The child is busy: the cycle goes through its tasks, which wait for the target. */
TEST(a_cycle_through_a_target_is_found) {
    sq_queue_t *target = make("target", NULL);
    cycle_t cycle = { .child = make("child", target), .other = make("other", NULL), .in_target = LATCH_INIT, .in_other = LATCH_INIT };
    CHECK_EQUAL(sq_async(target, from_target, &cycle), 0);
    CHECK_EQUAL(sq_async(cycle.child, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async(cycle.other, from_other, &cycle), 0);
    drain(target);
    drain(cycle.other);
    CHECK_EQUAL(cycle.errors[0] + cycle.errors[1], EDEADLK);
    sq_queue_release(target);
    sq_queue_release(cycle.child);
    sq_queue_release(cycle.other);
}

TEST(a_wait_ends_at_its_deadline_in_either_queue) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    hold_t hold = HOLD_INIT;
    size_t count = 0;
    hold_async(&hold, target);
    CHECK_EQUAL(sq_sync_until(child, sq_deadline(1000000), add_one, &count), ETIMEDOUT); /* waits for the target */
    CHECK_EQUAL(sq_sync_until(child, SQ_NOW, add_one, &count), EAGAIN);
    CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    CHECK_EQUAL(sq_sync_until(child, sq_deadline(1000000), add_one, &count), ETIMEDOUT); /* waits for the child */
    hold_end(&hold);
    drain(child);
    CHECK_EQUAL(count, 1);
    sq_queue_release(target);
    sq_queue_release(child);
}

/* Suspending and ending */

TEST(a_suspension_of_the_target_holds_its_queues) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    size_t count = 0;
    CHECK_EQUAL(sq_suspend(target), 0);
    CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    CHECK_EQUAL(sq_sync_until(child, sq_deadline(1000000), add_one, &count), ETIMEDOUT);
    CHECK_EQUAL(sq_resume(target), 0);
    drain(child);
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(sq_suspend(child), 0);
    CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    drain(target); /* is not held by its queue */
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(sq_resume(child), 0);
    drain(child);
    CHECK_EQUAL(count, 2);
    sq_queue_release(target);
    sq_queue_release(child);
}

static void bump(void *latch) { latch_bump(latch); }

TEST(released_queues_run_what_they_have) {
    latch_t latch = LATCH_INIT;
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    sq_queue_release(target);
    for (int i = 0; i < 200; i += 1) {
        CHECK_EQUAL(sq_async(child, bump, &latch), 0);
    }
    sq_queue_release(child);
    latch_wait(&latch, 200);
}

static void shut_down(sq_shutdown_mode_t mode) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    hold_t hold = HOLD_INIT;
    size_t count = 0;
    hold_async(&hold, target);
    CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    CHECK_EQUAL(sq_shutdown(target, mode, SQ_NOW), ETIMEDOUT);
    hold_end(&hold);
    CHECK_EQUAL(sq_shutdown(target, mode, SQ_FOREVER), 0);
    drain(child);
    CHECK_EQUAL(count, 1);
    for (int i = 0; i < 200; i += 1) {
        CHECK_EQUAL(sq_async(child, add_one, &count), 0);
    }
    CHECK_EQUAL(sq_sync(child, add_one, &count), 0);
    CHECK_EQUAL(count, 202);
    sq_queue_release(target);
    CHECK_EQUAL(sq_shutdown(child, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_sync(child, add_one, &count), ESHUTDOWN);
    CHECK_EQUAL(sq_sync_or_run(child, add_one, &count), 0);
    CHECK_EQUAL(count, 203);
    sq_queue_release(child);
}

/* To see it fail: in run_batch return without a post, if it does not run. */
TEST(after_the_end_of_the_target_its_queues_run_on) {
    shut_down(SQ_SHUTDOWN_DRAIN);
    shut_down(SQ_SHUTDOWN_DISCARD);
}

static void discard(void *count) { *(size_t *)count += 1000; }

TEST(a_queue_can_be_shut_down_before_its_target) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    size_t count = 0;
    CHECK_EQUAL(sq_suspend(target), 0);
    CHECK_EQUAL(sq_async_task(child, &(sq_task_t){ add_one, &count, discard }), 0);
    CHECK_EQUAL(sq_shutdown(child, SQ_SHUTDOWN_DISCARD, SQ_NOW), ETIMEDOUT);
    CHECK_EQUAL(sq_resume(target), 0);
    CHECK_EQUAL(sq_shutdown(child, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(count, 1000);
    sq_queue_release(child);
    sq_queue_release(target);
}

/* Other calls */

TEST(timers_groups_and_capacity) {
    scene_t scene = make_scene();
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.target = scene.target;
    options.capacity = 1;
    sq_queue_t *bounded = sq_queue_create("bounded", &options);
    size_t count = 0;
    CHECK_EQUAL(sq_async_after(scene.a, 1000, add_one, &count), 0);
    sq_pool_advance(scene.pool, 999);
    CHECK_EQUAL(count, 0);
    sq_pool_advance(scene.pool, 1);
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(sq_async(bounded, add_one, &count), 0);
    CHECK_EQUAL(sq_async(bounded, add_one, &count), EAGAIN);
    sq_group_t *group = sq_group_create("group");
    CHECK_EQUAL(sq_group_async(group, scene.b, add_one, &count), 0);
    sq_pool_run(scene.pool);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), 0);
    CHECK_EQUAL(count, 3);
    sq_group_release(group);
    sq_queue_release(bounded);
    release_scene(&scene);
}


TEST(a_concurrent_target_runs_several_queues_at_a_time) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.width = 4;
    options.pool = sq_pool_create("pool", NULL);
    sq_queue_t *target = sq_queue_create("target", &options), *a = make("a", target), *b = make("b", target);
    hold_t one = HOLD_INIT, two = HOLD_INIT;
    hold_async(&one, a);
    hold_async(&two, b); /* both have entered */
    hold_end(&one);
    hold_end(&two);
    size_t count = 0;
    CHECK_EQUAL(sq_sync(a, add_one, &count), 0);
    CHECK_EQUAL(count, 1);
    sq_queue_release(target);
    sq_queue_release(a);
    sq_queue_release(b);
    sq_pool_release(options.pool);
}

TEST(a_target_is_set_before_the_first_submission) {
    sq_queue_t *target = make("target", NULL), *queue = make("queue", NULL), *used = make("used", NULL), *suspended = make("suspended", NULL);
    size_t count = 0;
    CHECK_EQUAL(sq_queue_set_target(queue, target), 0);
    CHECK_EQUAL(sq_queue_set_target(target, queue), EINVAL);
    CHECK_EQUAL(sq_queue_set_target(queue, queue), EINVAL);
    CHECK_EQUAL(sq_queue_set_target(queue, used), 0); /* in place of the other */
    CHECK_EQUAL(sq_queue_set_target(queue, target), 0);
    CHECK_EQUAL(sq_suspend(suspended), 0);
    CHECK_EQUAL(sq_queue_set_target(suspended, target), 0);
    CHECK_EQUAL(sq_async(suspended, add_one, &count), 0);
    CHECK_EQUAL(sq_resume(suspended), 0);
    drain(suspended);
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(sq_sync(used, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_queue_set_target(used, target), EBUSY);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_queue_set_target(queue, used), EBUSY);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create_manual("manual");
    sq_queue_t *pooled = sq_queue_create("pooled", &options);
    CHECK_EQUAL(sq_queue_set_target(pooled, target), EINVAL);
    options.target = target;
    CHECK(sq_queue_create("both", &options) == NULL && errno == EINVAL);
    sq_queue_release(pooled);
    sq_pool_release(options.pool);
    sq_queue_release(queue);
    sq_queue_release(used);
    sq_queue_release(suspended);
    sq_queue_release(target);
}

TEST(without_memory_no_queue_is_made_and_no_task_is_lost) {
    sq_queue_t *target = make("target", NULL);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.target = target;
    for (uint64_t nth = 1; nth <= 3; nth += 1) {
        fail_nth(FAIL_ALLOCATION, nth, false);
        CHECK(sq_queue_create("child", &options) == NULL && errno == ENOMEM);
        CHECK_EQUAL(fail_nothing(), 1);
    }
    sq_queue_t *child = make("child", target);
    hold_t hold = HOLD_INIT;
    size_t count = 0;
    hold_async(&hold, target);
    fail_nth(FAIL_ALLOCATION, 1, false);
    CHECK_EQUAL(sq_async(child, add_one, &count), 0); /* the target needs a segment */
    CHECK_EQUAL(fail_nothing(), 1);
    hold_end(&hold);
    drain(child);
    CHECK_EQUAL(count, 1);
    sq_queue_release(target);
    sq_queue_release(child);
}

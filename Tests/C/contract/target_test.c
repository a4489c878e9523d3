/* target_test.c: queues that run their tasks on another queue. */
#include "inject.h"
#include "latch.h"
#include "target.h"

#include "sq_current.h"
#include "sq_group.h"
#include "sq_shutdown.h"
#include "sq_timer.h"
#include "sq_value.h"


enum { CHILDREN = 3, ROUNDS = 2000 };

static char order[64];

static void put(void *letter) { strncat(order, letter, sizeof order - strlen(order) - 1); }

static void submit(sq_queue_t *queue, const char *letter) { CHECK_EQUAL(sq_async(queue, put, (void *)(uintptr_t)letter), 0); }

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

TEST(queues_of_one_target_exclude_each_other) { exclude(make("target", NULL)); }

TEST(the_same_on_a_pool) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_create("pool", NULL);
    exclude(sq_queue_create("target", &options));
    sq_pool_release(options.pool);
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

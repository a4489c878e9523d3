/* concurrent_wait_test.c: a task of a concurrent queue waits for a group or an item that waits behind a barrier of the same queue. The
 * barrier waits for the task, so the wait is refused; waits that can end are not. */
#include "concurrent.h"

typedef enum kind { GROUP, OWNED_GROUP, BARRIER_GROUP, ITEM, DELAYED_ITEM, KINDS } kind_t;

/* A reader, or a barrier, that waits for `member`, which is submitted to its own queue. */
typedef struct scene {
    kind_t kind;
    sq_queue_t *queue;
    sq_group_t *group;
    sq_item_t *item;
    sq_time_t deadline;
    stay_t stay; /* the reader's */
    stay_t *held; /* the member stays here; NULL: it ends at once */
    atomic_int ran;
    int error;
    char report[1024];
} scene_t;

static void run_member(void *context) {
    scene_t *scene = context;
    scene->ran += 1;
    if (scene->held != NULL) {
        stay(scene->held);
    }
}

static void make_scene(scene_t *scene, kind_t kind, sq_queue_t *queue) {
    *scene = (scene_t){ .kind = kind, .queue = queue, .deadline = SQ_FOREVER, .stay = STAY_INIT, .error = -1 };
    scene->group = sq_group_create("members");
    scene->item = sq_item_create("item", &(sq_task_t){ run_member, scene, NULL });
    REQUIRE(scene->group != NULL && scene->item != NULL);
}

static void submit_member(scene_t *scene) {
    switch (scene->kind) {
    case GROUP:
        CHECK_EQUAL(sq_group_async(scene->group, scene->queue, run_member, scene), 0);
        break;
    case OWNED_GROUP:
        CHECK_EQUAL(sq_group_async_task(scene->group, scene->queue, &(sq_task_t){ run_member, scene, must_not_run }), 0);
        break;
    case BARRIER_GROUP:
        CHECK_EQUAL(sq_group_async_barrier_task(scene->group, scene->queue, &(sq_task_t){ run_member, scene, must_not_run }), 0);
        break;
    case ITEM:
        CHECK_EQUAL(sq_item_submit(scene->item, scene->queue), 0);
        break;
    default:
        CHECK_EQUAL(sq_item_submit_after(scene->item, scene->queue, 1), 0);
        break;
    }
}

static int wait_for_member(scene_t *scene, sq_time_t deadline) {
    return scene->kind <= BARRIER_GROUP ? sq_group_wait(scene->group, deadline) : sq_item_wait(scene->item, deadline);
}

static void wait_here(scene_t *scene) {
    scene->error = wait_for_member(scene, scene->deadline);
    snprintf(scene->report, sizeof scene->report, "%s", sq_deadlock_report());
}

/* The task waits as soon as it may leave. */
static void stay_and_wait(void *context) {
    scene_t *scene = context;
    stay(&scene->stay);
    wait_here(scene);
}

/* The member runs in the end: the refused wait has changed nothing. */
static void end_scene(scene_t *scene) {
    CHECK_EQUAL(wait_for_member(scene, SQ_FOREVER), 0);
    CHECK_EQUAL(scene->ran, 1);
    sq_item_release(scene->item);
    sq_group_release(scene->group);
}

static void check_refused(const scene_t *scene) {
    CHECK_EQUAL(scene->error, EDEADLK);
    if (!CHECK(strstr(scene->report, scene->kind <= BARRIER_GROUP ? "waits for group \"members\", which has a task in queue \"concurrent\""
                                                                    : "waits for item \"item\", which is in queue \"concurrent\"")
               != NULL)) {
        note("%s", scene->report);
    }
}

TEST(a_reader_that_waits_for_a_member_behind_a_barrier_is_refused) {
    for (kind_t kind = 0; kind < KINDS; kind += 1) {
        sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
        scene_t scene;
        visitor_t reader = { 0 };
        make_scene(&scene, kind, queue);
        visitor_start(&reader, queue, false, stay_and_wait, &scene);
        latch_wait(&scene.stay.entered, 1);
        CHECK_EQUAL(sq_async_barrier(queue, do_nothing, NULL), 0);
        submit_member(&scene);
        latch_bump(&scene.stay.leave);
        CHECK_EQUAL(visitor_end(&reader), 0);
        check_refused(&scene);
        end_scene(&scene);
        sq_queue_release(queue);
    }
}

/* The wait has begun when the barrier is submitted, and then the member. */
TEST(a_member_that_comes_behind_a_barrier_during_the_wait_refuses_it) {
    for (kind_t kind = 0; kind < KINDS; kind += 1) {
        sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
        scene_t scene;
        visitor_t reader = { 0 };
        make_scene(&scene, kind, queue);
        CHECK_EQUAL(sq_group_enter(scene.group), 0); /* so that the wait begins */
        latch_bump(&scene.stay.leave);
        visitor_start(&reader, queue, false, stay_and_wait, &scene);
        wait_until_asleep(&reader.thread_id);
        CHECK_EQUAL(sq_async_barrier(queue, do_nothing, NULL), 0);
        submit_member(&scene);
        CHECK_EQUAL(visitor_end(&reader), 0);
        check_refused(&scene);
        CHECK_EQUAL(sq_group_leave(scene.group), 0);
        end_scene(&scene);
        sq_queue_release(queue);
    }
}

/* The wait has begun, and the barrier and the member are in the queue, behind a task that waits for width. */
TEST(a_barrier_that_gets_to_the_head_during_the_wait_refuses_it) {
    for (kind_t kind = 0; kind < KINDS; kind += 1) {
        sq_queue_t *queue = make_concurrent(2, 2);
        scene_t scene;
        stay_t first = STAY_INIT;
        visitor_t reader = { 0 };
        make_scene(&scene, kind, queue);
        visitor_start(&reader, queue, false, stay_and_wait, &scene);
        latch_wait(&scene.stay.entered, 1);
        CHECK_EQUAL(sq_async(queue, stay, &first), 0);
        CHECK_EQUAL(sq_async(queue, stay, &first), 0);
        latch_wait(&first.entered, 2);
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_async_barrier(queue, do_nothing, NULL), 0);
        submit_member(&scene);
        latch_bump(&scene.stay.leave);
        wait_until_asleep(&reader.thread_id);
        latch_bump(&first.leave);
        CHECK_EQUAL(visitor_end(&reader), 0);
        check_refused(&scene);
        end_scene(&scene);
        sq_queue_release(queue);
    }
}

/* A barrier that waits for what it has submitted behind itself. */
static void submit_and_wait(void *context) {
    scene_t *scene = context;
    submit_member(scene);
    wait_here(scene);
}

TEST(a_barrier_that_waits_for_a_member_behind_itself_is_refused) {
    for (kind_t kind = 0; kind < KINDS; kind += 1) {
        sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
        scene_t scene;
        make_scene(&scene, kind, queue);
        CHECK_EQUAL(sq_sync_barrier(queue, submit_and_wait, &scene), 0);
        check_refused(&scene);
        end_scene(&scene);
        sq_queue_release(queue);
    }
}

/* The wait of the barrier is refused, as it has the earlier deadline. */
TEST(a_barrier_with_a_deadline_is_refused_before_the_wait_for_a_member) {
    for (kind_t kind = 0; kind < KINDS; kind += 1) {
        if (kind == BARRIER_GROUP) {
            continue; /* the member waits for the reader, too */
        }
        sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
        scene_t scene;
        visitor_t reader = { 0 }, barrier = { .deadline = FAR };
        make_scene(&scene, kind, queue);
        visitor_start(&reader, queue, false, stay_and_wait, &scene);
        latch_wait(&scene.stay.entered, 1);
        visitor_start(&barrier, queue, true, must_not_run, NULL);
        wait_for_depth(queue, 1);
        submit_member(&scene);
        latch_bump(&scene.stay.leave);
        CHECK_EQUAL(visitor_end(&barrier), EDEADLK);
        CHECK_EQUAL(visitor_end(&reader), 0);
        CHECK_EQUAL(scene.error, 0);
        CHECK(strstr(barrier.report, "in queue \"concurrent\"") != NULL);
        end_scene(&scene);
        sq_queue_release(queue);
    }
}

/* A member that runs will end, although a barrier waits for it, too. */
TEST(a_reader_may_wait_for_a_member_that_runs_while_a_barrier_waits) {
    for (kind_t kind = 0; kind < KINDS; kind += 1) {
        if (kind == BARRIER_GROUP) {
            continue; /* no reader runs while it does */
        }
        sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
        scene_t scene;
        stay_t held = STAY_INIT;
        visitor_t reader = { 0 };
        make_scene(&scene, kind, queue);
        CHECK_EQUAL(sq_group_async_barrier_task(scene.group, queue, &(sq_task_t){ do_nothing, NULL, NULL }), 0);
        CHECK_EQUAL(sq_group_wait(scene.group, SQ_FOREVER), 0); /* a member that was a barrier no longer counts as waiting */
        scene.held = &held;
        submit_member(&scene);
        latch_wait(&held.entered, 1);
        visitor_start(&reader, queue, false, stay_and_wait, &scene);
        latch_wait(&scene.stay.entered, 1);
        CHECK_EQUAL(sq_async_barrier(queue, do_nothing, NULL), 0);
        latch_bump(&scene.stay.leave);
        wait_until_asleep(&reader.thread_id);
        CHECK_EQUAL(sq_async_barrier(queue, do_nothing, NULL), 0);
        latch_bump(&held.leave);
        CHECK_EQUAL(visitor_end(&reader), 0);
        CHECK_EQUAL(scene.error, 0);
        end_scene(&scene);
        sq_queue_release(queue);
    }
}

/* A member that has a discard function runs on a concurrent queue as a plain one does. */
static void wait_as_member(void *context) { wait_here(context); }

static void check_own_wait(kind_t kind, int (*submit)(sq_group_t *, sq_queue_t *, const sq_task_t *), bool has_discard) {
    sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL);
    scene_t scene;
    make_scene(&scene, kind, queue);
    CHECK_EQUAL(submit(scene.group, queue, &(sq_task_t){ wait_as_member, &scene, has_discard ? must_not_run : NULL }), 0);
    CHECK_EQUAL(sq_group_wait(scene.group, SQ_FOREVER), 0);
    check_refused(&scene);
    scene.ran = 1;
    sq_group_release(scene.group);
    sq_item_release(scene.item);
    sq_queue_release(queue);
}

TEST(a_member_that_waits_for_its_own_group_is_refused) {
    check_own_wait(OWNED_GROUP, sq_group_async_task, true);
    check_own_wait(BARRIER_GROUP, sq_group_async_barrier_task, true);
    check_own_wait(BARRIER_GROUP, sq_group_async_barrier_task, false);
}

/* Barriers that are members run alone, take room, and leave when they are discarded. */
TEST(a_barrier_can_be_a_member_of_a_group) {
    sq_queue_t *queue = make_concurrent(2, SQ_WIDTH_POOL), *serial = make_queue_of("serial", 0);
    sq_group_t *group = sq_group_create("barriers");
    stay_t first = STAY_INIT, alone = STAY_INIT;
    size_t ran = 0, discarded = 0;
    sq_task_t counts = { add_one, &ran, NULL };
    REQUIRE(group != NULL);
    CHECK_EQUAL(sq_group_async_barrier_task(group, queue, &(sq_task_t){ NULL, NULL, add_one }), EINVAL);
    CHECK_EQUAL(sq_group_async_barrier_pair(group, queue, NULL, NULL, NULL), EINVAL);
    CHECK_EQUAL(sq_group_async_pair(group, queue, NULL, NULL, NULL), EINVAL);
    CHECK_EQUAL(sq_async(queue, stay, &first), 0);
    latch_wait(&first.entered, 1);
    CHECK_EQUAL(sq_group_async_barrier_task(group, queue, &(sq_task_t){ stay, &alone, NULL }), 0);
    CHECK_EQUAL(sq_group_async(group, queue, add_one, &ran), 0);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN); /* behind the barrier */
    latch_bump(&first.leave);
    latch_wait(&alone.entered, 1);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(ran, 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), EAGAIN);
    latch_bump(&alone.leave);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 1);
    CHECK_EQUAL(sq_group_async_barrier_task(group, serial, &counts), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(ran, 2);
    CHECK_EQUAL(sq_suspend(queue), 0);
    CHECK_EQUAL(sq_group_async_barrier_task(group, queue, &(sq_task_t){ must_not_run, &discarded, add_one }), 0);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    CHECK_EQUAL(discarded, 1);
    CHECK_EQUAL(sq_group_async_barrier_task(group, queue, &counts), ESHUTDOWN);
    CHECK_EQUAL(sq_group_wait(group, SQ_NOW), 0);
    sq_queue_release(queue);
    sq_queue_release(serial);
    sq_group_release(group);
}

/* On the test's own thread, so that nothing else decides when it starts. */
TEST(a_barrier_that_is_a_member_waits_for_readers) {
    sq_pool_t *pool = sq_pool_create_manual("manual");
    REQUIRE(pool != NULL);
    sq_queue_t *queue = make_concurrent_on(pool, 4);
    sq_group_t *group = sq_group_create("barriers");
    stay_t inside = STAY_INIT;
    visitor_t reader = { 0 };
    size_t ran = 0;
    visitor_start(&reader, queue, false, stay, &inside);
    latch_wait(&inside.entered, 1);
    CHECK_EQUAL(sq_group_async_barrier_task(group, queue, &(sq_task_t){ add_one, &ran, NULL }), 0);
    CHECK_EQUAL(sq_pool_run(pool), 0);
    CHECK_EQUAL(ran, 0);
    latch_bump(&inside.leave);
    CHECK_EQUAL(visitor_end(&reader), 0);
    CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0); /* runs the pool */
    CHECK_EQUAL(ran, 1);
    sq_queue_release(queue);
    sq_group_release(group);
    sq_pool_release(pool);
}

/* Its room comes back when it starts. */
TEST(a_barrier_that_is_a_member_takes_room) {
    sq_pool_t *pool = sq_pool_create("pool", NULL);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    options.width = 4;
    options.capacity = 1;
    sq_queue_t *queue = sq_queue_create("full", &options);
    sq_group_t *group = sq_group_create("barriers");
    size_t ran = 0;
    sq_task_t counts = { add_one, &ran, NULL };
    REQUIRE(pool != NULL && queue != NULL && group != NULL);
    sq_pool_release(pool);
    for (size_t round = 1; round <= 3; round += 1) {
        CHECK_EQUAL(sq_suspend(queue), 0);
        CHECK_EQUAL(sq_group_async_barrier_task(group, queue, &counts), 0);
        CHECK_EQUAL(sq_group_async_barrier_task(group, queue, &counts), EAGAIN);
        CHECK_EQUAL(sq_resume(queue), 0);
        CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
        CHECK_EQUAL(ran, round);
    }
    sq_queue_release(queue);
    sq_group_release(group);
}

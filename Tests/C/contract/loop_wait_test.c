/* loop_wait_test.c: the owner of a loop waits for groups and items. It runs those of their tasks that are on its own loops. */
#include "loop.h"

#include "fork.h"
#include "sq_group.h"
#include "sq_item.h"

typedef struct scene {
    sq_pool_t *pool, *second; /* two loops of this thread */
    sq_queue_t *main, *other; /* on the first */
    sq_queue_t *third;        /* on the second */
    sq_queue_t *work;         /* on a thread of its own */
    sq_group_t *group;
    sq_item_t *item;
    hold_t hold;
    size_t ran;
} scene_t;

static scene_t make_scene(void) {
    scene_t scene = { .pool = make_loop_pool(), .second = make_loop_pool() };
    WHATEVER(sq_pool_run_some(scene.pool, 1, SQ_NOW));
    WHATEVER(sq_pool_run_some(scene.second, 1, SQ_NOW));
    scene.main = queue_on(scene.pool, "main", 0);
    scene.other = queue_on(scene.pool, "other", 0);
    scene.third = queue_on(scene.second, "third", 0);
    scene.work = make_queue_of("work", 0);
    scene.group = sq_group_create("members");
    REQUIRE(scene.group != NULL);
    begin();
    return scene;
}

static void end_scene(scene_t *scene) {
    drain(scene->work);
    sq_queue_release(scene->work);
    sq_group_release(scene->group);
    end(scene->second, scene->third, NULL);
    end(scene->pool, scene->main, scene->other);
}

static void add_member(const scene_t *scene, sq_queue_t *queue, int number) {
    CHECK_EQUAL(sq_group_async(scene->group, queue, write_entry, &numbers[number]), 0);
}

typedef struct chain {
    scene_t *scene;
    sq_queue_t *late; /* on a manual pool */
} chain_t;

static void submit_late(void *context) {
    const chain_t *chain = context;
    CHECK_EQUAL(sq_group_async(chain->scene->group, chain->late, add_one, &chain->scene->ran), 0);
}

TEST(a_member_on_a_loop_submits_one_on_a_manual_pool) {
    scene_t scene = make_scene();
    sq_pool_t *manual = sq_pool_create_manual("clock");
    chain_t chain = { &scene, queue_on(manual, "late", 0) };
    CHECK_EQUAL(sq_group_async(scene.group, scene.main, submit_late, &chain), 0);
    CHECK_EQUAL(sq_group_wait(scene.group, SQ_FOREVER), 0);
    CHECK_EQUAL(scene.ran, 1);
    sq_queue_release(chain.late);
    sq_pool_release(manual);
    end_scene(&scene);
}

static sq_item_t *make_item(int number) {
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ write_entry, &numbers[number], NULL });
    REQUIRE(item != NULL);
    return item;
}

/* The journal is the owner's: a member on another thread counts elsewhere. */
static void count_run(void *context) {
    scene_t *scene = context;
    scene->ran += 1;
}

TEST(the_owners_wait_for_a_group_runs_the_queues_of_its_members_on_all_of_its_loops) {
    scene_t scene = make_scene();
    submit(scene.main, 1);
    add_member(&scene, scene.main, 2);
    submit(scene.main, 3);
    submit(scene.other, 9);
    CHECK_EQUAL(sq_group_wait(scene.group, SQ_NOW), EAGAIN);
    CHECK_EQUAL(journal.count, 0);
    CHECK_EQUAL(sq_group_wait(scene.group, SQ_FOREVER), 0);
    CHECK_JOURNAL(1, 2);
    add_member(&scene, scene.main, 4);
    add_member(&scene, scene.third, 5);
    CHECK_EQUAL(sq_group_async(scene.group, scene.work, count_run, &scene), 0);
    CHECK_EQUAL(sq_group_wait(scene.group, FAR), 0);
    CHECK_EQUAL(scene.ran, 1);
    CHECK_EQUAL(journal.count, 5);
    CHECK_EQUAL(sq_pool_run_some(scene.pool, SIZE_MAX, SQ_NOW), 1);
    CHECK_EQUAL(journal.entries[5], 9);
    end_scene(&scene);
}

TEST(the_owners_wait_for_an_item_runs_its_queue) {
    scene_t scene = make_scene();
    sq_item_t *item = make_item(2), *delayed = make_item(3);
    submit(scene.main, 1);
    submit(scene.other, 9);
    CHECK_EQUAL(sq_item_submit(item, scene.main), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_NOW), EAGAIN);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_item_submit_after(delayed, scene.main, 1000000), 0);
    CHECK_EQUAL(sq_item_wait(delayed, SQ_FOREVER), 0);
    CHECK_JOURNAL(1, 2, 3);
    CHECK_EQUAL(sq_pool_run_some(scene.pool, SIZE_MAX, SQ_NOW), 1);
    sq_item_release(item);
    sq_item_release(delayed);
    end_scene(&scene);
}

typedef struct foreign {
    sq_pool_t *pool;
    sq_queue_t *queue;
    const atomic_int *waits; /* the thread that waits for the item */
    latch_t made;
} foreign_t;

static void *own_another_loop(void *argument) {
    foreign_t *foreign = argument;
    foreign->pool = make_loop_pool();
    WHATEVER(sq_pool_run_some(foreign->pool, 1, SQ_NOW)); /* its owner from now on */
    foreign->queue = queue_on(foreign->pool, "foreign", 0);
    latch_bump(&foreign->made);
    latch_wait(&foreign->made, 2);
    wait_until_asleep(foreign->waits);
    CHECK_EQUAL(sq_pool_run_some(foreign->pool, SIZE_MAX, FAR), 1);
    sq_queue_release(foreign->queue);
    sq_pool_release(foreign->pool);
    return NULL;
}

/* Waits for an item, or for a group, with a task on the loop of another thread. */
static void wait_for_foreign(bool is_item) {
    scene_t scene = make_scene();
    const atomic_int self = gettid();
    place_t place = { .count = 0 };
    foreign_t foreign = { .waits = &self, .made = LATCH_INIT };
    pthread_t other = spawn(own_another_loop, &foreign);
    latch_wait(&foreign.made, 1);
    sq_item_t *item = sq_item_create("foreign", &(sq_task_t){ note_place, &place, NULL });
    if (is_item) {
        CHECK_EQUAL(sq_item_submit(item, foreign.queue), 0);
    } else {
        CHECK_EQUAL(sq_group_async(scene.group, foreign.queue, note_place, &place), 0);
    }
    latch_bump(&foreign.made);
    CHECK_EQUAL(is_item ? sq_item_wait(item, FAR) : sq_group_wait(scene.group, FAR), 0);
    CHECK_EQUAL(place.count, 1);
    CHECK(pthread_equal(place.thread, other));
    join(other);
    sq_item_release(item);
    end_scene(&scene);
}

TEST(the_owners_wait_does_not_run_an_item_on_the_loop_of_another_thread) { wait_for_foreign(true); }

TEST(the_owners_wait_does_not_run_a_member_on_the_loop_of_another_thread) { wait_for_foreign(false); }

/* Owns a loop, and waits for the thread that waits for the item. */
typedef struct bystander {
    sq_queue_t *held;
    atomic_int thread_id;
    int error;
} bystander_t;

static void *own_a_loop_and_wait(void *argument) {
    bystander_t *bystander = argument;
    sq_pool_t *pool = make_loop_pool();
    CHECK_EQUAL(sq_pool_own(pool), 0);
    bystander->thread_id = gettid();
    bystander->error = sq_sync(bystander->held, do_nothing, NULL);
    sq_pool_release(pool);
    return NULL;
}

typedef struct holder {
    bystander_t bystander;
    pthread_t thread; /* of the bystander */
    foreign_t foreign;
    sq_item_t *item;
    int error;
} holder_t;

static void wait_for_item_inside(void *context) {
    holder_t *holder = context;
    holder->thread = spawn(own_a_loop_and_wait, &holder->bystander);
    wait_until_asleep(&holder->bystander.thread_id);
    latch_bump(&holder->foreign.made);
    holder->error = sq_item_wait(holder->item, FAR);
}

TEST(a_wait_for_an_item_needs_no_loop_but_the_items) {
    const atomic_int self = gettid();
    place_t place = { .count = 0 };
    holder_t holder = { .bystander.held = make_queue_of("held", 0), .foreign = { .waits = &self, .made = LATCH_INIT }, .error = -1 };
    pthread_t other = spawn(own_another_loop, &holder.foreign);
    latch_wait(&holder.foreign.made, 1);
    holder.item = sq_item_create("foreign", &(sq_task_t){ note_place, &place, NULL });
    CHECK_EQUAL(sq_item_submit(holder.item, holder.foreign.queue), 0);
    CHECK_EQUAL(sq_sync(holder.bystander.held, wait_for_item_inside, &holder), 0);
    CHECK_EQUAL(holder.error, 0);
    join(other);
    join(holder.thread);
    CHECK_EQUAL(holder.bystander.error, 0);
    CHECK_EQUAL(place.count, 1);
    sq_item_release(holder.item);
    sq_queue_release(holder.bystander.held);
}

TEST(the_owners_wait_for_a_queue_with_a_target_runs_no_other_queue_of_the_loop) {
    scene_t scene = make_scene();
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.target = scene.main;
    sq_queue_t *queue = sq_queue_create("on a target", &options);
    CHECK_EQUAL(sq_suspend(queue), 0);
    submit(scene.other, 1);
    CHECK_EQUAL(sq_sync_until(queue, sq_deadline(1000000), must_not_run, NULL), ETIMEDOUT);
    CHECK_EQUAL(journal.count, 0);
    CHECK_EQUAL(sq_resume(queue), 0);
    CHECK_EQUAL(sq_pool_run_some(scene.pool, SIZE_MAX, SQ_NOW), 1);
    CHECK_JOURNAL(1);
    sq_queue_release(queue);
    end_scene(&scene);
}

static void add_another(void *context) {
    const scene_t *scene = context;
    add_member(scene, scene->main, 1);
    add_member(scene, scene->third, 2);
}

static void *submit_item(void *context) {
    const scene_t *scene = context;
    CHECK_EQUAL(sq_item_submit(scene->item, scene->main), 0);
    return NULL;
}

static void *run_members_of_work(void *context) {
    scene_t *scene = context;
    hold_end(&scene->hold);
    return NULL;
}

TEST(what_is_submitted_to_a_loop_while_its_owner_waits_is_run_by_the_wait) {
    for (size_t i = 0; i < scaled(500); i += 1) {
        scene_t scene = make_scene();
        scene.hold = (hold_t)HOLD_INIT;
        hold_async(&scene.hold, scene.work);
        CHECK_EQUAL(sq_group_async(scene.group, scene.work, add_another, &scene), 0);
        pthread_t thread = spawn(run_members_of_work, &scene);
        CHECK_EQUAL(sq_group_wait(scene.group, SQ_FOREVER), 0);
        CHECK_EQUAL(journal.count, 2);
        join(thread);
        scene.item = make_item(3);
        thread = spawn(submit_item, &scene);
        CHECK_EQUAL(sq_item_wait(scene.item, SQ_FOREVER), 0);
        CHECK_EQUAL(journal.count, 3);
        join(thread);
        sq_item_release(scene.item);
        end_scene(&scene);
    }
}

static void come_again(void *context) {
    scene_t *scene = context;
    scene->ran += 1;
    CHECK_EQUAL(sq_group_async(scene->group, scene->main, come_again, scene), 0);
}

TEST(the_deadline_ends_a_wait_that_has_always_something_to_run) {
    scene_t scene = make_scene();
    sq_queue_t *behind = queue_on(scene.pool, "behind", 0);
    CHECK_EQUAL(sq_suspend(behind), 0);
    CHECK_EQUAL(sq_group_async(scene.group, scene.main, come_again, &scene), 0);
    add_member(&scene, behind, 1);
    CHECK_EQUAL(sq_group_wait(scene.group, sq_deadline(1000000)), ETIMEDOUT);
    CHECK(scene.ran > 0);
    CHECK_EQUAL(sq_shutdown(scene.main, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_resume(behind), 0);
    CHECK_EQUAL(sq_group_wait(scene.group, SQ_FOREVER), 0);
    sq_queue_release(behind);
    end_scene(&scene);
}

static void wait_for_members(void *context) {
    scene_t *scene = context;
    add_member(scene, scene->other, 1);
    CHECK_EQUAL(sq_group_wait(scene->group, SQ_FOREVER), 0);
    CHECK(sq_is_current(scene->main));
    write_entry(&numbers[2]);
}

static void wait_behind_itself(void *context) {
    scene_t *scene = context;
    add_member(scene, scene->main, 4);
    CHECK_EQUAL(sq_group_wait(scene->group, SQ_FOREVER), EDEADLK);
    CHECK(strstr(sq_deadlock_report(), "waits for group \"members\", which has a task in queue \"main\"") != NULL);
    write_entry(&numbers[3]);
}

TEST(a_task_of_a_loop_waits_for_members_on_another_queue_of_it_but_not_for_one_behind_itself) {
    scene_t scene = make_scene();
    CHECK_EQUAL(sq_async(scene.main, wait_for_members, &scene), 0);
    CHECK_EQUAL(sq_async(scene.main, wait_behind_itself, &scene), 0);
    run_until(scene.pool, 3);
    CHECK_JOURNAL(1, 2, 3, 4);
    end_scene(&scene);
}

static void fork_in_member(void *context) { CHECK(!fork_and_return(context) || *(int *)context == -1); }

TEST(a_member_that_the_owners_wait_runs_can_fork) {
    if (fork_left_out()) {
        return;
    }
    scene_t scene = make_scene();
    int status = 0;
    CHECK_EQUAL(sq_group_async(scene.group, scene.main, fork_in_member, &status), 0);
    int error = sq_group_wait(scene.group, SQ_FOREVER);
    if (status == -1) {
        _exit(error == ESTALE ? 0 : 1);
    }
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(error, 0);
    end_scene(&scene);
}

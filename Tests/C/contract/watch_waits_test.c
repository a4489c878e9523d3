/* watch_waits_test.c: a task that waits too long is reported with the label of what it waits for. */
#include "stall_watcher.h"

typedef struct waiting {
    sq_queue_t *other;
    atomic_int thread_id;
} waiting_t;

static void wait_for_other(void *context) {
    waiting_t *waiting = context;
    waiting->thread_id = gettid();
    CHECK_EQUAL(sq_sync(waiting->other, do_nothing, NULL), 0);
}

TEST(a_task_that_waits_for_another_queue_is_reported_with_its_label) {
    sq_queue_t *queue = make_queue_of("waiting", 0);
    waiting_t waiting = { make_queue_of("com.example.awaited", 0), 0 };
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    hold_t hold;
    hold_async(&hold, waiting.other);
    CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
    drain(queue);
    watch(queue, &ward, 1000 * SHORT); /* long enough for it to fall asleep */
    CHECK_EQUAL(sq_async(queue, wait_for_other, &waiting), 0);
    latch_wait(&ward.calls, 1);
    CHECK_EQUAL(ward.last[0].kind, SQ_STALL_RUNNING);
    CHECK_EQUAL(ward.last[0].thread_id, waiting.thread_id);
    CHECK_STRING(ward.waits_for[0], "com.example.awaited");
    hold_end(&hold);
    drain(queue);
    sq_queue_release(queue);
    sq_queue_release(waiting.other);
    latch_wait(&ward.discarded, 1);
}

static void wait_for_members(void *context) {
    CHECK_EQUAL(sq_group_wait(context, SQ_FOREVER), 0);
}

TEST(a_task_that_waits_for_an_object_without_a_label_is_reported_with_where_that_was_made) {
    sq_queue_t *queue = make_queue_of("waiting", 0);
    sq_group_t *group = sq_group_create(NULL);
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    CHECK_EQUAL(sq_group_enter(group), 0);
    watch(queue, &ward, 500 * SHORT); /* long enough for it to fall asleep */
    CHECK_EQUAL(sq_async(queue, wait_for_members, group), 0);
    latch_wait(&ward.calls, 1);
    const char made[] = "made by a_task_that_waits_for_an_object";
    CHECK(strncmp(ward.waits_for[0], made, sizeof made - 1) == 0);
    CHECK_EQUAL(sq_group_leave(group), 0);
    drain(queue);
    sq_group_release(group);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
}

static atomic_int sleeper;

static void sleep_for_members(void *group) {
    sleeper = gettid();
    wait_for_members(group);
}

/* As long as the names of C++ templates are. */
static __attribute__((noinline)) sq_group_t *
make_a_group_in_a_function_whose_name_is_so_long_that_a_short_buffer_has_no_room_for_its_file_and_for_the_address_in_that_file(void) {
    sq_group_t *group = sq_group_create(NULL);
    CHECK_EQUAL(sq_group_enter(group), 0);
    return group;
}

TEST(where_an_object_was_made_has_its_address_behind_a_long_name_of_a_function) {
    sq_queue_t *queue = make_queue_of("waiting", 0);
    sq_group_t *group = make_a_group_in_a_function_whose_name_is_so_long_that_a_short_buffer_has_no_room_for_its_file_and_for_the_address_in_that_file();
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    watch(queue, &ward, HOURS);
    CHECK_EQUAL(sq_async(queue, sleep_for_members, group), 0);
    wait_until_asleep(&sleeper);
    watch(queue, &ward, SHORT);
    latch_wait(&ward.calls, 1);
    const char *made = ward.waits_for[0], address[] = "made by 0x"; /* where functions have no names */
    if (!CHECK(strncmp(made, address, sizeof address - 1) == 0 || strstr(made, " (watch_waits_test+0x") != NULL)) {
        note("%s", made);
    }
    CHECK_EQUAL(sq_group_leave(group), 0);
    drain(queue);
    sq_group_release(group);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 2);
}

TEST(of_several_tasks_that_wait_each_is_reported_with_what_it_waits_for) {
    enum { ANOTHER, OLDER, NEWER, OF_GROUP, PLAIN, QUEUES };
    const char *const labels[QUEUES] = { "com.example.another", "com.example.awaited", "com.example.awaited", "members", "" };
    sq_queue_t *another = make_queue_of("com.example.another", 0), *awaited = make_queue_of("com.example.awaited", 0);
    sq_group_t *group = sq_group_create("members");
    waiting_t waiting[] = { { another, 0 }, { awaited, 0 }, { awaited, 0 } };
    sq_queue_t *queues[QUEUES];
    stall_watcher_t wards[QUEUES];
    runner_t runner = { 0, LATCH_INIT, LATCH_INIT };
    hold_t holds[2];
    hold_async(&holds[0], another);
    hold_async(&holds[1], awaited);
    CHECK_EQUAL(sq_group_enter(group), 0);
    for (int i = 0; i < QUEUES; i += 1) {
        queues[i] = make_queue_of("waiting", 0);
        wards[i] = (stall_watcher_t)STALL_WATCHER_OF_RUNNING_INIT;
        watch(queues[i], &wards[i], 500 * SHORT); /* long enough for all to fall asleep */
        if (i < OF_GROUP) {
            CHECK_EQUAL(sq_async(queues[i], wait_for_other, &waiting[i]), 0);
            wait_until_asleep(&waiting[i].thread_id); /* so NEWER comes after OLDER */
        } else if (i == OF_GROUP) {
            CHECK_EQUAL(sq_async(queues[i], wait_for_members, group), 0);
        } else { /* after a report with a label */
            latch_wait(&wards[OF_GROUP].calls, 1);
            CHECK_EQUAL(sq_async(queues[i], run_long, &runner), 0);
        }
    }
    for (int i = 0; i < QUEUES; i += 1) {
        latch_wait(&wards[i].calls, 1);
        CHECK_STRING(wards[i].waits_for[0], labels[i]);
    }
    hold_end(&holds[0]);
    hold_end(&holds[1]);
    CHECK_EQUAL(sq_group_leave(group), 0);
    latch_bump(&runner.leave);
    for (int i = 0; i < QUEUES; i += 1) {
        drain(queues[i]);
        sq_queue_release(queues[i]);
        latch_wait(&wards[i].discarded, 1);
    }
    sq_queue_release(another);
    sq_queue_release(awaited);
    sq_group_release(group);
}

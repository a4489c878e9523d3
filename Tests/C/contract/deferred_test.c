/* deferred_test.c: tasks that wait for room without blocking a thread, and jobs, which need no room. */
#include "deferred.h"
#include "inject.h"

#include <string.h>

TEST(where_there_is_room_a_deferred_task_is_submitted_at_once) {
    const size_t capacities[] = { 0, 1, 3 };
    for (size_t c = 0; c < 3; c += 1) {
        sq_queue_t *queue = make_queue_of("room", capacities[c]);
        item_t item;
        item_init(&item, queue, NULL, 1);
        CHECK_EQUAL(sq_async_deferred(queue, &item.task), 0);
        CHECK(!sq_async_withdraw(queue, &item.task));
        drain(queue);
        check_item(&item, 0, 0, 1, 0);
        sq_queue_release(queue);
    }
}

TEST(a_deferred_task_that_was_accepted_does_not_need_its_struct_any_more) {
    const size_t capacities[] = { 0, 3 };
    for (size_t c = 0; c < 2; c += 1) {
        sq_queue_t *queue = make_queue_of("accepted", capacities[c]);
        hold_t hold;
        item_t item;
        hold_async(&hold, queue);
        item_init(&item, queue, NULL, 1);
        sq_deferred_t task = item.task;
        CHECK_EQUAL(sq_async_deferred(queue, &task), 0);
        CHECK(!sq_async_cancel(queue, &task));
        memset(&task, 0xAA, sizeof task);
        hold_end(&hold);
        drain(queue);
        check_item(&item, 0, 0, 1, 0);
        sq_queue_release(queue);
    }
}

TEST(a_deferred_task_without_a_function_is_refused_and_does_not_wait_for_room) {
    const size_t capacities[] = { 0, 1 };
    for (size_t c = 0; c < 2; c += 1) {
        sq_queue_t *queue = make_queue_of("nothing", capacities[c]);
        size_t ran = 0;
        hold_t hold;
        item_t item;
        item_init(&item, queue, NULL, 1);
        item.task.call = NULL;
        fill(queue, &hold, 1, &ran);
        CHECK_EQUAL(sq_async_deferred(queue, &item.task), EINVAL);
        hold_end(&hold);
        drain(queue);
        check_item(&item, 0, 0, 0, 0);
        CHECK_EQUAL(ran, 1);
        CHECK_EQUAL(stats_now(queue).rejected, 1);
        sq_queue_release(queue);
    }
}

TEST(room_goes_to_deferred_tasks_and_threads_in_one_order) {
    sq_queue_t *queue = make_queue_of("full", 1);
    journal_t journal = { 0 };
    size_t ran = 0;
    hold_t hold;
    item_t items[5];
    fill(queue, &hold, 1, &ran);
    for (int i = 0; i < 5; i += 1) {
        item_init(&items[i], queue, &journal, i);
    }
    CHECK_EQUAL(sq_async_deferred(queue, &items[0].task), EINPROGRESS);
    CHECK_EQUAL(sq_async_deferred(queue, &items[1].task), EINPROGRESS);
    caller_t caller;
    entry_t entry = { &journal, 99 };
    caller_start(&caller, BY_ROOM, queue, SQ_FOREVER, write_entry, &entry);
    wait_until_asleep(&caller.thread_id);
    for (int i = 2; i < 5; i += 1) {
        CHECK_EQUAL(sq_async_deferred(queue, &items[i].task), EINPROGRESS);
    }
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), EAGAIN);
    CHECK_EQUAL(sq_queue_depth(queue), 1);
    hold_end(&hold);
    CHECK_EQUAL(caller_end(&caller), 0);
    while (items[4].decided == 0) {
        sched_yield();
    }
    drain(queue);
    const int expected[] = { 0, 1, 99, 2, 3, 4 };
    CHECK_EQUAL(journal.count, 6);
    for (size_t i = 0; i < 6; i += 1) {
        CHECK_EQUAL(journal.entries[i], expected[i]);
    }
    for (size_t i = 0; i < 5; i += 1) {
        check_item(&items[i], 1, 0, 1, 0);
    }
    sq_queue_release(queue);
}

/* Withdraws the first, the middle, the last and all of the tasks that wait for room: what is left keeps its order. */
TEST(a_withdrawn_task_is_never_called_and_the_line_closes_up) {
    for (unsigned gone = 0; gone < 8; gone += 1) {
        sq_queue_t *queue = make_queue_of("full", 1);
        journal_t journal = { 0 };
        size_t ran = 0;
        hold_t hold;
        item_t items[3], last;
        fill(queue, &hold, 1, &ran);
        for (int i = 0; i < 3; i += 1) {
            item_init(&items[i], queue, &journal, i);
            CHECK_EQUAL(sq_async_deferred(queue, &items[i].task), EINPROGRESS);
        }
        for (unsigned i = 0; i < 3; i += 1) {
            if (gone & 1u << i) {
                CHECK(sq_async_withdraw(queue, &items[i].task));
                CHECK(!sq_async_withdraw(queue, &items[i].task));
            }
        }
        item_init(&last, queue, &journal, 9);
        CHECK_EQUAL(sq_async_deferred(queue, &last.task), EINPROGRESS);
        hold_end(&hold);
        while (last.decided == 0) {
            sched_yield();
        }
        drain(queue);
        size_t count = 0;
        for (unsigned i = 0; i < 3; i += 1) {
            bool is_gone = gone & 1u << i;
            check_item(&items[i], !is_gone, 0, !is_gone, 0);
            CHECK(is_gone || journal.entries[count++] == (int)i);
            CHECK(!sq_async_withdraw(queue, &items[i].task));
        }
        CHECK_EQUAL(journal.entries[count], 9);
        CHECK_EQUAL(journal.count, count + 1);
        sq_queue_release(queue);
    }
}

/* The caller does not fill in the fields that belong to the queue. */
TEST(a_task_that_was_refused_at_once_can_be_withdrawn) {
    sq_queue_t *queue = make_queue_of("shut", 1);
    item_t item;
    item_init(&item, queue, NULL, 1);
    memset(item.task.reserved, 0xAA, sizeof item.task.reserved);
    item.task.call = NULL;
    CHECK_EQUAL(sq_async_deferred(queue, &item.task), EINVAL);
    CHECK(!sq_async_withdraw(queue, &item.task));
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    memset(item.task.reserved, 0xAA, sizeof item.task.reserved);
    item.task.call = item_call;
    CHECK_EQUAL(sq_async_deferred(queue, &item.task), ESHUTDOWN);
    CHECK(!sq_async_withdraw(queue, &item.task));
    check_item(&item, 0, 0, 0, 0);
    sq_queue_release(queue);
}

/* The room that the failed one had goes to the next. */
TEST(a_deferred_task_without_memory_for_its_slot_gets_ENOMEM_and_its_room_goes_to_the_next) {
    enum { CAPACITY = 125 }; /* with the drain's place, a segment's */
    sq_queue_t *queue = make_queue_of("starved", CAPACITY);
    size_t ran = 0;
    hold_t hold;
    item_t items[3];
    fill(queue, &hold, CAPACITY, &ran);
    CHECK_EQUAL(sq_async_job(queue, item_call, &items[0], &items[0].number), 0); /* place 126 of 126 */
    for (int i = 0; i < 3; i += 1) {
        item_init(&items[i], queue, NULL, i);
    }
    CHECK_EQUAL(sq_async_deferred(queue, &items[1].task), EINPROGRESS);
    CHECK_EQUAL(sq_async_deferred(queue, &items[2].task), EINPROGRESS);
    fail_nth(FAIL_ALLOCATION, 1, false);
    hold_end(&hold);
    while (items[2].decided == 0) {
        sched_yield();
    }
    CHECK_EQUAL(fail_nothing(), 1);
    drain(queue);
    check_item(&items[0], 0, 0, 1, 0);
    check_item(&items[1], 1, ENOMEM, 0, 0);
    check_item(&items[2], 1, 0, 1, 0);
    CHECK_EQUAL(ran, CAPACITY);
    sq_queue_release(queue);
}

TEST(a_job_needs_no_room_and_takes_none) {
    sq_queue_t *queue = make_queue_of("full", 1);
    size_t ran = 0;
    hold_t hold;
    item_t items[200], waiting;
    fill(queue, &hold, 1, &ran);
    item_init(&waiting, queue, NULL, 0);
    CHECK_EQUAL(sq_async_deferred(queue, &waiting.task), EINPROGRESS);
    for (int i = 0; i < 200; i += 1) {
        item_init(&items[i], queue, NULL, i);
        CHECK_EQUAL(sq_async_job(queue, item_call, &items[i], &items[i].number), 0);
    }
    hold_end(&hold);
    drain(queue);
    drain(queue); /* the first may have come before the one that waited for room */
    for (int i = 0; i < 200; i += 1) {
        check_item(&items[i], 0, 0, 1, 0);
    }
    check_item(&waiting, 1, 0, 1, 0);
    CHECK_EQUAL(stats_now(queue).rejected, 0);
    /* And the job gave no room back that it had not taken. */
    fill(queue, &hold, 1, &ran);
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), EAGAIN);
    hold_end(&hold);
    drain(queue);
    sq_queue_release(queue);
}

/* A crowd wants one room: each task has exactly one outcome, and no room is lost. */
typedef struct crowd {
    sq_queue_t *queue;
    size_t each;
    atomic_size_t number, withdrawn;
    size_t ran;
} crowd_t;

typedef struct member {
    sq_deferred_t task;
    crowd_t *crowd;
    bool waits;
    atomic_bool decided, ran;
} member_t;

static void member_call(void *first, void *second, bool runs) {
    (void)second;
    CHECK(runs);
    member_t *member = first;
    member->crowd->ran += 1;
    member->ran = true; /* the last use of it */
}

static void member_decided(sq_deferred_t *task, int error) {
    CHECK_EQUAL(error, 0);
    ((member_t *)task)->decided = true;
}

static void *join_crowd(void *argument) {
    crowd_t *crowd = argument;
    random_stream_t random = random_start(60 + atomic_fetch_add(&crowd->number, 1));
    enum { BATCH = 16 };
    member_t members[BATCH];
    for (size_t round = 0; round < crowd->each / BATCH; round += 1) {
        for (size_t i = 0; i < BATCH; i += 1) {
            member_t *member = &members[i], *other = &members[random_below(&random, i + 1)];
            *member = (member_t){ .task = { member_call, member, NULL, member_decided, false, { NULL } }, .crowd = crowd };
            int error = sq_async_deferred(crowd->queue, &member->task);
            CHECK(error == 0 || error == EINPROGRESS);
            member->waits = error == EINPROGRESS;
            if (random_below(&random, 3) == 0 && sq_async_withdraw(crowd->queue, &other->task)) {
                other->decided = other->ran = true;
                atomic_fetch_add(&crowd->withdrawn, 1);
            }
        }
        for (size_t i = 0; i < BATCH; i += 1) {
            while (!members[i].ran || (members[i].waits && !members[i].decided)) {
                sched_yield();
            }
        }
    }
    return NULL;
}

TEST(in_a_crowd_every_deferred_task_runs_or_is_withdrawn) {
    crowd_t crowd = { .queue = make_queue_of("crowd", 2), .each = scaled(20000) / 16 * 16 };
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i += 1) {
        threads[i] = spawn(join_crowd, &crowd);
    }
    for (size_t i = 0; i < 4; i += 1) {
        join(threads[i]);
    }
    drain(crowd.queue);
    CHECK_EQUAL(crowd.ran + crowd.withdrawn, 4 * crowd.each);
    note("%zu ran, %zu were withdrawn", crowd.ran, (size_t)crowd.withdrawn);
    size_t ran = 0;
    hold_t hold;
    fill(crowd.queue, &hold, 2, &ran);
    CHECK_EQUAL(sq_async(crowd.queue, must_not_run, NULL), EAGAIN);
    hold_end(&hold);
    drain(crowd.queue);
    sq_queue_release(crowd.queue);
}

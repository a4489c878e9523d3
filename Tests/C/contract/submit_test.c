/* submit_test.c: order. async, sync and both together. */
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include <stdlib.h>

/* What ran, in order. Plain memory: the queue itself has to protect it. */
typedef struct record {
    size_t count, size;
    size_t *numbers;
} record_t;

typedef struct entry {
    record_t *record;
    size_t number;
} entry_t;

static record_t record_of(size_t size) {
    record_t record = { 0, size, calloc(size, sizeof(size_t)) };
    REQUIRE(record.numbers != NULL);
    return record;
}

static void write_down(void *context) {
    entry_t *entry = context;
    record_t *record = entry->record;
    REQUIRE(record->count < record->size);
    record->numbers[record->count] = entry->number;
    record->count += 1;
}

static void check_in_order(const record_t *record, size_t count) {
    CHECK_EQUAL(record->count, count);
    for (size_t i = 0; i < record->count; i += 1) {
        if (!CHECK_EQUAL(record->numbers[i], i)) {
            break;
        }
    }
}

TEST(async_tasks_run_in_the_order_of_their_submission) {
    size_t count = scaled(200000);
    sq_queue_t *queue = sq_queue_create("order", NULL);
    record_t record = record_of(count);
    entry_t *entries = calloc(count, sizeof *entries);
    REQUIRE(queue != NULL && entries != NULL);
    for (size_t i = 0; i < count; i += 1) {
        entries[i] = (entry_t){ &record, i };
        CHECK_EQUAL(sq_async(queue, write_down, &entries[i]), 0);
    }
    drain(queue);
    check_in_order(&record, count);
    sq_queue_release(queue);
    free(entries);
    free(record.numbers);
}

/* Both forms of async, and sync, after each other from one thread. */
TEST(sync_runs_after_every_earlier_async) {
    size_t count = 3 * scaled(20000);
    sq_queue_t *queue = sq_queue_create("mixed", NULL);
    record_t record = record_of(count);
    entry_t *entries = calloc(count, sizeof *entries);
    REQUIRE(queue != NULL && entries != NULL);
    for (size_t i = 0; i < count; i += 3) {
        for (size_t k = 0; k < 3; k += 1) {
            entries[i + k] = (entry_t){ &record, i + k };
        }
        CHECK_EQUAL(sq_async(queue, write_down, &entries[i]), 0);
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ write_down, &entries[i + 1], NULL }), 0);
        CHECK_EQUAL(sq_sync(queue, write_down, &entries[i + 2]), 0);
        CHECK_EQUAL(record.count, i + 3); /* both asyncs have run, and their writes are visible here */
    }
    check_in_order(&record, count);
    sq_queue_release(queue);
    free(entries);
    free(record.numbers);
}

typedef struct sync_call {
    sq_queue_t *queue;
    entry_t entry;
} sync_call_t;

static void *call_sync(void *argument) {
    sync_call_t *call = argument;
    CHECK_EQUAL(sq_sync(call->queue, write_down, &call->entry), 0);
    return NULL;
}

/* The order of the tutorials (async, async, sync, async, sync), all of it behind a task that blocks; then the same
 * behind a sync that blocks. */
static void check_mixed_behind(void (*begin)(hold_t *, sq_queue_t *)) {
    enum { TASKS = 6 };
    sq_queue_t *queue = sq_queue_create("behind", NULL);
    REQUIRE(queue != NULL);
    record_t record = record_of(TASKS);
    sync_call_t calls[TASKS];
    pthread_t callers[TASKS];
    hold_t hold;
    begin(&hold, queue);
    for (size_t i = 0; i < TASKS; i += 1) {
        calls[i] = (sync_call_t){ queue, { &record, i } };
        if (i % 3 == 2) {
            callers[i] = spawn(call_sync, &calls[i]);
            wait_for_depth(queue, i + 1);
        } else {
            CHECK_EQUAL(sq_async(queue, write_down, &calls[i].entry), 0);
        }
    }
    CHECK_EQUAL(record.count, 0);
    hold_end(&hold);
    join(callers[2]);
    join(callers[5]);
    check_in_order(&record, TASKS);
    sq_queue_release(queue);
    free(record.numbers);
}

TEST(async_and_sync_share_one_order_behind_an_async_task) { check_mixed_behind(hold_async); }
TEST(async_and_sync_share_one_order_behind_a_sync_task) { check_mixed_behind(hold_sync); }

static void note_thread(void *context) { *(pthread_t *)context = pthread_self(); }

TEST(sync_runs_on_the_calling_thread) {
    sq_queue_t *queue = sq_queue_create("here", NULL);
    REQUIRE(queue != NULL);
    pthread_t free_queue, used_queue;
    CHECK_EQUAL(sq_sync(queue, note_thread, &free_queue), 0);
    CHECK(pthread_equal(free_queue, pthread_self()));
    for (size_t i = 0; i < 1000; i += 1) {
        CHECK_EQUAL(sq_async(queue, do_nothing, NULL), 0);
        CHECK_EQUAL(sq_sync(queue, note_thread, &used_queue), 0);
        CHECK(pthread_equal(used_queue, pthread_self()));
    }
    sq_queue_release(queue);
}

TEST(async_runs_on_one_other_thread_always_the_same) {
    enum { TASKS = 1000 };
    sq_queue_t *queue = sq_queue_create("there", NULL);
    REQUIRE(queue != NULL);
    pthread_t threads[TASKS];
    for (size_t i = 0; i < TASKS; i += 1) {
        CHECK_EQUAL(sq_async(queue, note_thread, &threads[i]), 0);
        if (i % 3 == 0) {
            drain(queue);
        }
    }
    drain(queue);
    for (size_t i = 0; i < TASKS; i += 1) {
        CHECK(!pthread_equal(threads[i], pthread_self()));
        CHECK(pthread_equal(threads[i], threads[0]));
    }
    sq_queue_release(queue);
}

TEST(an_accepted_task_is_copied_and_run_once) {
    sq_queue_t *queue = sq_queue_create("outcome", NULL);
    REQUIRE(queue != NULL);
    size_t counts[1000] = { 0 };
    for (size_t i = 0; i < 1000; i += 1) {
        sq_task_t task = { add_one, &counts[i], NULL };
        CHECK_EQUAL(sq_async_task(queue, &task), 0);
        memset(&task, 0xFF, sizeof task); /* *task is copied */
    }
    drain(queue);
    for (size_t i = 0; i < 1000; i += 1) {
        CHECK_EQUAL(counts[i], 1);
    }
    sq_queue_release(queue);
}

static void add_many(void *context) { *(size_t *)context += 1000; }

TEST(a_task_with_a_discard_function_is_run_and_not_discarded) {
    sq_queue_t *queue = sq_queue_create("discard", NULL);
    REQUIRE(queue != NULL);
    size_t alone = 0, behind[200] = { 0 };
    CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ add_one, &alone, add_many }), 0);
    hold_t hold;
    hold_async(&hold, queue);
    for (size_t i = 0; i < 200; i += 1) {
        CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ add_one, &behind[i], add_many }), 0);
    }
    hold_end(&hold);
    drain(queue);
    CHECK_EQUAL(alone, 1);
    for (size_t i = 0; i < 200; i += 1) {
        CHECK_EQUAL(behind[i], 1);
    }
    sq_queue_release(queue);
}

static void never_pair(void *first, void *second, bool runs) {
    (void)first, (void)second, (void)runs;
    CHECK(!"a pair that must not be called");
}

TEST(a_task_without_a_function_is_refused) {
    sq_queue_t *queue = sq_queue_create("nothing", NULL);
    size_t discarded = 0;
    CHECK_EQUAL(sq_async(queue, NULL, NULL), EINVAL);
    CHECK_EQUAL(sq_async_task(queue, &(sq_task_t){ NULL, &discarded, add_one }), EINVAL);
    CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &(sq_task_t){ NULL, &discarded, add_one }), EINVAL);
    CHECK_EQUAL(sq_async_pair(queue, SQ_NOW, NULL, &discarded, NULL), EINVAL);
    CHECK_EQUAL(sq_async_job(queue, NULL, &discarded, NULL), EINVAL);
    CHECK_EQUAL(sq_async_deferred(queue, &(sq_deferred_t){ .call = NULL }), EINVAL);
    CHECK_EQUAL(discarded, 0);
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(queue, &stats);
    CHECK_EQUAL(stats.rejected, 6);
    CHECK_EQUAL(stats.submitted, 0);
    drain(queue);
    sq_queue_release(queue);
}

/* A pair is called once with its two words: to run in its turn, or to be discarded. */
typedef struct words {
    size_t first, second, calls, runs;
} words_t;

static void note_pair(void *first, void *second, bool runs) {
    words_t *words = first;
    CHECK(second == &words->second);
    words->calls += 1;
    words->runs += runs;
}

TEST(a_pair_is_called_once_with_its_two_words_whether_it_runs_or_not) {
    for (int discards = 0; discards < 2; discards += 1) {
        sq_queue_t *queue = sq_queue_create("pairs", NULL);
        words_t words = { 0 };
        hold_t hold;
        hold_async(&hold, queue);
        for (int i = 0; i < 200; i += 1) {
            CHECK_EQUAL(sq_async_pair(queue, SQ_FOREVER, note_pair, &words, &words.second), 0);
        }
        CHECK_EQUAL(sq_shutdown(queue, discards ? SQ_SHUTDOWN_DISCARD : SQ_SHUTDOWN_DRAIN, SQ_NOW), ETIMEDOUT);
        CHECK_EQUAL(sq_async_pair(queue, SQ_FOREVER, never_pair, NULL, NULL), ESHUTDOWN);
        CHECK_EQUAL(sq_async_deferred(queue, &(sq_deferred_t){ .call = never_pair }), ESHUTDOWN);
        hold_end(&hold);
        CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        CHECK_EQUAL(words.calls, 200);
        CHECK_EQUAL(words.runs, discards ? 0 : 200);
        sq_queue_release(queue);
    }
}

/* There is room, but no memory for a place: the room comes back. */
TEST(a_deferred_task_without_memory_leaves_its_room_to_the_next) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.capacity = 1;
    sq_queue_t *queue = sq_queue_create("no place", &options);
    words_t words = { 0 };
    sq_deferred_t task = { .call = note_pair, .first = &words, .second = &words.second };
    hold_t hold;
    hold_async(&hold, queue);
    fail_nth(FAIL_ALLOCATION, 1, false);
    CHECK_EQUAL(sq_async_deferred(queue, &task), ENOMEM);
    CHECK_EQUAL(fail_nothing(), 1);
    CHECK_EQUAL(sq_async_deferred(queue, &task), 0);
    hold_end(&hold);
    drain(queue);
    CHECK_EQUAL(words.calls, 1);
    CHECK_EQUAL(words.runs, 1);
    sq_queue_release(queue);
}

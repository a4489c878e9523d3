/* watch_readers_test.c: the list of the readers of a watched concurrent queue, from which the oldest is reported. */
#include "concurrent.h"
#include "stall_watcher.h"

#include "sq_item.h"

/* The next stall must be of this reader, which then leaves. */
static void expect_reader(stall_watcher_t *ward, size_t number, runner_t *runner) {
    latch_wait(&ward->calls, number);
    CHECK_EQUAL(ward->last[number - 1].thread_id, runner->thread_id);
    CHECK(ward->last[number - 1].function == run_long);
    latch_bump(&runner->leave);
}

static void start_long(runner_t *runner) { *runner = (runner_t){ 0, LATCH_INIT, LATCH_INIT }; }

/* One thread runs `first` and then `second` with one record. Between the two `visitor` comes, and it leaves between the second and `last`. */
TEST(async_readers_that_share_a_record_are_in_the_list_one_after_the_other) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    stall_watcher_t wards[2] = { STALL_WATCHER_OF_RUNNING_INIT, STALL_WATCHER_OF_RUNNING_INIT };
    runner_t first, second, visitor, last;
    caller_t caller;
    start_long(&first), start_long(&second), start_long(&visitor), start_long(&last);
    watch(queue, &wards[0], HOURS);
    CHECK_EQUAL(sq_async(queue, run_long, &first), 0);
    latch_wait(&first.entered, 1);
    caller_start(&caller, BY_SYNC, queue, SQ_FOREVER, run_long, &visitor);
    latch_wait(&visitor.entered, 1);
    CHECK_EQUAL(sq_async(queue, run_long, &second), 0);
    latch_bump(&first.leave);
    latch_wait(&second.entered, 1);
    latch_bump(&visitor.leave);
    CHECK_EQUAL(caller_end(&caller), 0);
    watch(queue, &wards[1], SHORT);
    expect_reader(&wards[1], 1, &second);
    CHECK_EQUAL(sq_async(queue, run_long, &last), 0); /* not on the stack that the visitor had */
    expect_reader(&wards[1], 2, &last);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&wards[1].discarded, 1);
}

/* The item's own function is noted when it begins, in the place of the library's; the task is in the list once. */
TEST(a_reader_that_runs_an_item_leaves_the_list) {
    sq_queue_t *queue = make_concurrent(1, SQ_WIDTH_POOL);
    stall_watcher_t ward = STALL_WATCHER_OF_RUNNING_INIT;
    runner_t runner;
    caller_t caller;
    start_long(&runner);
    watch(queue, &ward, SHORT);
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ do_nothing, NULL, NULL });
    CHECK_EQUAL(sq_item_submit(item, queue), 0);
    CHECK_EQUAL(sq_item_wait(item, SQ_FOREVER), 0);
    CHECK_EQUAL(sq_sync_barrier(queue, do_nothing, NULL), 0);
    caller_start(&caller, BY_SYNC, queue, SQ_FOREVER, run_long, &runner);
    expect_reader(&ward, 1, &runner);
    CHECK_EQUAL(caller_end(&caller), 0);
    drain(queue);
    sq_queue_release(queue);
    latch_wait(&ward.discarded, 1);
    sq_item_release(item);
}

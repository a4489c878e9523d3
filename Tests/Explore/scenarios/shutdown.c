/* shutdown.c: shutdown, with both modes. */
#include "queue/after_end.h"
#include "scenario.h"

#include <errno.h>
#include <string.h>

#define STOPPED .may = ERROR_BIT(ESHUTDOWN)
#define STOPPED_OR_CYCLE .may = ERROR_BIT(ESHUTDOWN) | ERROR_BIT(EDEADLK), .deadlocks = -1

static sq_queue_t *ended;
static uint64_t cell; /* written without a lock: a race if two functions run at one time */
static int ran;

static void write_cell(void *unused) {
    (void)unused;
    ex_caller = (const void *)write_cell;
    ex_write(&cell, sizeof cell);
    ran += 1;
}

static void run_after_end(void *unused) {
    (void)unused;
    int error = sq_sync_or_run(ended, write_cell, NULL);
    if (error) {
        ex_fail("sync_or_run after the end returned %s", strerror(error));
    }
}

static void end(void *unused) {
    (void)unused;
    if (sq_shutdown(ended, SQ_SHUTDOWN_DRAIN, SQ_FOREVER) != 0) {
        ex_fail("an idle queue does not end");
    }
}

static void after_end_two(void) {
    static const expectation_t nothing;
    stage_begin(&nothing, 0);
    ran = 0;
    ended = sq_queue_create("A", NULL);
    ex_join(ex_start(end, NULL, false)); /* not by this thread: it would keep a token beyond the end */
    int threads[] = { ex_start(run_after_end, NULL, false), ex_start(run_after_end, NULL, false) };
    ex_join(threads[0]);
    ex_join(threads[1]);
    sq_queue_release(ended);
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    if (ran != 2) {
        ex_fail("after the end %d functions ran", ran);
    }
    stage_end();
}

static void write_cell_in_job(void *unused, void *unused_too, bool runs) {
    (void)unused_too;
    if (!runs || !sq_has_ended(ended)) {
        ex_fail("a late job is discarded, or runs before the end");
    }
    write_cell(unused);
}

static void submit_late(void *unused) {
    (void)unused;
    int error = sq__async_after_end(ended, write_cell_in_job, NULL, NULL);
    if (error) {
        ex_fail("a late job is refused: %s", strerror(error));
    }
}

/* The queue is closed, and ends while late jobs come. */
static void after_end_jobs(void) {
    static const expectation_t nothing;
    stage_begin(&nothing, 0);
    ran = 0;
    ended = sq_queue_create("A", NULL);
    int threads[] = { ex_start(end, NULL, false), ex_start(submit_late, NULL, false), ex_start(submit_late, NULL, false) };
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i += 1) {
        ex_join(threads[i]);
    }
    sq_queue_release(ended);
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    if (ran != 2) {
        ex_fail("after the end %d functions ran", ran);
    }
    stage_end();
}

const scenario_t shutdown_scenarios[] = {
    { "drain_async", "a drain runs what was accepted, and refuses the rest", "async async | drain", .expect = { STOPPED } },
    { "drain_sync", "the fast way back of a sync against the close", "sync | drain", .expect = { STOPPED } },
    { "drain_free", "an idle queue ends at once", "async drain | sync", .expect = { STOPPED } },
    { "drain_drain", "two wait for one end", "async | drain | drain", .expect = { STOPPED } },
    { "drain_until_end", "the deadline at the moment of the end", "async drain_until drain | drain_until", .expect = { STOPPED } },
    { "discard_async", "each accepted task runs or is discarded, not both", "async async | discard", .expect = { STOPPED } },
    { "discard_pair", "work of two words runs or is cleaned up", "pair async pair | discard", .expect = { STOPPED } },
    { "discard_sync", "a waiting sync is refused, or runs", "async sync | discard", .expect = { STOPPED } },
    { "discard_until_sync", "a refusal against a deadline", "async sync_until | discard", .expect = { STOPPED } },
    { "stuck_sync", "a waiting sync is refused although the task never ends", "async(open0 pass1) | pass0 sync open1 | pass0 discard_until",
      .expect = { STOPPED } },
    { "stuck_call", "the same with a call", "async(open0 pass1) | pass0 call open1 | pass0 discard_until", .expect = { STOPPED } },
    { "line_before", "a wait for B is not refused by a discard of A, for which its thread waited before",
      "sync open0 | async:B sync open1 sync:B | pass0 pass1 discard" },
    { "discard_call", "a refusal against a claim", "call | async | discard", .expect = { STOPPED } },
    { "discard_call_until", "a refusal against a claim and a deadline", "call_until | discard", .expect = { STOPPED } },
    { "drain_to_discard", "a drain is turned into a discard", "async async drain_until discard | async", .expect = { STOPPED } },
    { "drain_suspended", "a suspended queue drains once it is resumed", "suspend async drain_until resume drain | async", .expect = { STOPPED } },
    { "discard_suspended", "a suspended queue discards", "suspend async discard | async_until", .expect = { STOPPED } },
    { "drain_resume", "the close takes up a parked baton while the resume does", "async | suspend resume? | drain", .expect = { STOPPED } },
    { "discard_parks", "a queue is not parked by the holder that has not seen yet that what waits is discarded",
      "async(suspend open0) async | pass0 discard", .expect = { STOPPED } },
    { "discard_stays", "a drain after a discard leaves it a discard for a holder that has not seen it yet",
      "async(suspend open0) async | pass0 discard_until drain", .expect = { STOPPED } },
    { "end_suspend", "suspend against the end", "async | suspend resume? | drain", .expect = { STOPPED } },
    { "drain_in_task", "a task shuts its own queue down", "async(drain) async | sync", .expect = { STOPPED_OR_CYCLE } },
    { "discard_in_sync", "the same from a sync task", "sync(discard) | async async", .expect = { STOPPED_OR_CYCLE } },
    { "drain_each_other", "two tasks shut down each other's queue", "sync(drain:B) | sync:B(drain)", .expect = { STOPPED_OR_CYCLE } },
    { "drain_bound", "submitters that wait for room are refused", "async_until async_until | drain", .expect = { STOPPED, .capacity = 1 } },
    { "drain_faults", "a shutdown while memory and threads fail", "async drain_until | sync_until", .faults = true, .expect = { STOPPED } },
    { "drain_then_async", "the first async comes when the queue has ended: no worker is started that nobody ends", "drain async | async", .expect = { STOPPED } },
    { "after_end_two", "two threads are the first to call sync_or_run after the end: their functions exclude each other", .body = after_end_two },
    { "after_end_jobs", "two late jobs come while the queue ends: both run, one at a time", .body = after_end_jobs },
    { 0 },
};

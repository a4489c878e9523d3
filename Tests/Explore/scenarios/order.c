/* order.c: order, hand-off, nesting and calls, with nothing out of the ordinary happening. */
#include "scenario.h"

#include <errno.h>

const scenario_t order_scenarios[] = {
    { "async_async", "two submitters: each one's tasks in its order; the hand-off slot against the ring", "async async | async async" },
    { "pair_async", "work of two words, in the hand-off slot and in the ring", "pair pair | async pair" },
    { "async_each", "a task of each of two threads: the first one wakes the queue's thread", "async | async", .looks_twice = true },
    { "async_sync_each", "a sync and an async of two threads", "async | sync", .looks_twice = true },
    { "async_sync", "a sync after an async of the same thread runs after it", "async sync | async" },
    { "sync_sync", "a waiter is granted once, and wakes up", "sync | sync", .looks_twice = true },
    { "sync_sync_sync", "three callers: the baton goes from waiter to waiter", "sync | sync | sync" },
    { "sync_grows", "the ring changes its segment while the baton is passed", "async async async | async sync" },
    { "baton_in_place", "a submitter that lost its processor between taking a place and filling it", "async | sync | async" },
    { "queue_gets_free", "the runner gives the baton back while a task is being submitted", "async | pass0 async | async(open0)" },
    { "async_from_task", "a task submits to its own queue while the ring grows", "async(async async) | async" },
    { "async_from_sync", "a sync task leaves an async behind, for the runner", "sync(async) | sync" },
    { "or_run_inside", "sync_or_run runs inside a task of its queue, and waits outside of one", "sync(sync_or_run) | sync_or_run" },
    { "two_queues", "a task of one queue waits for another one", "sync(sync:B) | async:B sync" },
    { "call_async", "run_and_wait: its task runs on the runner, in order", "call | async async" },
    { "either_async", "async_and_wait: the runner does the call, or the caller has its turn", "either | async async" },
    { "either_sync", "async_and_wait next to a sync, and next to another one", "either | sync | either" },
    { "call_sync", "run_and_wait next to a sync, on a free and on a busy queue", "call | sync" },
    { "call_call", "two calls at a time: claimed and finished one by one", "call | call" },
    { "call_from_task", "a task waits for a call of another queue", "sync(call:B) | async:B" },
    { "call_runs_sync", "a call's task waits in turn for another queue, with the caller's token in use", "call(sync:B) | sync:B" },
    { "looks", "the counts are read while tasks come and go", "async sync | look look | async" },
    { 0 },
};

/* async_and_wait.h: the call that returns when its task has run, on whatever thread. It exists in two libraries only; this
 * file is an example of a scenario that brings its own operation for each contender which has it.
 *
 * Rows: scenario | figure | bar and goal | title | how often
 *   async-and-wait-2 | wall | 0.10 0.03 | async_and_wait, 2 threads | busy 3
 *   async-and-wait-4 | wall | 0.10 0.03 | async_and_wait, 4 threads | busy 3
 *   async-and-wait-8 | wall | 0.10 0.03 | async_and_wait, 8 threads | busy 3
 */
#if defined(CONTENDER_OURS)
#define HAS_ASYNC_AND_WAIT
static void wait_for(contender_queue_t queue, const bench_task_t *task) {
    if (sq_async_and_wait(queue, SQ_FOREVER, task->function, task->context) != 0) bench_fail("sq_async_and_wait failed.");
}
#elif defined(CONTENDER_LIBDISPATCH)
#define HAS_ASYNC_AND_WAIT
/* Exported by the library, but not declared in the toolchain's headers. */
void dispatch_async_and_wait_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
static void wait_for(contender_queue_t queue, const bench_task_t *task) {
    dispatch_async_and_wait_f(queue, task->context, task->function);
}
#endif

#ifdef HAS_ASYNC_AND_WAIT
static void async_and_wait_until_the_end(unsigned index, void *context) {
    const race_t race = *(const race_t *)context;
    bench_task_t task = { bench_count_up, &race.counted->value };
    uint64_t done = 0;
    do {
        wait_for(race.queue, &task);
        ++done;
    } while ((done & 15) != 0 || bench_now() < race.end);
    race.done[index].value = done;
}

static void async_and_wait(uint64_t threads) { race_for_the_queue(threads, 1, async_and_wait_until_the_end); }

BENCH_SCENARIO("async-and-wait", 0, async_and_wait) /* threads */
#endif

/* async.h: async from one or more threads to the end of the drain, async and sync in a loop, two queues that send a
 * task to and fro, and how soon an idle queue runs a task. */

/* Rows: scenario | figure | bar and goal | title | how often
 *   async-1      | wall | 0.40 0.20 | async, 1 producer, drained
 *   async-2      | wall | 0.40 0.20 | async, 2 producers, drained
 *   async-4      | wall | 0.45 0.30; one 0.9 | async, 4 producers, drained
 *   async-8      | wall | 0.45 0.30; one 0.9 | async, 8 producers, drained
 *   async-sync-1 | wall | 0.10 0.02 | async then sync, 1 thread | busy 3
 *   async-sync-2 | wall | 0.10 0.02 | async then sync, 2 threads | busy 3
 *   async-sync-4 | wall | 0.10 0.02 | async then sync, 4 threads | busy 3
 *   async-sync-8 | wall | 0.10 0.02 | async then sync, 8 threads | busy 3
 *   ping-pong    | wall | 0.30 0.12 | two queues to and fro, per hop | busy 3
 *   wake-200     | run_p50    | 1.1 0.8 | idle queue until it runs, p50
 *   wake-200     | run_p99    | 1.5 1.0 | idle queue until it runs, p99
 *   wake-200     | submit_p50 | 1.1 0.5 | idle queue, submitter pays, p50
 */

typedef struct async_pass {
    contender_queue_t queue;
    bench_task_t task;
    uint64_t tasks, threads;
} async_pass_t;

static void submit_share(unsigned index, void *context) {
    const async_pass_t *pass = (const async_pass_t *)context;
    contender_queue_t queue = pass->queue;
    uint64_t share = pass->tasks / pass->threads + (index < pass->tasks % pass->threads ? 1 : 0);
    for (uint64_t i = 0; i < share; ++i) contender_async(queue, &pass->task);
}

/* `threads` threads submit 500,000 empty tasks between them, as fast as they can; from the first submission until the
 * last task has run. The first pass warms up and is not counted. */
static void async_to_drain(uint64_t threads) {
    bench_crew_t *crew = bench_crew_create((unsigned)threads);
    bench_countdown_t *countdown = bench_countdown_create();
    async_pass_t pass = { contender_create(), { bench_count_and_open, countdown }, 500000, threads };
    bench_meter_t meter = { 0 };

    for (int i = 0; i < 3 || meter.wall < bench_duration(300000000); ++i) {
        bench_meter_t *measured = &meter, warm_up = { 0 };
        if (i == 0) measured = &warm_up;
        countdown->target += pass.tasks;
        bench_start(measured);
        bench_crew_run(crew, submit_share, &pass);
        bench_gate_pass(countdown->gate);
        bench_stop(measured, pass.tasks);
    }
    bench_sleep(1000000); /* a task that runs twice has time to be seen */
    bench_expect("async tasks that ran", countdown->counted, countdown->target);
    contender_release(pass.queue);
    bench_report(&meter);
}

static void async_then_sync(unsigned index, void *context) {
    const race_t race = *(const race_t *)context;
    bench_task_t task = { bench_count_up, &race.counted->value };
    uint64_t done = 0;
    do {
        contender_async(race.queue, &task);
        contender_sync(race.queue, &task);
        ++done;
    } while ((done & 7) != 0 || bench_now() < race.end);
    race.done[index].value = done;
}

/* `threads` threads, each: async, then sync, without pause for 0.4 s; per pair that any of them completed. */
static void async_sync(uint64_t threads) { race_for_the_queue(threads, 2, async_then_sync); }

typedef struct ping_pong_side {
    contender_queue_t other;
    bench_task_t *task; /* the other side's */
    bench_countdown_t *left;
} ping_pong_side_t;

static void ping_pong_hop(void *context) {
    const ping_pong_side_t *side = (const ping_pong_side_t *)context;
    if (++side->left->counted == side->left->target) bench_gate_open(side->left->gate);
    else contender_async(side->other, side->task);
}

/* One task goes to and fro between two queues; per hop. */
static void ping_pong_of(contender_queue_t (*create)(void)) {
    enum { HOPS = 10000 };
    contender_queue_t a = create(), b = create();
    bench_countdown_t *left = bench_countdown_create();
    bench_task_t tasks[2];
    ping_pong_side_t side_a = { b, &tasks[1], left }, side_b = { a, &tasks[0], left };
    bench_meter_t meter = { 0 };
    tasks[0].function = tasks[1].function = ping_pong_hop;
    tasks[0].context = &side_a;
    tasks[1].context = &side_b;

    for (int i = 0; i < 2 || meter.wall < bench_duration(300000000); ++i) {
        bench_meter_t *measured = &meter, warm_up = { 0 };
        if (i == 0) measured = &warm_up;
        left->target += HOPS;
        bench_start(measured);
        contender_async(a, &tasks[0]);
        bench_gate_pass(left->gate);
        bench_stop(measured, HOPS);
    }
    bench_expect("hops", left->counted, left->target);
    contender_release(a);
    contender_release(b);
    bench_report(&meter);
}

static void ping_pong(uint64_t unused) { (void)unused; ping_pong_of(contender_create); }

typedef struct wake_sample {
    uint64_t ran_at;
    bool ran;
} wake_sample_t;

static void note_the_time(void *context) {
    wake_sample_t *sample = (wake_sample_t *)context;
    sample->ran_at = bench_now();
    __atomic_store_n(&sample->ran, true, __ATOMIC_RELEASE);
}

/* The submitter sleeps for `microseconds`, so that everything is asleep, then submits one task: the time from before the
 * submission until the task runs, and what the submission costs the submitter. The submitter waits for the task only by
 * its next sleep: a waiter that spins would take the processor that the task needs. 4,000 times, but at most 2 s. */
static void wake_after_idle(uint64_t microseconds) {
    size_t most = (size_t)bench_duration(4000), count = 0;
    contender_queue_t queue = contender_create();
    wake_sample_t *samples = (wake_sample_t *)calloc(most, sizeof *samples);
    bench_task_t *tasks = (bench_task_t *)calloc(most, sizeof *tasks);
    uint64_t *runs = (uint64_t *)calloc(most, sizeof *runs), *submits = (uint64_t *)calloc(most, sizeof *submits);
    bench_meter_t meter = { 0 };

    uint64_t end = bench_now() + bench_duration(2000000000);
    bench_start(&meter);
    for (size_t i = 0; i < most && bench_now() < end; ++i, ++count) {
        tasks[i].function = note_the_time;
        tasks[i].context = &samples[i];
        runs[i] = bench_now();
        contender_async(queue, &tasks[i]);
        submits[i] = bench_now() - runs[i];
        for (int waited = 0; waited == 0 || !__atomic_load_n(&samples[i].ran, __ATOMIC_ACQUIRE); ++waited) {
            if (waited == 300000) bench_fail("a task on an idle queue has not run for a minute.");
            bench_sleep(microseconds * 1000);
        }
        runs[i] = samples[i].ran_at - runs[i];
    }
    bench_stop(&meter, count);
    contender_release(queue);
    bench_report(&meter);
    bench_percentiles("run", runs, count);
    bench_percentiles("submit", submits, count);
}

BENCH_SCENARIO("async", BENCH_ASYNC, async_to_drain)               /* producers */
BENCH_SCENARIO("grow-async", BENCH_ASYNC, async_to_drain)          /* threads */
BENCH_SCENARIO("async-sync", BENCH_ASYNC | BENCH_SYNC, async_sync) /* threads */
BENCH_SCENARIO("ping-pong", BENCH_ASYNC, ping_pong)
BENCH_SCENARIO("wake", BENCH_ASYNC, wake_after_idle)               /* microseconds idle */

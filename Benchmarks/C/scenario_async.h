/* scenario_async.h: async from one or more threads to the end of the drain, async and sync in a loop, two queues that
 * send a task to and fro, and how soon an idle queue runs what it is given. */

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
    const sync_race_t race = *(const sync_race_t *)context;
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
static void async_sync(uint64_t threads) {
    bench_crew_t *crew = bench_crew_create((unsigned)threads);
    sync_race_t race = { contender_create(), 0, bench_slots(threads), bench_slots(1) };
    bench_meter_t meter = { 0 };
    uint64_t total = 0;

    race.end = bench_now() + bench_duration(400000000);
    bench_start(&meter);
    bench_crew_run(crew, async_then_sync, &race);
    for (uint64_t i = 0; i < threads; ++i) total += race.done[i].value;
    bench_stop(&meter, total);
    contender_release(race.queue);
    bench_expect("tasks that ran", race.counted->value, 2 * total);
    bench_report(&meter);
}

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
static void ping_pong(uint64_t unused) {
    enum { HOPS = 10000 };
    contender_queue_t a = contender_create(), b = contender_create();
    bench_countdown_t *left = bench_countdown_create();
    bench_task_t tasks[2];
    ping_pong_side_t side_a = { b, &tasks[1], left }, side_b = { a, &tasks[0], left };
    bench_meter_t meter = { 0 };
    (void)unused;
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

typedef struct wake_sample {
    uint64_t ran_at;
    bool ran;
} wake_sample_t;

static void note_the_time(void *context) {
    wake_sample_t *sample = (wake_sample_t *)context;
    sample->ran_at = bench_now();
    __atomic_store_n(&sample->ran, true, __ATOMIC_RELEASE);
}

/* The submitter sleeps for `microseconds`, so that everything is asleep, then submits one task: from before the
 * submission until the task runs, and what the submission costs the submitter. The submitter does not wait for the
 * task in any other way than by its next sleep: a waiter that spins would take the processor that the task needs, and
 * one that sleeps once more would be charged for it. */
static void wake_after_idle(uint64_t microseconds) {
    size_t count = (size_t)bench_duration(4000);
    contender_queue_t queue = contender_create();
    wake_sample_t *samples = (wake_sample_t *)calloc(count, sizeof *samples);
    bench_task_t *tasks = (bench_task_t *)calloc(count, sizeof *tasks);
    uint64_t *runs = (uint64_t *)calloc(count, sizeof *runs), *submits = (uint64_t *)calloc(count, sizeof *submits);
    bench_meter_t meter = { 0 };

    bench_start(&meter);
    for (size_t i = 0; i < count; ++i) {
        tasks[i].function = note_the_time;
        tasks[i].context = &samples[i];
        runs[i] = bench_now();
        contender_async(queue, &tasks[i]);
        submits[i] = bench_now() - runs[i];
        for (int waited = 0; waited == 0 || !__atomic_load_n(&samples[i].ran, __ATOMIC_ACQUIRE); ++waited) {
            if (waited == 300000) bench_fail("a task that was given to an idle queue has not run for a minute.");
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

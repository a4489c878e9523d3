/* growth.h: how the cost of a task grows with the backlog and with the length of the tasks. */

typedef struct backlog {
    bench_gate_t *begin, *started, *end;
    uint64_t drain_began, drain_ended, counted, target;
} backlog_t;

static void hold_the_queue(void *context) {
    backlog_t *backlog = (backlog_t *)context;
    bench_gate_open(backlog->started);
    bench_gate_pass(backlog->begin);
    backlog->drain_began = bench_now();
}

static void count_backlog(void *context) {
    backlog_t *backlog = (backlog_t *)context;
    if (++backlog->counted != backlog->target) return;
    backlog->drain_ended = bench_now();
    bench_gate_open(backlog->end);
}

/* A task holds the queue while `tasks` tasks are submitted behind it; then they run. Per task: the submission, and the
 * drain from the end of the task that held the queue to the last task. Waking the queue is not part of it. */
static void grow_backlog(uint64_t tasks) {
    backlog_t backlog = { bench_gate_create(), bench_gate_create(), bench_gate_create(), 0, 0, 0, tasks };
    bench_task_t hold = { hold_the_queue, &backlog }, count = { count_backlog, &backlog };
    contender_queue_t queue = contender_create();
    uint64_t enough = bench_duration(2000000), submit = 0, drain = 0, ran = 0, begun = bench_now();

    for (int pass = 0; pass < 3 || (ran < enough && bench_now() - begun < 500000000); ++pass) {
        backlog.counted = 0;
        contender_async(queue, &hold);
        bench_gate_pass(backlog.started);
        uint64_t before = bench_now();
        for (uint64_t i = 0; i < tasks; ++i) contender_async(queue, &count);
        uint64_t after = bench_now();
        bench_gate_open(backlog.begin);
        bench_gate_pass(backlog.end);
        bench_expect("tasks of the backlog that ran", backlog.counted, tasks);
        if (pass == 0) continue; /* warms up */
        submit += after - before;
        drain += backlog.drain_ended - backlog.drain_began;
        ran += tasks;
    }
    contender_release(queue);
    bench_metric("tasks", (double)ran);
    bench_metric("submit", (double)submit / (double)ran);
    bench_metric("drain", (double)drain / (double)ran);
    bench_metric("wall", (double)(submit + drain) / (double)ran);
}

typedef struct long_tasks {
    uint64_t length;
    bench_countdown_t *countdown;
} long_tasks_t;

static void work_and_count(void *context) {
    const long_tasks_t *tasks = (const long_tasks_t *)context;
    if (tasks->length != 0) {
        uint64_t end = bench_now() + tasks->length;
        while (bench_now() < end) { }
    }
    bench_count_and_open(tasks->countdown);
}

/* One thread submits tasks of `nanoseconds` each as fast as it can; from the first submission to the end of the drain,
 * per task. "overhead" is what that took longer than calling the same function as often in a loop. */
static void grow_length(uint64_t nanoseconds) {
    uint64_t tasks = nanoseconds == 0 ? 500000 : 100000000 / nanoseconds;
    long_tasks_t length = { nanoseconds, bench_countdown_create() };
    bench_task_t task = { work_and_count, &length };
    contender_queue_t queue = contender_create();
    bench_meter_t meter = { 0 }, loop = { 0 };

    if (tasks > 500000) tasks = 500000;
    for (int i = 0; i < 2 || meter.wall < bench_duration(300000000); ++i) {
        bench_meter_t warm_up = { 0 };
        length.countdown->target += tasks;
        bench_start(&loop);
        for (uint64_t called = 0; called < tasks; ++called) task.function(task.context);
        bench_gate_pass(length.countdown->gate);
        bench_stop(&loop, tasks);

        bench_meter_t *measured = i == 0 ? &warm_up : &meter;
        length.countdown->target += tasks;
        bench_start(measured);
        for (uint64_t submitted = 0; submitted < tasks; ++submitted) contender_async(queue, &task);
        bench_gate_pass(length.countdown->gate);
        bench_stop(measured, tasks);
    }
    bench_expect("tasks that ran", length.countdown->counted, length.countdown->target);
    contender_release(queue);
    bench_report(&meter);
    bench_metric("overhead", (double)meter.wall / (double)meter.tasks - (double)loop.wall / (double)loop.tasks);
}

BENCH_SCENARIO("grow-backlog", BENCH_ASYNC, grow_backlog) /* tasks */
BENCH_SCENARIO("grow-length", BENCH_ASYNC, grow_length)   /* nanoseconds */

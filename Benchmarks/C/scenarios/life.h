/* life.h: what idle queues cost: processor time, memory; a hundred thousand queues; what a backlog leaves behind. */

/* Rows: scenario | figure | bar and goal | title | how often
 *   many-100000   | wall | 0.50 0.25 | 100,000 queues, async + sync each | rounds 3
 *   defaults-100000 | wall | 2.0 1.0 | 100,000 queues with default options, async + sync each | rounds 3
 *   brief-1000    | wall | 2.0 1.0 | queue: create, async, release; 1,000 at a time
 *   pooled-4      | wall | 0.50 0.25 | 4 pooled queues: 3 asyncs, then a sync, without pause
 *   idle-100      | cpu  | 2e6 1e5 ns | 100 idle queues, CPU time in 1 s | rounds 3
 *   memory-unused | heap | 192 128 B | memory of a queue, never used | rounds 1
 *   memory-used   | heap | 300 232 B | heap of a queue that was used, and then idle for a second | rounds 1
 *   memory-used   | resident | 1024 512 B | the same, resident
 *   memory-backlog-5000000 | left | 4194304 1048576 B | resident after 5 million waiting tasks and nothing else, over that before | rounds 1
 *   memory-backlog-pooled-5000000 | left | 4194304 1048576 B | the same, a pooled queue | rounds 1
 *   memory-backlog-among-5000000 | left | 4194304 1048576 B | the same, and the program keeps 1,000 small blocks that it allocated meanwhile | rounds 1
 */

/* Makes `count` queues, each of which has run one async task. */
static contender_queue_t *queues_that_have_run(uint64_t count) {
    contender_queue_t *queues = (contender_queue_t *)calloc(count, sizeof *queues);
    for (uint64_t i = 0; i < count; ++i) {
        static bench_countdown_t *countdown;
        static bench_task_t task;
        if (!countdown) countdown = bench_countdown_create();
        task.function = bench_count_and_open;
        task.context = countdown;
        ++countdown->target;
        queues[i] = contender_create();
        contender_async(queues[i], &task);
        bench_gate_pass(countdown->gate);
        bench_expect("async tasks that ran", countdown->counted, countdown->target);
    }
    return queues;
}

/* `count` queues that have just run a task do nothing for a second: the process's processor time in that second. */
static void idle_cost(uint64_t count) {
    bench_meter_t meter = { 0 };
    contender_queue_t *queues = queues_that_have_run(count);
    bench_start(&meter);
    bench_sleep(1000000000);
    bench_stop(&meter, 1);
    bench_metric("cpu", (double)meter.cpu);
    bench_metric("switches", (double)meter.switches);
    (void)queues;
}

/* Bytes of a queue that has never had a task: what malloc gave out, over many queues. */
static void memory_unused(uint64_t unused) {
    uint64_t count = 2000;
    contender_queue_t *queues = (contender_queue_t *)calloc(count, sizeof *queues);
    (void)unused;
    for (uint64_t i = 0; i < count; ++i) { /* the first ones pay for what all share */
        contender_queue_t queue = contender_create();
        contender_release(queue);
    }
    uint64_t resident = bench_resident_bytes(), heap = bench_heap_bytes(); /* in this order: it takes memory itself */
    for (uint64_t i = 0; i < count; ++i) queues[i] = contender_create();
    bench_metric("heap", (double)(bench_heap_bytes() - heap) / (double)count);
    bench_metric("resident", (double)(bench_resident_bytes() - resident) / (double)count);
}

/* Bytes of a queue that has run one task and has then been idle for a second, its share of threads included. */
static void memory_used(uint64_t unused) {
    uint64_t count = 1000;
    (void)unused;
    queues_that_have_run(16);
    uint64_t resident = bench_resident_bytes(), heap = bench_heap_bytes();
    contender_queue_t *queues = queues_that_have_run(count);
    bench_sleep(1000000000);
    bench_metric("heap", (double)(bench_heap_bytes() - heap) / (double)count - (double)sizeof *queues);
    bench_metric("resident", (double)(bench_resident_bytes() - resident) / (double)count - (double)sizeof *queues);
}

/* `count` queues at a time: all created, then one async each, then one sync each, then all released; per queue. */
static void many_queues_of(uint64_t count, contender_queue_t (*create)(void)) {
    uint64_t *counted = (uint64_t *)calloc(count, sizeof *counted);
    bench_task_t *tasks = (bench_task_t *)calloc(count, sizeof *tasks);
    contender_queue_t *queues = (contender_queue_t *)calloc(count, sizeof *queues);
    bench_meter_t meter = { 0 };
    for (uint64_t i = 0; i < count; ++i) {
        tasks[i].function = bench_count_up;
        tasks[i].context = &counted[i];
    }
    bench_start(&meter);
    for (uint64_t i = 0; i < count; ++i) queues[i] = create();
    for (uint64_t i = 0; i < count; ++i) contender_async(queues[i], &tasks[i]);
    uint64_t threads = bench_threads();
    for (uint64_t i = 0; i < count; ++i) contender_sync(queues[i], &tasks[i]);
    bench_stop(&meter, count);
    for (uint64_t i = 0; i < count; ++i) bench_expect("tasks that ran on one of many queues", counted[i], 2);
    for (uint64_t i = 0; i < count; ++i) contender_release(queues[i]);
    bench_metric("threads", (double)threads);
    bench_report(&meter);
}
static void many_queues(uint64_t count) { many_queues_of(count, contender_create_shared); }
static void many_default_queues(uint64_t count) { many_queues_of(count, contender_create); }

/* As bench_count_and_open, but tasks of several queues count at a time. */
static void count_together_and_open(void *context) {
    bench_countdown_t *countdown = (bench_countdown_t *)context;
    if (__atomic_add_fetch(&countdown->counted, 1, __ATOMIC_ACQ_REL) == countdown->target) bench_gate_open(countdown->gate);
}

/* Each queue is created, gets a task and is released; after `count` of them all tasks have run. Per queue. */
static void brief_queues(uint64_t count) {
    bench_countdown_t *countdown = bench_countdown_create();
    bench_task_t task = { count_together_and_open, countdown };
    bench_meter_t meter = { 0 };
    uint64_t done = 0, end = bench_now() + bench_duration(400000000);
    bench_start(&meter);
    while (bench_now() < end) {
        countdown->target += count;
        for (uint64_t i = 0; i < count; ++i, ++done) {
            contender_queue_t queue = contender_create();
            contender_async(queue, &task);
            contender_release(queue);
        }
        bench_gate_pass(countdown->gate);
    }
    bench_stop(&meter, done);
    bench_expect("async tasks that ran", countdown->counted, countdown->target);
    bench_report(&meter);
}

typedef struct pooled_queues {
    contender_queue_t *queues;
    bench_slot_t *counted, *done;
    uint64_t end;
} pooled_queues_t;

static void come_and_go(unsigned index, void *context) {
    pooled_queues_t *race = (pooled_queues_t *)context;
    bench_task_t task = { bench_count_up, &race->counted[index].value };
    uint64_t done = 0;
    do {
        for (int i = 0; i < 3; ++i) contender_async(race->queues[index], &task);
        contender_sync(race->queues[index], &task);
        ++done;
    } while ((done & 15) != 0 || bench_now() < race->end);
    race->done[index].value = done;
}

/* `threads` threads, each with a queue of its own on the shared threads, which becomes busy and idle all the time; per round of any. */
static void pooled_queues(uint64_t threads) {
    bench_crew_t *crew = bench_crew_create((unsigned)threads);
    pooled_queues_t race = { (contender_queue_t *)calloc(threads, sizeof(contender_queue_t)), bench_slots(threads), bench_slots(threads), 0 };
    bench_meter_t meter = { 0 };
    uint64_t total = 0;
    for (uint64_t i = 0; i < threads; ++i) race.queues[i] = contender_create_shared();
    race.end = bench_now() + bench_duration(400000000);
    bench_start(&meter);
    bench_crew_run(crew, come_and_go, &race);
    for (uint64_t i = 0; i < threads; ++i) total += race.done[i].value;
    bench_stop(&meter, total);
    for (uint64_t i = 0; i < threads; ++i) {
        bench_expect("tasks that ran on a pooled queue", race.counted[i].value, 4 * race.done[i].value);
        contender_release(race.queues[i]);
    }
    bench_report(&meter);
}

/* A block that lasts until the end of the program; on a list, so that no compiler leaves it out. */
static void keep_block(size_t size) {
    static void *volatile newest;
    void **block = (void **)malloc(size);
    if (!block) bench_fail("There is no memory.");
    *block = newest;
    newest = block;
}

/* A task holds the queue while `count` tasks are submitted behind it, then all run. A second later: the resident memory
 * that is not given back. The program keeps `blocks` small blocks, which it allocates behind the tasks: where the memory of the tasks lies
 * below them, an allocator that returns only the top of its heap keeps it. */
static void memory_after(uint64_t count, contender_queue_t queue, unsigned blocks) {
    bench_gate_t *started = bench_gate_create(), *begin = bench_gate_create();
    bench_gate_t *gates[] = { started, begin };
    bench_countdown_t *countdown = bench_countdown_create();
    bench_task_t task = { bench_count_and_open, countdown }, hold = { bench_hold, gates };

    countdown->target = 1;
    contender_async(queue, &task);
    bench_gate_pass(countdown->gate);
    bench_sleep(100000000);
    uint64_t resident = bench_resident_bytes();
    contender_async(queue, &hold);
    bench_gate_pass(started);
    countdown->target += count;
    for (uint64_t i = 0; i < count; ++i) contender_async(queue, &task);
    for (unsigned i = 0; i < blocks; ++i) keep_block(64 + i % 8 * 16);
    bench_gate_open(begin);
    bench_gate_pass(countdown->gate);
    bench_sleep(1000000000);
    bench_metric("left", (double)bench_resident_bytes() - (double)resident);
    bench_expect("async tasks that ran", countdown->counted, countdown->target);
    contender_release(queue);
}

static void memory_backlog(uint64_t count) { memory_after(count, contender_create(), 0); }
static void memory_backlog_pooled(uint64_t count) { memory_after(count, contender_create_shared(), 0); }
static void memory_backlog_among(uint64_t count) { memory_after(count, contender_create(), 1000); }

BENCH_SCENARIO("many", BENCH_MANY, many_queues) /* queues */
BENCH_SCENARIO("defaults", BENCH_MANY, many_default_queues) /* queues */
BENCH_SCENARIO("brief", BENCH_MANY, brief_queues)           /* queues at a time */
BENCH_SCENARIO("pooled", BENCH_MANY, pooled_queues) /* threads */
BENCH_SCENARIO("idle", BENCH_ASYNC, idle_cost)  /* queues */
BENCH_SCENARIO("memory-unused", 0, memory_unused)
BENCH_SCENARIO("memory-used", BENCH_ASYNC, memory_used)
BENCH_SCENARIO("memory-backlog", BENCH_ASYNC, memory_backlog)               /* tasks */
BENCH_SCENARIO("memory-backlog-pooled", BENCH_MANY, memory_backlog_pooled) /* tasks */
BENCH_SCENARIO("memory-backlog-among", BENCH_ASYNC, memory_backlog_among)   /* tasks */

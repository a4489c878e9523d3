/* peers.h: what one asks of a queue whatever it is made of: these scenarios also stand in ../../Rust, ../../Go and ../../Java, by
 * the same names. `../run.sh peers` measures them. A task carries a word, which tells its producer and its number, so that each program finds a
 * task that is lost, that runs twice or out of turn.
 *
 * Peers: scenario | figure | bar and goal, against the best peer | title | how often
 *   backlog-cold-1  | wall | 1.3 1.0 | 2 million async, 1 producer, cold
 *   backlog-1       | wall | 1.3 1.0 | 2 million async, 1 producer, warm
 *   backlog-2       | wall | 1.3 1.0 | 2 million async, 2 producers
 *   backlog-4       | wall | 1.3 1.0 | 2 million async, 4 producers
 *   backlog-8       | wall | 1.3 1.0 | 2 million async, 8 producers
 *   bounded-1       | wall | 1.5 1.0 | capacity of 1,024, 1 producer
 *   bounded-2       | wall | 1.5 1.0 | capacity of 1,024, 2 producers
 *   bounded-4       | wall | 1.5 1.0 | capacity of 1,024, 4 producers
 *   bounded-8       | wall | 1.5 1.0 | capacity of 1,024, 8 producers
 *   sync-contended-1 | wall | 0.9 0.5 | ask, 1 thread
 *   sync-contended-2 | wall | 0.9 0.5 | ask, 2 threads
 *   sync-contended-8 | wall | 0.9 0.5 | ask, 8 threads
 *   async-wait      | wall | 1.0 0.5 | ask by async and wait, 1 thread
 *   to-and-fro      | wall | 1.2 1.0 | two pooled queues to and fro, per hop
 *   single-pooled   | wall | 1.2 1.0 | create, one task, destroy: pooled
 *   single          | wall | 2.0 1.0 | create, one task, destroy: default
 *   timers-1000000  | wall | 1.0 1.0 | 10^6 timers, start and cancel each
 *   timer-brief     | wall | 1.0 1.0 | a timer, started and cancelled at once
 *   timers-plain-1000000 | wall | 1.0 1.0 | 10^6 timers without a discard function
 *   timer-brief-plain    | wall | 1.0 1.0 | a timer without a discard function, started and cancelled at once
 *   memory-unused   | heap | 192 128 B | memory of an idle queue | rounds 1
 */
#ifdef CONTENDER_COPIES /* contender_async needs *task only until it returns */

/* Of the one queue of a scenario that checks the order. */
static struct {
    uint64_t next[16]; /* by producer */
    bench_countdown_t *countdown;
} turns;

static void in_turn(void *word) {
    uintptr_t producer = (uintptr_t)word >> 32, number = (uintptr_t)word & UINT32_MAX;
    if (turns.next[producer]++ != number) bench_fail("a task has run out of its turn.");
    bench_count_and_open(turns.countdown);
}

typedef struct turns_pass {
    void (*submit)(void *queue, const bench_task_t *task);
    void *queue;
    uint64_t share;
    bench_slot_t *given; /* tasks, by producer */
} turns_pass_t;

static void submit_in_turn(unsigned index, void *context) {
    const turns_pass_t *pass = (const turns_pass_t *)context;
    uint64_t number = pass->given[index].value, end = number + pass->share;
    for (; number < end; ++number) {
        bench_task_t task = { in_turn, (void *)((uintptr_t)index << 32 | number) };
        pass->submit(pass->queue, &task);
    }
    pass->given[index].value = end;
}

/* `passes` passes at least, the first `cold` of which are not counted. */
static void submit_from_all(turns_pass_t pass, uint64_t producers, uint64_t tasks, int passes, int cold) {
    bench_crew_t *crew = bench_crew_create((unsigned)producers);
    bench_meter_t meter = { 0 };
    bench_countdown_t *countdown = turns.countdown = bench_countdown_create();
    pass.share = tasks / producers;
    pass.given = bench_slots(producers);
    for (int i = 0; i < passes || (cold && meter.wall < bench_duration(300000000)); ++i) {
        bench_meter_t *measured = &meter, warm_up = { 0 };
        if (i < cold) measured = &warm_up;
        countdown->target += pass.share * producers;
        bench_start(measured);
        bench_crew_run(crew, submit_in_turn, &pass);
        bench_gate_pass(countdown->gate);
        bench_stop(measured, pass.share * producers);
    }
    bench_sleep(1000000); /* a task that runs twice has time to be seen */
    bench_expect("async tasks that ran", countdown->counted, countdown->target);
    bench_report(&meter);
}

static void submit_plain(void *queue, const bench_task_t *task) { contender_async((contender_queue_t)queue, task); }

/* From the first submission of two million tasks until the last has run. */
static void backlog_cold(uint64_t producers) {
    submit_from_all((turns_pass_t){ submit_plain, contender_create(), 0, NULL }, producers, bench_duration(2000000), 1, 0);
}
static void backlog(uint64_t producers) {
    submit_from_all((turns_pass_t){ submit_plain, contender_create(), 0, NULL }, producers, bench_duration(2000000), 2, 1);
}
BENCH_SCENARIO("backlog-cold", BENCH_ASYNC, backlog_cold) /* producers */
BENCH_SCENARIO("backlog", BENCH_ASYNC, backlog)           /* producers */

#ifdef CONTENDER_HAS_CAPACITY
static void submit_bounded(void *queue, const bench_task_t *task) { contender_bounded_async((contender_bounded_t)queue, task); }

/* A queue in which 1,024 tasks may wait: its producers wait for room. */
static void bounded(uint64_t producers) {
    submit_from_all((turns_pass_t){ submit_bounded, contender_bounded_create(1024), 0, NULL }, producers, 500000, 2, 1);
}
BENCH_SCENARIO("bounded", BENCH_ASYNC, bounded) /* producers */
#endif

/* One thread asks: a task that runs on the queue's thread, and whose submitter waits for it. */
static void async_wait(uint64_t unused) {
    bench_slot_t *counted = bench_slots(1);
    bench_task_t task = { bench_count_up, &counted->value };
    contender_queue_t queue = contender_create();
    bench_meter_t meter = { 0 };
    uint64_t done = 0, warm_up = 1000, end = 0;
    (void)unused;
    for (; done < warm_up || bench_now() < end; ++done) {
        if (done == warm_up - 1) {
            end = bench_now() + bench_duration(300000000);
            bench_start(&meter);
        }
        contender_async_wait(queue, &task);
    }
    bench_stop(&meter, done - warm_up + 1);
    bench_expect("tasks that ran", counted->value, done);
    contender_release(queue);
    bench_report(&meter);
}
BENCH_SCENARIO("async-wait", BENCH_ASYNC, async_wait)

/* Queues that live for one task, one after the other. Each contender waits for the task in its own way, as in async-wait: the row is about what a
 * queue costs, and a condition variable of the harness would cost more than that. */
static void single_of(contender_queue_t (*create)(void)) {
    bench_slot_t *counted = bench_slots(1);
    bench_task_t task = { bench_count_up, &counted->value };
    bench_meter_t meter = { 0 };
    uint64_t done = 0, end = bench_now() + bench_duration(300000000);
    bench_start(&meter);
    do {
        contender_queue_t queue = create();
        contender_async_wait(queue, &task);
        contender_release(queue);
        ++done;
    } while (bench_now() < end);
    bench_stop(&meter, done);
    bench_expect("tasks that ran", counted->value, done);
    bench_report(&meter);
}
static void single(uint64_t unused) { (void)unused; single_of(contender_create); }
static void single_pooled(uint64_t unused) { (void)unused; single_of(contender_create_shared); }
BENCH_SCENARIO("single", BENCH_ASYNC, single)
BENCH_SCENARIO("single-pooled", BENCH_MANY, single_pooled)

static void to_and_fro(uint64_t unused) { (void)unused; ping_pong_of(contender_create_shared); }
BENCH_SCENARIO("to-and-fro", BENCH_MANY, to_and_fro)

#ifdef CONTENDER_HAS_TIMERS
/* A time limit of something that is done at once: a timer due in an hour, started and cancelled. */
static void timer_brief_of(bench_task_t gone, bench_countdown_t *countdown) {
    enum { BATCH = 1000 };
    contender_queue_t queue = contender_create();
    bench_task_t never = { bench_count_up, countdown };
    bench_meter_t meter = { 0 };
    for (int i = 0; i < 2 || meter.wall < bench_duration(300000000); ++i) {
        bench_meter_t *measured = &meter, warm_up = { 0 };
        if (i == 0) measured = &warm_up;
        if (gone.function) countdown->target += BATCH;
        bench_start(measured);
        for (int j = 0; j < BATCH; ++j) contender_timer_end(contender_timer_start(queue, 3600000000000u, &never, &gone));
        contender_timers_ended();
        if (gone.function) bench_gate_pass(countdown->gate);
        bench_stop(measured, BATCH);
    }
    bench_expect("timers that were ended", countdown->counted, countdown->target);
    contender_release(queue);
    bench_report(&meter);
}
static void timer_brief(uint64_t unused) {
    bench_countdown_t *countdown = bench_countdown_create();
    (void)unused;
    timer_brief_of((bench_task_t){ count_together_and_open, countdown }, countdown);
}
BENCH_SCENARIO("timer-brief", 0, timer_brief)

/* Nothing is called for a timer that was cancelled, as in Go, Java and Rust. */
static void timer_brief_plain(uint64_t unused) { (void)unused; timer_brief_of((bench_task_t){ NULL, NULL }, bench_countdown_create()); }
BENCH_SCENARIO("timer-brief-plain", 0, timer_brief_plain)
#endif

#endif

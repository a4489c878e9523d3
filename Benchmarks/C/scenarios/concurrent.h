/* concurrent.h: readers and barriers on a concurrent queue; next to it what one would use without a queue: a pthread_rwlock (contender
 * mutex) and GLib's GRWLock (contender glib).
 *
 * Rows: scenario | figure | bar and goal | title | how often
 *   concurrent-read    | wall | 0.6 0.4   | concurrent: read
 *   concurrent-barrier | wall | 0.6 0.4   | concurrent: barrier
 *   concurrent-mixed-2 | wall | 0.25 0.15 | concurrent: 2 threads, 1 % barriers | times 3
 *   concurrent-mixed-8 | wall | none      | concurrent: 8 threads, 1 % barriers | times 3
 *   concurrent-async   | wall | 0.4 0.2   | concurrent: async, drained
 */
#if defined(CONTENDER_OURS)
#define HAS_READERS
#define HAS_ASYNC_READERS
typedef sq_queue_t *readers_t;
static readers_t readers_create(void) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.width = SQ_WIDTH_POOL;
    return create_with(&options);
}
static void readers_release(readers_t queue) { sq_queue_release(queue); }
static void readers_read(readers_t queue, const bench_task_t *task) {
    if (sq_sync(queue, task->function, task->context) != 0) bench_fail("sq_sync failed.");
}
static void readers_write(readers_t queue, const bench_task_t *task) {
    if (sq_sync_barrier(queue, task->function, task->context) != 0) bench_fail("sq_sync_barrier failed.");
}
static void readers_async(readers_t queue, const bench_task_t *task) {
    if (sq_async(queue, task->function, task->context) != 0) bench_fail("sq_async failed.");
}
static void readers_async_barrier(readers_t queue, const bench_task_t *task) {
    if (sq_async_barrier(queue, task->function, task->context) != 0) bench_fail("sq_async_barrier failed.");
}
#elif defined(CONTENDER_LIBDISPATCH)
#define HAS_READERS
#define HAS_ASYNC_READERS
typedef dispatch_queue_t readers_t;
static readers_t readers_create(void) { return dispatch_queue_create("bench", DISPATCH_QUEUE_CONCURRENT); }
static void readers_release(readers_t queue) { dispatch_release(queue); }
static void readers_read(readers_t queue, const bench_task_t *task) { dispatch_sync_f(queue, task->context, task->function); }
static void readers_write(readers_t queue, const bench_task_t *task) {
    dispatch_barrier_sync_f(queue, task->context, task->function);
}
static void readers_async(readers_t queue, const bench_task_t *task) { dispatch_async_f(queue, task->context, task->function); }
static void readers_async_barrier(readers_t queue, const bench_task_t *task) {
    dispatch_barrier_async_f(queue, task->context, task->function);
}
#elif defined(CONTENDER_MUTEX)
#define HAS_READERS
typedef pthread_rwlock_t *readers_t;
static readers_t readers_create(void) {
    pthread_rwlock_t *lock = (pthread_rwlock_t *)malloc(sizeof *lock);
    if (!lock || pthread_rwlock_init(lock, NULL) != 0) bench_fail("a pthread_rwlock could not be made.");
    return lock;
}
static void readers_release(readers_t lock) {
    pthread_rwlock_destroy(lock);
    free(lock);
}
static void readers_read(readers_t lock, const bench_task_t *task) {
    pthread_rwlock_rdlock(lock);
    task->function(task->context);
    pthread_rwlock_unlock(lock);
}
static void readers_write(readers_t lock, const bench_task_t *task) {
    pthread_rwlock_wrlock(lock);
    task->function(task->context);
    pthread_rwlock_unlock(lock);
}
#elif defined(CONTENDER_GLIB)
#define HAS_READERS
typedef GRWLock *readers_t;
static readers_t readers_create(void) {
    GRWLock *lock = g_new(GRWLock, 1);
    g_rw_lock_init(lock);
    return lock;
}
static void readers_release(readers_t lock) {
    g_rw_lock_clear(lock);
    g_free(lock);
}
static void readers_read(readers_t lock, const bench_task_t *task) {
    g_rw_lock_reader_lock(lock);
    task->function(task->context);
    g_rw_lock_reader_unlock(lock);
}
static void readers_write(readers_t lock, const bench_task_t *task) {
    g_rw_lock_writer_lock(lock);
    task->function(task->context);
    g_rw_lock_writer_unlock(lock);
}
#endif

#ifdef HAS_READERS
/* One thread, `call` without pause on a queue that nobody else uses. */
static void readers_alone(void (*call)(readers_t, const bench_task_t *)) {
    enum { BATCH = 1000 };
    uint64_t counted = 0, expected = BATCH;
    bench_task_t task = { bench_count_up, &counted };
    readers_t queue = readers_create();
    bench_meter_t meter = { 0 };

    for (int i = 0; i < BATCH; ++i) call(queue, &task);
    uint64_t end = bench_now() + bench_duration(300000000);
    bench_start(&meter);
    do {
        for (int i = 0; i < BATCH; ++i) call(queue, &task);
        expected += BATCH;
    } while (bench_now() < end);
    bench_stop(&meter, expected - BATCH);
    readers_release(queue);
    bench_expect("tasks that ran", counted, expected);
    bench_report(&meter);
}

static void concurrent_read(uint64_t unused) {
    (void)unused;
    readers_alone(readers_read);
}

static void concurrent_barrier(uint64_t unused) {
    (void)unused;
    readers_alone(readers_write);
}

typedef struct readers_race {
    readers_t queue;
    uint64_t end;
    unsigned barriers_in; /* one call in so many is a barrier; 0: none */
    bench_slot_t *done, *read; /* by thread */
    bench_slot_t *written;
} readers_race_t;

static void read_and_write(unsigned index, void *context) {
    const readers_race_t race = *(const readers_race_t *)context;
    bench_task_t reads = { bench_count_up, &race.read[index].value }, writes = { bench_count_up, &race.written->value };
    uint64_t done = 0;
    do {
        ++done;
        if (race.barriers_in != 0 && done % race.barriers_in == 0) readers_write(race.queue, &writes);
        else readers_read(race.queue, &reads);
    } while ((done & 15) != 0 || bench_now() < race.end);
    race.done[index].value = done;
}

/* `threads` threads read without pause for 0.4 s, each a counter of its own; per call that any of them completed. */
static void race_of_readers(uint64_t threads, unsigned barriers_in) {
    bench_crew_t *crew = bench_crew_create((unsigned)threads);
    readers_race_t race = { readers_create(), 0, barriers_in, bench_slots(threads), bench_slots(threads), bench_slots(1) };
    bench_meter_t meter = { 0 };
    uint64_t total = 0, ran = 0;

    race.end = bench_now() + bench_duration(400000000);
    bench_start(&meter);
    bench_crew_run(crew, read_and_write, &race);
    for (uint64_t i = 0; i < threads; ++i) {
        total += race.done[i].value;
        ran += race.read[i].value;
    }
    bench_stop(&meter, total);
    readers_release(race.queue);
    bench_expect("tasks that ran", ran + race.written->value, total);
    bench_report(&meter);
}

static void concurrent_mixed(uint64_t threads) { race_of_readers(threads, 100); }
static void grow_read(uint64_t threads) { race_of_readers(threads, 0); }

BENCH_SCENARIO("concurrent-read", 0, concurrent_read)
BENCH_SCENARIO("concurrent-barrier", 0, concurrent_barrier)
BENCH_SCENARIO("concurrent-mixed", 0, concurrent_mixed) /* threads */
BENCH_SCENARIO("grow-read", 0, grow_read)               /* threads */
#endif

#ifdef HAS_ASYNC_READERS
static void count_together(void *slot) { __atomic_fetch_add(&((bench_slot_t *)slot)->value, 1, __ATOMIC_RELAXED); }
static void open_gate(void *gate) { bench_gate_open((bench_gate_t *)gate); }

/* One thread submits 500,000 readers, and a barrier behind them; from the first submission until the barrier has run. */
static void concurrent_async(uint64_t unused) {
    enum { TASKS = 500000 };
    readers_t queue = readers_create();
    bench_slot_t *counted = bench_slots(1);
    bench_gate_t *gate = bench_gate_create();
    bench_task_t reads = { count_together, counted }, last = { open_gate, gate };
    bench_meter_t meter = { 0 };
    uint64_t expected = 0;
    (void)unused;

    for (int i = 0; i < 3 || meter.wall < bench_duration(300000000); ++i) {
        bench_meter_t *measured = &meter, warm_up = { 0 };
        if (i == 0) measured = &warm_up;
        bench_start(measured);
        for (int submitted = 0; submitted < TASKS; ++submitted) readers_async(queue, &reads);
        readers_async_barrier(queue, &last);
        bench_gate_pass(gate);
        bench_stop(measured, TASKS);
        expected += TASKS;
    }
    bench_expect("tasks that ran", counted->value, expected);
    readers_release(queue);
    bench_report(&meter);
}

BENCH_SCENARIO("concurrent-async", 0, concurrent_async)
#endif

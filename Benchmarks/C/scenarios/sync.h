/* sync.h: sync on an idle queue, sync against other threads, and a queue that lives for one sync. */

/* Rows: scenario | figure | bar and goal | title | how often
 *   sync-uncontended    | wall | 0.90 0.75 | sync, uncontended
 *   sync-side-by-side   | wall | 0.90 0.75 | sync, 2 threads, a queue each
 *   sync-contended-2    | wall | 0.05 0.01 | sync, 2 threads contending | times 3
 *   sync-contended-4    | wall | 0.05 0.01 | sync, 4 threads contending | busy 3
 *   sync-contended-8    | wall | 0.05 0.01 | sync, 8 threads contending | busy 3
 *   sync-contended-64   | wall | 1.0 0.5   | sync, 64 threads contending | busy 3
 *   sync-contended-256  | wall | 1.0 0.5   | sync, 256 threads contending | busy 3
 *   create-release      | wall | 0.7 0.5   | create and release
 *   create-sync-release | wall | 0.7 0.5   | create, one sync, release
 *
 * Two threads that contend may collide or miss each other for a whole run, depending on where the scheduler puts them. On
 * a busy machine so may any number: hence three times as many runs. */

/* One thread, an idle queue: to compare with what a lock costs. */
static void sync_uncontended(uint64_t unused) {
    enum { BATCH = 1000 };
    uint64_t counted = 0, expected = 0;
    bench_task_t task = { bench_count_up, &counted };
    contender_queue_t queue = contender_create();
    bench_meter_t meter = { 0 };
    (void)unused;

    for (int i = 0; i < BATCH; ++i) contender_sync(queue, &task);
    expected = BATCH;
    uint64_t end = bench_now() + bench_duration(300000000);
    bench_start(&meter);
    do {
        for (int i = 0; i < BATCH; ++i) contender_sync(queue, &task);
        expected += BATCH;
    } while (bench_now() < end);
    bench_stop(&meter, expected - BATCH);
    contender_release(queue);
    bench_expect("sync tasks that ran", counted, expected);
    bench_report(&meter);
}

static void sync_until_the_end(unsigned index, void *context) {
    const race_t race = *(const race_t *)context;
    bench_task_t task = { bench_count_up, &race.counted->value };
    uint64_t done = 0;
    do {
        contender_sync(race.queue, &task);
        ++done;
    } while ((done & 15) != 0 || bench_now() < race.end);
    race.done[index].value = done;
}

typedef struct own_pair {
    contender_queue_t queue[2];
    uint64_t end;
    bench_slot_t *done, *counted;
} own_pair_t;

static void sync_on_own(unsigned index, void *context) {
    const own_pair_t pair = *(const own_pair_t *)context;
    bench_task_t task = { bench_count_up, &pair.counted[index].value };
    uint64_t done = 0;
    do {
        contender_sync(pair.queue[index], &task);
        ++done;
    } while ((done & 127) != 0 || bench_now() < pair.end);
    pair.done[index].value = done;
}

/* `threads` threads call sync without pause. */
static void sync_contended(uint64_t threads) { race_for_the_queue(threads, 1, sync_until_the_end); }

/* Two threads, each with a queue of its own, which were created one after the other: all such pairs of five, as what lies on one cache line depends on
 * the address. */
enum { SIDE_BY_SIDE = 5 };

static void sync_side_by_side(uint64_t unused) {
    bench_crew_t *crew = bench_crew_create(2);
    contender_queue_t queues[SIDE_BY_SIDE];
    bench_meter_t meter = { 0 };
    (void)unused;
    for (int i = 0; i < SIDE_BY_SIDE; ++i) queues[i] = contender_create();
    for (int i = 0; i + 1 < SIDE_BY_SIDE; ++i) {
        own_pair_t pair = { { queues[i], queues[i + 1] }, bench_now() + bench_duration(100000000), bench_slots(2), bench_slots(2) };
        bench_start(&meter);
        bench_crew_run(crew, sync_on_own, &pair);
        bench_stop(&meter, pair.done[0].value + pair.done[1].value);
        for (int k = 0; k < 2; ++k) bench_expect("sync tasks that ran", pair.counted[k].value, pair.done[k].value);
    }
    for (int i = 0; i < SIDE_BY_SIDE; ++i) contender_release(queues[i]);
    bench_report(&meter);
}

/* Creates a queue and releases it. */
static void create_release(uint64_t unused) {
    enum { BATCH = 100 };
    uint64_t made = 0, end = bench_now() + bench_duration(300000000);
    bench_meter_t meter = { 0 };
    (void)unused;
    contender_release(contender_create());
    bench_start(&meter);
    do {
        for (int i = 0; i < BATCH; ++i) contender_release(contender_create());
        made += BATCH;
    } while (bench_now() < end);
    bench_stop(&meter, made);
    bench_report(&meter);
}

static void create_sync_release_once(bench_task_t *task) {
    contender_queue_t queue = contender_create();
    contender_sync(queue, task);
    contender_release(queue);
}

/* Creates a queue, uses it for one sync, and releases it. */
static void create_sync_release(uint64_t unused) {
    enum { BATCH = 100 };
    uint64_t counted = 0, made = 1, end = bench_now() + bench_duration(300000000);
    bench_task_t task = { bench_count_up, &counted };
    bench_meter_t meter = { 0 };
    (void)unused;
    create_sync_release_once(&task);
    bench_start(&meter);
    do {
        for (int i = 0; i < BATCH; ++i) create_sync_release_once(&task);
        made += BATCH;
    } while (bench_now() < end);
    bench_stop(&meter, made - 1);
    bench_expect("sync tasks that ran", counted, made);
    bench_report(&meter);
}

BENCH_SCENARIO("sync-uncontended", BENCH_SYNC, sync_uncontended)
BENCH_SCENARIO("sync-side-by-side", BENCH_SYNC, sync_side_by_side)
BENCH_SCENARIO("sync-contended", BENCH_SYNC, sync_contended) /* threads */
BENCH_SCENARIO("grow-sync", BENCH_SYNC, sync_contended)      /* threads */
BENCH_SCENARIO("create-release", 0, create_release)
BENCH_SCENARIO("create-sync-release", BENCH_SYNC, create_sync_release)

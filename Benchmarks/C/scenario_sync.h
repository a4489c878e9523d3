/* scenario_sync.h: sync with nobody else about, sync against other threads, and a queue's life around one sync. */

/* One thread, an idle queue: what a lock would cost, and what the queue costs instead. */
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

/* What the tasks write has a cache line of its own: the threads must not fight about anything but the queue. */
typedef struct sync_race {
    contender_queue_t queue;
    uint64_t end;
    bench_slot_t *done; /* by thread */
    bench_slot_t *counted;
} sync_race_t;

static void sync_until_the_end(unsigned index, void *context) {
    const sync_race_t race = *(const sync_race_t *)context;
    bench_task_t task = { bench_count_up, &race.counted->value };
    uint64_t done = 0;
    do {
        contender_sync(race.queue, &task);
        ++done;
    } while ((done & 15) != 0 || bench_now() < race.end);
    race.done[index].value = done;
}

/* `threads` threads make calls without pause for 0.4 s; per call that any of them completed. */
static void race_for_the_queue(uint64_t threads, void (*calls)(unsigned index, void *race)) {
    bench_crew_t *crew = bench_crew_create((unsigned)threads);
    sync_race_t race = { contender_create(), 0, bench_slots(threads), bench_slots(1) };
    bench_meter_t meter = { 0 };
    uint64_t total = 0, least = UINT64_MAX;

    race.end = bench_now() + bench_duration(400000000);
    bench_start(&meter);
    bench_crew_run(crew, calls, &race);
    for (uint64_t i = 0; i < threads; ++i) {
        total += race.done[i].value;
        if (race.done[i].value < least) least = race.done[i].value;
    }
    bench_stop(&meter, total);
    contender_release(race.queue);
    bench_expect("tasks that ran", race.counted->value, total);
    bench_report(&meter);
    bench_metric("least_share", (double)least * (double)threads / (double)total); /* 1: all threads got the same */
}

static void sync_contended(uint64_t threads) { race_for_the_queue(threads, sync_until_the_end); }

/* A queue that is made and let go of. */
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

/* A queue that is made, used for one sync, and let go of. */
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

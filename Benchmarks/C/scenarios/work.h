/* work.h: threads that compute inside the queue and outside of it, as a program does.
 *
 * Rows: scenario | figure | bar and goal | title | how often
 *   sync-work-4  | wall     | 0.5 0.25; busy 1.0 | 4 threads, 1 µs in sync, 5 µs outside | busy 3
 *   sync-work-4  | call_p99 | 1.0 0.5; busy 1.2  | 4 threads, the same: p99 of a call | busy 3
 *   sync-work-4  | call_p999 | 1.5 1.0; one 1.5; busy 1.5 | 4 threads, the same: p99.9 of a call | busy 3
 *   sync-work-4  | call_max  | 2.0 1.0; one 2.0; busy 2.0 | 4 threads, the same: the longest call | busy 3
 *   sync-work-8  | wall     | 0.5 0.25; busy 1.0 | 8 threads, 1 µs in sync, 5 µs outside | busy 3
 *   sync-work-8  | call_p99 | 1.0 0.5; busy 1.2  | 8 threads, the same: p99 of a call | busy 3
 *   sync-work-8  | call_p999 | 1.5 1.0; one 1.5; busy 1.5 | 8 threads, the same: p99.9 of a call | busy 3
 *   sync-work-8  | call_max  | 2.0 1.0; one 2.0; busy 2.0 | 8 threads, the same: the longest call | busy 3
 *   sync-work-16 | wall     | 0.5 0.25; busy 1.0 | 16 threads, 1 µs in sync, 5 µs outside | busy 3
 *   sync-work-16 | call_p99 | 1.0 0.5; busy 1.2  | 16 threads, the same: p99 of a call | busy 3
 *   sync-work-16 | call_p999 | 1.5 1.0; one 1.5; busy 1.5 | 16 threads, the same: p99.9 of a call | busy 3
 *   sync-work-16 | call_max  | 2.0 1.0; one 2.0; busy 2.0 | 16 threads, the same: the longest call | busy 3
 */

enum { WORK_INSIDE = 1000, WORK_OUTSIDE = 5000, WORK_SAMPLES = 1 << 17 };

typedef struct work_race {
    contender_queue_t queue;
    uint64_t end;
    bench_slot_t *done; /* by thread */
    bench_slot_t *counted;
    uint64_t *samples; /* WORK_SAMPLES of each thread: how long each call took, the latest ones */
} work_race_t;

static void compute_and_count(void *context) {
    bench_compute(WORK_INSIDE);
    bench_count_up(context);
}

static void work_until_the_end(unsigned index, void *context) {
    const work_race_t race = *(const work_race_t *)context;
    uint64_t *samples = race.samples + (size_t)index * WORK_SAMPLES;
    bench_task_t task = { compute_and_count, &race.counted->value };
    uint64_t done = 0, ended;
    do {
        bench_compute(WORK_OUTSIDE);
        uint64_t began = bench_now();
        contender_sync(race.queue, &task);
        ended = bench_now();
        samples[done++ % WORK_SAMPLES] = ended - began;
    } while (ended < race.end);
    race.done[index].value = done;
}

/* Moves the samples of all threads together and returns how many there are. */
static size_t gather(const work_race_t *race, uint64_t threads) {
    size_t count = 0;
    for (uint64_t i = 0; i < threads; ++i) {
        size_t taken = race->done[i].value < WORK_SAMPLES ? (size_t)race->done[i].value : (size_t)WORK_SAMPLES;
        memmove(race->samples + count, race->samples + i * WORK_SAMPLES, taken * sizeof *race->samples);
        count += taken;
    }
    return count;
}

/* `threads` threads, each in a loop for 0.5 s: 5 us of work, then a sync with 1 us of work in it. Per call that any of
 * them completed, and how long a call took: the wait and the work inside. */
static void sync_work(uint64_t threads) {
    bench_crew_t *crew = bench_crew_create((unsigned)threads);
    uint64_t *samples = (uint64_t *)malloc(threads * WORK_SAMPLES * sizeof *samples);
    work_race_t race = { contender_create(), 0, bench_slots(threads), bench_slots(1), samples };
    bench_meter_t meter = { 0 };
    uint64_t total = 0;

    if (!samples) bench_fail("there is no memory.");
    memset(samples, 1, threads * WORK_SAMPLES * sizeof *samples); /* no page faults while it measures */
    bench_calibrate();
    race.end = bench_now() + bench_duration(500000000);
    bench_start(&meter);
    bench_crew_run(crew, work_until_the_end, &race);
    for (uint64_t i = 0; i < threads; ++i) total += race.done[i].value;
    bench_stop(&meter, total);
    contender_release(race.queue);
    bench_expect("sync tasks that ran", race.counted->value, total);
    bench_report(&meter);
    bench_percentiles("call", samples, gather(&race, threads));
}

BENCH_SCENARIO("sync-work", BENCH_SYNC, sync_work) /* threads */

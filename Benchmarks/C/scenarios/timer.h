/* timer.h: delayed tasks and timers.
 *
 * Rows: scenario | figure | bar and goal | title | how often
 *   after-1000     | late_p50 | none | delayed by 1 ms: late, p50
 *   after-1000     | late_p99 | none | delayed by 1 ms: late, p99
 *   timers-1000000 | wall     |      | 10^6 timers, start and cancel each | rounds 3
 */
#ifdef CONTENDER_HAS_TIMERS

typedef struct after_race {
    bench_gate_t *gate;
    uint64_t ran_at;
} after_race_t;

static void note_time_and_open(void *context) {
    after_race_t *race = (after_race_t *)context;
    race->ran_at = bench_now();
    bench_gate_open(race->gate);
}

/* One delayed task at a time on an idle queue, due in `microseconds`: how late it begins. */
static void after_delay(uint64_t microseconds) {
    enum { MOST = 4000 };
    static uint64_t late[MOST];
    after_race_t race = { bench_gate_create(), 0 };
    bench_task_t task = { note_time_and_open, &race };
    contender_queue_t queue = contender_create();
    size_t count = 0;
    for (uint64_t end = bench_now() + bench_duration(2000000000); count < MOST && bench_now() < end; ++count) {
        uint64_t due = bench_now() + microseconds * 1000;
        contender_after(queue, microseconds * 1000, &task);
        bench_gate_pass(race.gate);
        if (race.ran_at < due) bench_fail("A delayed task came early.");
        late[count] = race.ran_at - due;
    }
    contender_release(queue);
    bench_percentiles("late", late, count);
}

/* `count` timers on one queue, each due at its own time an hour ahead: created and started, then cancelled and released in
 * another order, until the last context is free; per timer. */
static void timers_of(uint64_t count, bench_task_t gone, bench_countdown_t *countdown) {
    contender_queue_t queue = contender_create();
    bench_task_t never = { bench_count_up, countdown };
    contender_timer_t *all = (contender_timer_t *)calloc(count, sizeof *all);
    bench_meter_t meter = { 0 };
    countdown->target = gone.function ? count : 0;
    bench_start(&meter);
    for (uint64_t i = 0; i < count; ++i) {
        all[i] = contender_timer_start(queue, 3600000000000u + i * 7919 % count * 1000, &never, &gone);
    }
    for (uint64_t i = 0; i < count; ++i) contender_timer_end(all[i * 104729 % count]);
    contender_timers_ended();
    if (gone.function) bench_gate_pass(countdown->gate);
    bench_stop(&meter, count);
    bench_expect("timers that were ended", countdown->counted, countdown->target);
    contender_release(queue);
    bench_report(&meter);
}

static void timers(uint64_t count) {
    bench_countdown_t *countdown = bench_countdown_create();
    timers_of(count, (bench_task_t){ count_together_and_open, countdown }, countdown);
}

/* Nothing is called for a timer that was cancelled, as in Go, Java and Rust. */
static void timers_plain(uint64_t count) { timers_of(count, (bench_task_t){ NULL, NULL }, bench_countdown_create()); }

BENCH_SCENARIO("after", 0, after_delay) /* microseconds */
BENCH_SCENARIO("timers", 0, timers)     /* timers */
BENCH_SCENARIO("timers-plain", 0, timers_plain) /* timers */

#endif

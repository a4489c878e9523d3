/* race.h: several threads that make calls on one queue without pause, which many scenarios have in common. */

/* What the tasks write has a cache line of its own: the threads share nothing but the queue. */
typedef struct race {
    contender_queue_t queue;
    uint64_t end;
    bench_slot_t *done; /* by thread */
    bench_slot_t *counted;
} race_t;

/* `threads` threads do `rounds` without pause for 0.4 s; per round that any of them completed. `rounds` calls until
 * race_t.end, stores the number of its rounds, and runs `tasks` tasks in each. */
static void race_for_the_queue(uint64_t threads, uint64_t tasks, void (*rounds)(unsigned index, void *race)) {
    bench_crew_t *crew = bench_crew_create((unsigned)threads);
    race_t race = { contender_create(), 0, bench_slots(threads), bench_slots(1) };
    bench_meter_t meter = { 0 };
    uint64_t total = 0, least = UINT64_MAX;

    race.end = bench_now() + bench_duration(400000000);
    bench_start(&meter);
    bench_crew_run(crew, rounds, &race);
    for (uint64_t i = 0; i < threads; ++i) {
        total += race.done[i].value;
        if (race.done[i].value < least) least = race.done[i].value;
    }
    bench_stop(&meter, total);
    contender_release(race.queue);
    bench_expect("tasks that ran", race.counted->value, tasks * total);
    bench_report(&meter);
    bench_metric("least_share", (double)least * (double)threads / (double)total); /* 1: all threads got the same */
}

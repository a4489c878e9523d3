/* harness.h: what every contender's bench program shares: time, processor time, threads, counting, the JSON line.
 *
 * One process measures one scenario for one contender and prints one line of JSON. Each contender has one file (ours.c,
 * libdispatch.c, ...), which defines the few operations that the scenarios call and then includes scenarios.h. So the
 * compiler sees direct calls, and the same lines measure every contender. */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*bench_function_t)(void *context);

/* A task as the scenarios hand it over: by address, so that no contender has to allocate in order to carry two words. */
typedef struct bench_task {
    bench_function_t function;
    void *context;
} bench_task_t;

/* What a contender can do; a scenario that needs more is "n/a" for it. */
enum {
    BENCH_ASYNC = 1, /* runs a task on another thread */
    BENCH_SYNC = 2,  /* runs a task and returns when it is done */
    BENCH_MANY = 4   /* 100,000 queues at a time: queues share threads */
};

typedef struct bench_contender {
    const char *name;
    unsigned can;         /* BENCH_ASYNC | ... */
    const char *why_not;  /* why it cannot do the rest: printed next to "n/a" */
} bench_contender_t;

/* Registers a scenario before main runs. "async-4" runs the scenario "async" with parameter 4; `needs`: BENCH_ASYNC | ... */
void bench_register(const char *name, unsigned needs, void (*run)(uint64_t parameter));
#define BENCH_SCENARIO(name, needs, run) BENCH_SCENARIO_AT(name, needs, run, __COUNTER__)
#define BENCH_SCENARIO_AT(name, needs, run, number) BENCH_REGISTER(name, needs, run, number)
#define BENCH_REGISTER(name, needs, run, number) \
    static void __attribute__((constructor)) bench_register_##number(void) { bench_register(name, needs, run); }

/* Time: nanoseconds on CLOCK_MONOTONIC. */
uint64_t bench_now(void);
void bench_sleep(uint64_t nanoseconds);

/* How long a measurement takes, shortened by BENCH_QUICK=1: `nanoseconds`, or a quarter of it. */
uint64_t bench_duration(uint64_t nanoseconds);

/* A meter adds up wall time, processor time (user + system, all threads) and context switches over several passes. */
typedef struct bench_meter {
    uint64_t wall, cpu, switches, tasks;
    uint64_t wall_began, cpu_began, switches_began;
} bench_meter_t;

void bench_start(bench_meter_t *meter);
void bench_stop(bench_meter_t *meter, uint64_t tasks);

/* Adds wall, cpu and switches per task to the JSON line. */
void bench_report(const bench_meter_t *meter);
/* Adds one more figure to the JSON line. */
void bench_metric(const char *name, double value);

/* Ends the process with a sentence and status 1 unless `counted == expected`. */
void bench_expect(const char *what, uint64_t counted, uint64_t expected);
void bench_fail(const char *sentence);

/* The task of nearly all scenarios: ++*(uint64_t *)context. The queue makes it safe. */
void bench_count_up(void *context);

/* A gate that is shut until it is opened; waiting at it sleeps. The wait fails the run after a minute. */
typedef struct bench_gate bench_gate_t;
bench_gate_t *bench_gate_create(void);
void bench_gate_open(bench_gate_t *gate);
void bench_gate_pass(bench_gate_t *gate); /* waits until it is open, and shuts it again */

/* A task that counts, and opens the gate when it has counted to `target`. What tasks write has cache lines of its own:
 * the threads of a scenario must not fight about anything but the queue. */
typedef struct bench_countdown {
    uint64_t counted, target;
    bench_gate_t *gate;
} bench_countdown_t;
bench_countdown_t *bench_countdown_create(void);
void bench_count_and_open(void *countdown);

/* A crew of threads, including the caller, that does `work(index, context)` on each and returns when all are done. */
typedef struct bench_crew bench_crew_t;
bench_crew_t *bench_crew_create(unsigned threads);
void bench_crew_run(bench_crew_t *crew, void (*work)(unsigned index, void *context), void *context);

/* `count` counters, each on cache lines of its own. */
typedef struct bench_slot {
    uint64_t value;
    char padding[120];
} bench_slot_t;
bench_slot_t *bench_slots(size_t count);

/* Sorts `samples` and adds percentiles and the longest: "<name>_p50", "<name>_p99", "<name>_p999" (99.9) and "<name>_max". */
void bench_percentiles(const char *name, uint64_t *samples, size_t count);

/* Computes for about `nanoseconds` of processor time: a number of steps that bench_calibrate() found. A thread that is
 * preempted in between still has the rest of its steps to do, as real work has. */
void bench_calibrate(void);
void bench_compute(uint64_t nanoseconds);

/* Bytes that malloc has handed out and not got back, and bytes of memory in use as the kernel sees it. */
uint64_t bench_heap_bytes(void);
uint64_t bench_resident_bytes(void);
uint64_t bench_threads(void);

/* The beginning and the end of the JSON line. bench_end ends the process as well, without waiting for the queues'
 * threads: this is no test of how a process ends. */
void bench_begin(const char *contender, const char *scenario);
void bench_not_applicable(const char *why);
void bench_end(void);

/* A task that opens the first of two gates and waits at the second: it holds its queue. The context: bench_gate_t *[2]. */
void bench_hold(void *gates);

/* Runs the scenario that argv[1] names; returns main's status. */
int bench_main(int argc, char **argv, const bench_contender_t *contender);

#ifdef __cplusplus
}
#endif
#endif

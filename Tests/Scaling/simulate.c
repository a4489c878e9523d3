/* simulate.c: runs the scenarios on simulated cores, and prints what they cost.
 *
 * simulate [WORD]   all scenarios, or those whose names contain WORD; FAR=1: processors in groups of eight, with distant ones far away */
#include "explore.h"
#include "machine.h"
#include "scaling.h"

#include "gate/gate_inline.h"
#include "pool/pool_internal.h"
#include "state/state_inline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3, WARM = 256, COUNT = 512, STRIPES = 128 };

/* Nanoseconds times 1000. Measured on the machine that Documentation/Performance.md names, or assumed; it says which is which. */
sc_costs_t sc_costs = { .access = 170, .swap = 2500, .move = 24000, .far = 24000, .hold = 8000, .shared = 5000, .pause = 26000, .yield = 300000,
                        .clock = 27000, .call = 300000, .wake = 5000000, .latency = 5000000, .group = 8 };

typedef struct result {
    double time, operations; /* picoseconds, and how many were done in them */
    sc_lines_t lines;
} result_t;

static const sc_scenario_t *scenario;
static unsigned processors, threads, arrived;
static uint64_t began, ended;
static sc_lines_t before;

void sc_know_queue(sq_queue_t *queue) {
    size_t in_front = sq__is_concurrent(queue) ? sizeof(sq__concurrent_t) : 0;
    sc_name((char *)queue - in_front, in_front + sizeof *queue, SC_QUEUE);
    sc_name(&queue->state, sizeof queue->state, SC_STATE);
    if (in_front > 0) {
        sc_name((char *)queue - in_front, sizeof(sq__gate_t), SC_STATE);
    }
}
void sc_know_pool(sq_pool_t *pool) { sc_name(pool, sizeof *pool, SC_POOL), sc_name(pool->shards, sizeof *pool->shards * pool->count, SC_POOL); }
void sc_know_object(const void *object, size_t bytes) { sc_name(object, bytes, SC_OBJECT); }

/* The last thread that has warmed up lets all of them begin, at the same time. */
static void begin_together(void) {
    sc_pass();
    arrived += 1;
    if (arrived < threads) {
        (void)ex_block(&arrived, NULL, UINT64_MAX, false);
    } else {
        began = sc_clock() + sc_costs.latency;
        before = sc_lines;
        while (ex_wake(&arrived)) {
        }
    }
    sc_clock_at_least(began);
}

static void thread_main(void *argument) {
    unsigned thread = (unsigned)(uintptr_t)argument;
    scenario->work(thread, WARM);
    begin_together();
    scenario->work(thread, COUNT);
    ended = sc_clock() > ended ? sc_clock() : ended;
}

static void run_one(void) {
    int ids[SC_PROCESSORS];
    arrived = 0, ended = 0;
    scenario->begin(processors);
    threads = scenario->threads(processors);
    for (unsigned i = 0; i < threads; i += 1) {
        ids[i] = ex_start(thread_main, (void *)(uintptr_t)i, false);
    }
    for (unsigned i = 0; i < threads; i += 1) {
        ex_join(ids[i]);
    }
}

static result_t measure(const sc_scenario_t *of, unsigned on) {
    result_t result = { 0 };
    scenario = of;
    processors = ex_processors = on;
    for (unsigned seed = 1; seed <= SEEDS; seed += 1) {
        sc_run(run_one, seed);
        result.time += (double)(ended - began);
        result.operations += (double)of->operations(on, COUNT);
        for (unsigned kind = 0; kind < SC_KINDS; kind += 1) {
            result.lines.moves[kind] += sc_lines.moves[kind] - before.moves[kind];
            result.lines.queued[kind] += sc_lines.queued[kind] - before.queued[kind];
        }
    }
    return result;
}

/* name|processors|nanoseconds between two operations|lines moved for each, by kind|... */
static void print(const char *name, unsigned on, const result_t *result) {
    printf("%s|%u|%.2f", name, on, result->time / result->operations / 1000);
    for (unsigned kind = 0; kind < SC_KINDS; kind += 1) {
        printf("|%.2f", (double)result->lines.moves[kind] / result->operations);
    }
    printf("\n");
    fflush(stdout);
}

int main(int count, char **words) {
    static const unsigned on[] = { 1, 2, 4, 8, 16, 32, 64 };
    if (getenv("FAR") != NULL) {
        sc_costs.far = 4 * sc_costs.move;
    }
    printf("name|processors|ns");
    for (unsigned kind = 0; kind < SC_KINDS; kind += 1) {
        printf("|%s", sc_kinds[kind]);
    }
    printf("\n");
    for (unsigned i = 0; i < sc_scenario_count; i += 1) {
        for (unsigned k = 0; k < sizeof on / sizeof on[0]; k += 1) {
            if (on[k] >= sc_scenarios[i].least && (count < 2 || strstr(sc_scenarios[i].name, words[1]) != NULL)) {
                result_t result = measure(&sc_scenarios[i], on[k]);
                print(sc_scenarios[i].name, on[k], &result);
            }
        }
    }
    return 0;
}

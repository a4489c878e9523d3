/* real.c: runs the scenarios on this machine, on one processor and on two, with the real library.
 *
 * Prints name|processors|nanoseconds of the lowest tenth of many short runs|and of half of them. Other programs run at the same time, so the
 * lowest tenth says most. All runs begin with the threads side by side. */
#include "machine.h"
#include "scaling.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 200, WARM = 512, COUNT = 2048 };

static const sc_scenario_t *scenario;
static unsigned threads;
static atomic_uint arrived;
static _Atomic uint64_t began, ended;

void sc_know_queue(sq_queue_t *queue) { (void)queue; }
void sc_know_pool(sq_pool_t *pool) { (void)pool; }
void sc_know_object(const void *object, size_t bytes) { (void)object, (void)bytes; }

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void wait_for_all(unsigned times) {
    (void)atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < times * threads) {
        __builtin_ia32_pause();
    }
}

static void *thread_main(void *argument) {
    unsigned thread = (unsigned)(uintptr_t)argument;
    wait_for_all(1);
    scenario->work(thread, WARM);
    wait_for_all(2);
    uint64_t start = now();
    scenario->work(thread, COUNT);
    uint64_t end = now(), before = atomic_load(&ended);
    while (before < end && !atomic_compare_exchange_weak(&ended, &before, end)) {
    }
    before = atomic_load(&began);
    while (before > start && !atomic_compare_exchange_weak(&began, &before, start)) {
    }
    return NULL;
}

static double run_one(unsigned processors) {
    pthread_t ids[SC_PROCESSORS];
    atomic_store(&arrived, 0), atomic_store(&began, UINT64_MAX), atomic_store(&ended, 0);
    scenario->begin(processors);
    threads = scenario->threads(processors);
    for (unsigned i = 0; i < threads; i += 1) {
        pthread_create(&ids[i], NULL, thread_main, (void *)(uintptr_t)i);
    }
    for (unsigned i = 0; i < threads; i += 1) {
        pthread_join(ids[i], NULL);
    }
    scenario->end();
    return (double)(ended - began) / (double)scenario->operations(processors, COUNT);
}

static int compare(const void *one, const void *other) { return (*(const double *)one > *(const double *)other) - (*(const double *)one < *(const double *)other); }

int main(int count, char **words) {
    for (unsigned i = 0; i < sc_scenario_count; i += 1) {
        scenario = &sc_scenarios[i];
        for (unsigned processors = 1; processors <= 2; processors += 1) {
            if (processors < scenario->least || (count > 1 && strstr(scenario->name, words[1]) == NULL)) {
                continue;
            }
            double times[RUNS];
            for (unsigned run = 0; run < RUNS; run += 1) {
                times[run] = run_one(processors);
            }
            qsort(times, RUNS, sizeof times[0], compare);
            printf("%s|%u|%.1f|%.1f\n", scenario->name, processors, times[RUNS / 10], times[RUNS / 2]);
            fflush(stdout);
        }
    }
    return 0;
}

/* threads.c: what scenarios with several threads are made of: a computation of a given length, counters, gates, crews. */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* work */

static double steps_per_nanosecond;

static void step(uint64_t count) {
    uint64_t state = count;
    for (uint64_t i = 0; i < count; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(state));
    }
}

void bench_calibrate(void) {
    enum { STEPS = 20000, TRIES = 50 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; ++i) { /* the fastest try is one that nothing interrupted */
        uint64_t began = bench_now();
        step(STEPS);
        uint64_t took = bench_now() - began;
        if (took < least) least = took;
    }
    steps_per_nanosecond = (double)STEPS / (double)least;
}

void bench_compute(uint64_t nanoseconds) { step((uint64_t)((double)nanoseconds * steps_per_nanosecond)); }

/* counting and gates */

/* Zeroed, and alone on its cache lines (two: processors fetch them in pairs). */
static void *alone(size_t size) {
    size = (size + 127) / 128 * 128;
    void *memory = aligned_alloc(128, size);
    if (!memory) bench_fail("there is no memory.");
    return memset(memory, 0, size);
}

void bench_count_up(void *context) { ++*(uint64_t *)context; }

struct bench_gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool open;
};

bench_gate_t *bench_gate_create(void) {
    bench_gate_t *gate = alone(sizeof *gate);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->opened, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return gate;
}

void bench_gate_open(bench_gate_t *gate) {
    pthread_mutex_lock(&gate->lock);
    gate->open = true;
    pthread_mutex_unlock(&gate->lock);
    /* Not under the lock: a waiter that runs at once would wait for it. No gate is freed. */
    pthread_cond_signal(&gate->opened);
}

void bench_gate_pass(bench_gate_t *gate) {
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += 60;
    pthread_mutex_lock(&gate->lock);
    while (!gate->open) {
        if (pthread_cond_timedwait(&gate->opened, &gate->lock, &deadline) == ETIMEDOUT && !gate->open)
            bench_fail("a task that was submitted has not run within a minute: it is lost, or its wake-up is.");
    }
    gate->open = false;
    pthread_mutex_unlock(&gate->lock);
}

bench_slot_t *bench_slots(size_t count) { return alone(count * sizeof(bench_slot_t)); }

bench_countdown_t *bench_countdown_create(void) {
    bench_countdown_t *countdown = alone(sizeof *countdown);
    countdown->gate = bench_gate_create();
    return countdown;
}

void bench_count_and_open(void *context) {
    bench_countdown_t *countdown = context;
    if (++countdown->counted == countdown->target) bench_gate_open(countdown->gate);
}

void bench_hold(void *context) {
    bench_gate_t **gates = context;
    bench_gate_open(gates[0]);
    bench_gate_pass(gates[1]);
}

/* crew */

struct bench_crew {
    unsigned threads;
    pthread_barrier_t begin, end;
    void (*work)(unsigned index, void *context);
    void *context;
};

typedef struct { bench_crew_t *crew; unsigned index; } member_t;

static void *member_main(void *argument) {
    member_t self = *(member_t *)argument;
    free(argument);
    for (;;) {
        pthread_barrier_wait(&self.crew->begin);
        self.crew->work(self.index, self.crew->context);
        pthread_barrier_wait(&self.crew->end);
    }
    return NULL;
}

bench_crew_t *bench_crew_create(unsigned threads) {
    bench_crew_t *crew = calloc(1, sizeof *crew);
    crew->threads = threads;
    pthread_barrier_init(&crew->begin, NULL, threads);
    pthread_barrier_init(&crew->end, NULL, threads);
    for (unsigned i = 1; i < threads; ++i) {
        member_t *member = malloc(sizeof *member);
        pthread_t thread;
        *member = (member_t){ crew, i };
        if (pthread_create(&thread, NULL, member_main, member) != 0) bench_fail("a thread could not be created.");
        pthread_detach(thread);
    }
    return crew;
}

void bench_crew_run(bench_crew_t *crew, void (*work)(unsigned index, void *context), void *context) {
    crew->work = work;
    crew->context = context;
    pthread_barrier_wait(&crew->begin);
    work(0, context);
    pthread_barrier_wait(&crew->end);
}

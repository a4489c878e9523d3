/* cost.c: what probes and traces cost.
 *
 *   cost rows              the names of the rows, one a line, with a title
 *   cost ROW ROUNDS        does the row so many times: run under callgrind, which counts instructions (driver/cost.py)
 *   cost trace             nanoseconds per recorded event, besides reading the clock, as JSON
 *
 * Every row runs on one thread, so that it takes the same instructions each time: asynchronous work is on a manual pool. */
#include "serial_queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sq_queue_t *serial, *concurrent, *manual;
static sq_pool_t *pool;
static sq_group_t *group;
static sq_semaphore_t *semaphore;
static size_t count;

static void must(int error) {
    if (error) {
        fprintf(stderr, "cost: %s\n", sq_error_text(error));
        exit(1);
    }
}

static void add_one(void *context) { *(size_t *)context += 1; }
static void add_pair(void *first, void *second, bool runs) { (void)second; *(size_t *)first += runs; }

static void do_sync(void) { must(sq_sync(serial, add_one, &count)); }
static void do_async_and_wait(void) { must(sq_async_and_wait(serial, SQ_FOREVER, add_one, &count)); }
static void do_read(void) { must(sq_sync(concurrent, add_one, &count)); }
static void do_barrier(void) { must(sq_sync_barrier(concurrent, add_one, &count)); }

static void do_async(void) {
    must(sq_async(manual, add_one, &count));
    (void)sq_pool_run(pool);
}

static void do_asyncs(void) {
    for (int i = 0; i < 100; i += 1) {
        must(sq_async(manual, add_one, &count));
    }
    (void)sq_pool_run(pool);
}

static void do_pairs(void) {
    for (int i = 0; i < 100; i += 1) {
        must(sq_async_pair(manual, SQ_NOW, add_pair, &count, NULL));
    }
    (void)sq_pool_run(pool);
}

static void do_members(void) {
    for (int i = 0; i < 100; i += 1) {
        must(sq_group_async(group, manual, add_one, &count));
    }
    (void)sq_pool_run(pool);
}

static void do_item(void) {
    sq_item_t *item = sq_item_create("item", &(sq_task_t){ add_one, &count, NULL });
    must(item == NULL ? ENOMEM : sq_item_submit(item, manual));
    (void)sq_pool_run(pool);
    sq_item_release(item);
}

static void do_semaphore(void) {
    must(sq_semaphore_wait(semaphore, SQ_FOREVER));
    must(sq_semaphore_signal(semaphore));
}

static void do_create(void) {
    sq_queue_t *queue = sq_queue_create("com.example.brief", NULL);
    must(queue == NULL ? ENOMEM : sq_sync(queue, add_one, &count));
    sq_queue_release(queue);
}

static void do_delayed(void) {
    must(sq_async_after(manual, 1000, add_one, &count));
    (void)sq_pool_advance(pool, 1000);
}

static const struct row {
    const char *name;
    void (*once)(void);
    unsigned tasks; /* that one call does */
    const char *title;
} rows[] = {
    { "sync", do_sync, 1, "sync, uncontended" },
    { "async-and-wait", do_async_and_wait, 1, "`sq_async_and_wait`, uncontended" },
    { "async", do_async, 1, "async on an idle queue, run" },
    { "asyncs", do_asyncs, 100, "async into a backlog of 100, run" },
    { "pairs", do_pairs, 100, "the same by `sq_async_pair`, as Swift does" },
    { "members", do_members, 100, "the same by `sq_group_async`" },
    { "item", do_item, 1, "item: create, submit, run, release" },
    { "semaphore", do_semaphore, 1, "semaphore, wait and signal" },
    { "read", do_read, 1, "concurrent queue: a read" },
    { "barrier", do_barrier, 1, "concurrent queue: a barrier" },
    { "create", do_create, 1, "create, one sync, release" },
    { "delayed", do_delayed, 1, "delayed task, due and run" },
};

enum { ROWS = sizeof rows / sizeof rows[0], SYNCS = 14000, EVENTS = 2 * SYNCS, ROUNDS = 11 };

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t time_syncs(void) {
    uint64_t began = now();
    for (int i = 0; i < SYNCS; i += 1) {
        do_sync();
    }
    return now() - began;
}

static uint64_t time_clock(void) {
    uint64_t began = now();
    for (int i = 0; i < EVENTS; i += 1) {
        count += now() & 1;
    }
    return now() - began;
}

static int compare(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double median(double *values) {
    qsort(values, ROUNDS, sizeof *values, compare);
    return values[ROUNDS / 2];
}

/* A sync that finds the queue free records two events, its start and its end. */
static void measure_trace(void) {
    double costs[ROUNDS], clocks[ROUNDS];
    for (int i = 0; i < ROUNDS; i += 1) {
        double untraced = (double)time_syncs();
        must(sq_trace_start("/dev/null,buffer=64M"));
        sq_queue_release(serial);
        serial = sq_queue_create("com.example.traced", NULL); /* from its first sync on */
        (void)time_syncs();                                   /* the pages of the buffer, and the threads */
        double traced = (double)time_syncs(), clock = (double)time_clock();
        must(sq_trace_stop());
        clocks[i] = clock / EVENTS;
        costs[i] = (traced - untraced - clock) / EVENTS;
    }
    printf("{\"clock\": %.1f, \"event\": %.1f, \"rounds\": %d, \"syncs\": %d}\n", median(clocks), median(costs), (int)ROUNDS, (int)SYNCS);
}

static void make_all(void) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    pool = options.pool = sq_pool_create_manual("manual");
    serial = sq_queue_create("com.example.serial", NULL);
    manual = sq_queue_create("com.example.manual", &options);
    options.width = SQ_WIDTH_POOL;
    concurrent = sq_queue_create("com.example.concurrent", &options);
    group = sq_group_create("com.example.group");
    semaphore = sq_semaphore_create("com.example.semaphore", 1);
    must(pool == NULL || serial == NULL || manual == NULL || concurrent == NULL || group == NULL || semaphore == NULL ? ENOMEM : 0);
}

int main(int argument_count, char **arguments) {
    const char *what = argument_count > 1 ? arguments[1] : "rows";
    make_all();
    if (strcmp(what, "trace") == 0) {
        measure_trace();
        return 0;
    }
    for (size_t i = 0; i < ROWS; i += 1) {
        if (strcmp(what, "rows") == 0) {
            printf("%s %u %s\n", rows[i].name, rows[i].tasks, rows[i].title);
        } else if (strcmp(what, rows[i].name) == 0 && argument_count > 2) {
            for (uint64_t rounds = strtoull(arguments[2], NULL, 10); rounds > 0; rounds -= 1) {
                rows[i].once();
            }
            return 0;
        }
    }
    return strcmp(what, "rows") != 0;
}

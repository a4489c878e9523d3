/* round.c: one round, from the first queue to a process at rest. */
#include "soak.h"

#include "harness.h"

#include <stdio.h>
#include <time.h>

enum { REST_SECONDS = 60 };

struct totals totals;

typedef struct driver {
    unsigned number;
    chance_t chance;
    pthread_t thread;
} driver_t;

static atomic_bool is_over;
static sq_pool_t *pool_of_round;

sq_pool_t *any_pool(chance_t *chance) {
    uint64_t which = below(chance, 3);
    return which == 0 ? NULL : which == 1 ? sq_pool_shared() : pool_of_round;
}

/* Of two threads: a member that waits in a task makes room for another one. Its queues keep it, in the end. */
static void make_pool(void) {
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = 2;
    pool_of_round = sq_pool_create("soak", &options);
    MUST(pool_of_round != NULL && sq_pool_shared() != NULL, "a pool cannot be made (errno %d)", errno);
}

static void *drive(void *argument) {
    driver_t *driver = argument;
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
        act(driver->number, &driver->chance);
    }
    return NULL;
}

static void rest(long milliseconds) {
    nanosleep(&(struct timespec){ .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000 }, NULL);
}

static void make_queues(chance_t *chance) {
    make_pool();
    for (int i = 0; i < QUEUES; i += 1) {
        char label[32];
        snprintf(label, sizeof label, "fixed %d", i);
        queues[i] = guard_create(label, i % 2 ? 1 + (size_t)below(chance, 40) : 0, i, any_pool(chance));
    }
    passing_begin();
    many_begin(chance);
}

void wait_until_nothing_is_open(const char *what, const atomic_size_t *open) {
    for (int waited = 0; *open > 0; waited += 1) {
        MUST(waited < REST_SECONDS * 1000, "%zu %s never ended", (size_t)*open, what);
        rest(1);
    }
}

/* For a sync that comes after whatever is still on its way out of the queue. */
static void nothing(void *context) { (void)context; }

static void end_queues(void) {
    wait_until_nothing_is_open("tasks", &totals.open_tasks);
    for (int i = 0; i < QUEUES; i += 1) {
        guard_t *guard = queues[i];
        guard_check_at_rest(guard);
        MUST(sq_resume(guard->queue) == EINVAL, "a queue is still suspended");
        MUST(sq_sync(guard->queue, nothing, NULL) == 0, "a sync at rest failed");
        MUST(sq_shutdown(guard->queue, i % 2 ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, SQ_FOREVER) == 0, "a shutdown at rest failed");
        MUST(sq_sync(guard->queue, nothing, NULL) == ESHUTDOWN, "a sync after a shutdown was accepted");
        sq_queue_release(guard->queue);
        guard_drop(guard);
    }
}

/* The shared pool stays, at rest with a thread for each processor, and so does the alarm thread, which checks the pool's growth. */
static void wait_for_threads(long before) {
    figures_t now = measure();
    for (int waited = 0; now.threads > before + now.processors + 1; waited += 1) {
        MUST(waited < REST_SECONDS * 100, "%ld threads, before the round %ld", now.threads, before);
        rest(10);
        now = measure();
    }
}

double round_run(uint64_t seed, unsigned number, double seconds, long threads) {
    driver_t drivers[DRIVERS];
    chance_t chance = chance_of(seed, number, DRIVERS);
    double began = seconds_now();
    is_over = false;
    make_queues(&chance);
    for (unsigned i = 0; i < DRIVERS; i += 1) {
        drivers[i] = (driver_t){ .number = i, .chance = chance_of(seed, number, i) };
        int error = pthread_create(&drivers[i].thread, NULL, drive, &drivers[i]);
        MUST(error == 0, "no thread for the soak itself");
    }
    rest((long)(seconds * 1000));
    is_over = true;
    for (unsigned i = 0; i < DRIVERS; i += 1) {
        pthread_join(drivers[i].thread, NULL);
    }
    many_end();
    sq_pool_release(pool_of_round);
    passing_end();
    end_queues();
    wait_until_nothing_is_open("books", &totals.open_books);
    double took = seconds_now() - began;
    wait_for_threads(threads); /* a pool ends threads that have been idle for some seconds */
    watching_check();
    return took;
}

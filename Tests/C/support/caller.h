/* caller.h: the calls that wait, as values, so that one test body can try each of them; and calls on a thread of their own.
 * Everything is static: a program has what it uses. */
#ifndef CALLER_H
#define CALLER_H

#include "harness.h"
#include "latch.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

/* A bound for a hang only: no test passes by reaching it. */
#define FAR (sq_deadline(100 * 1000000000ull))

typedef enum way { BY_SYNC, BY_SYNC_UNTIL, BY_CALL, BY_ROOM, BY_SHUTDOWN, WAYS } way_t;

static const char *const way_names[] __attribute__((unused)) = { "sync", "sync_until", "run_and_wait", "async_until",
                                                                 "shutdown" };

/* Waits for the queue in that way. BY_ROOM waits only if the queue has a capacity and is full. */
static inline int wait_by(way_t way, sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context) {
    switch (way) {
    case BY_SYNC:
        return sq_sync(queue, function, context);
    case BY_SYNC_UNTIL:
        return sq_sync_until(queue, deadline, function, context);
    case BY_CALL:
        return sq_run_and_wait(queue, deadline, function, context);
    case BY_ROOM:
        return sq_async_until(queue, deadline, &(sq_task_t){ function, context, NULL });
    default:
        return sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, deadline);
    }
}

/* One call by a thread of its own. The struct must stay valid, and must not move, until caller_end. */
typedef struct caller {
    way_t way;
    sq_queue_t *queue;
    sq_time_t deadline;
    sq_function_t function;
    void *context;
    int error;
    pthread_t thread;
    atomic_int thread_id;
} caller_t;

static void *caller_main(void *argument) {
    caller_t *caller = argument;
    caller->thread_id = gettid();
    caller->error = wait_by(caller->way, caller->queue, caller->deadline, caller->function, caller->context);
    return NULL;
}

static inline void caller_start(caller_t *caller, way_t way, sq_queue_t *queue, sq_time_t deadline, sq_function_t function,
                                void *context) {
    *caller = (caller_t){ way, queue, deadline, function, context, -1, 0, 0 };
    caller->thread = spawn(caller_main, caller);
}

static inline int caller_end(caller_t *caller) {
    join(caller->thread);
    return caller->error;
}

/* Waits until the system reports that the thread sleeps. If the caller's queue runs nothing, it sleeps in its wait: there is no
 * other sign of a thread that waits for room, or for the end. */
static inline void wait_until_asleep(const atomic_int *thread_id) {
    for (int asleep = 0; asleep < 3; sched_yield()) {
        char path[64], text[256] = "";
        snprintf(path, sizeof path, "/proc/self/task/%d/stat", *thread_id);
        FILE *file = *thread_id ? fopen(path, "r") : NULL;
        if (file == NULL) {
            continue;
        }
        size_t length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        text[length] = '\0';
        const char *after_name = strrchr(text, ')');
        asleep = after_name != NULL && after_name[2] == 'S' ? asleep + 1 : 0;
    }
}

static inline sq_queue_t *make_queue_of(const char *label, size_t capacity) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.capacity = capacity;
    sq_queue_t *queue = sq_queue_create(label, &options);
    REQUIRE(queue != NULL);
    return queue;
}

static inline sq_queue_stats_t stats_now(const sq_queue_t *queue) {
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    CHECK_EQUAL(sq_queue_stats(queue, &stats), 0);
    return stats;
}

/* Called when the queue is at rest: everything that it accepted has one of the three outcomes. */
static inline void check_outcomes(const sq_queue_t *queue, uint64_t ran, uint64_t discarded, uint64_t withdrawn,
                                  uint64_t rejected) {
    sq_queue_stats_t stats = stats_now(queue);
    CHECK_EQUAL(stats.ran, ran);
    CHECK_EQUAL(stats.discarded, discarded);
    CHECK_EQUAL(stats.withdrawn, withdrawn);
    CHECK_EQUAL(stats.rejected, rejected);
    CHECK_EQUAL(stats.depth, 0);
    CHECK_EQUAL(stats.submitted, ran + discarded + withdrawn);
}

static inline void must_not_run(void *context) {
    (void)context;
    CHECK(!"a function that must not run");
}

/* Calls until the deadline passes in a wait: on a busy machine it may pass before the wait begins, and then the call is refused. */
static inline void time_out_in_a_wait(sq_queue_t *queue, int (*call)(sq_queue_t *, sq_time_t, sq_function_t, void *)) {
    uint64_t withdrawn = stats_now(queue).withdrawn, limit = 1000;
    do {
        CHECK_EQUAL(call(queue, sq_deadline(limit), must_not_run, NULL), ETIMEDOUT);
        limit *= 2;
    } while (stats_now(queue).withdrawn == withdrawn);
}

/* A task that reports that it runs, waits until it may continue, and records what it found. */
typedef struct journal {
    size_t count;
    int entries[1024];
} journal_t;

typedef struct entry {
    journal_t *journal;
    int number;
} entry_t;

static inline void write_entry(void *context) {
    entry_t *entry = context;
    journal_t *journal = entry->journal;
    REQUIRE(journal->count < sizeof journal->entries / sizeof journal->entries[0]);
    journal->entries[journal->count++] = entry->number;
}

#endif

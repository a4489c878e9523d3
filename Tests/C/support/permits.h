/* permits.h: semaphores, and a storm of threads that take permits, hold them for a moment and give them back. */
#ifndef PERMITS_H
#define PERMITS_H

#include "caller.h"
#include "sq_semaphore.h"

static inline sq_semaphore_t *make(size_t value) {
    sq_semaphore_t *semaphore = sq_semaphore_create("permits", value);
    REQUIRE(semaphore != NULL);
    return semaphore;
}

/* Takes all permits that are there. Returns their number. */
static inline size_t take_all(sq_semaphore_t *semaphore) {
    size_t taken = 0;
    int error;
    while ((error = sq_semaphore_wait(semaphore, SQ_NOW)) == 0) {
        taken += 1;
    }
    CHECK(error == EAGAIN || error == ESTALE); /* ESTALE: in the child of a fork */
    return taken;
}

enum { PERMITS = 2, STORMERS = 5 };

typedef struct storm {
    sq_semaphore_t *semaphore;
    bool (*take)(sq_semaphore_t *, random_stream_t *); /* true: it has a permit */
    atomic_int out;
    atomic_size_t taken, missed;
    atomic_uint stream;
} storm_t;

static inline void *stormer(void *argument) {
    storm_t *storm = argument;
    random_stream_t random = random_start(storm->stream++);
    for (size_t i = 0; i < scaled(20000); i += 1) {
        if (!storm->take(storm->semaphore, &random)) {
            storm->missed += 1;
            continue;
        }
        CHECK_AT_MOST(++storm->out, PERMITS);
        if (random_below(&random, 4) == 0) {
            sched_yield();
        }
        storm->out -= 1;
        storm->taken += 1;
        CHECK_EQUAL(sq_semaphore_signal(storm->semaphore), 0);
    }
    return NULL;
}

/* No permit is lost or doubled. */
static inline void check_storm(bool (*take)(sq_semaphore_t *, random_stream_t *)) {
    storm_t storm = { .semaphore = make(PERMITS), .take = take };
    pthread_t threads[STORMERS];
    for (int i = 0; i < STORMERS; i += 1) {
        threads[i] = spawn(stormer, &storm);
    }
    for (int i = 0; i < STORMERS; i += 1) {
        join(threads[i]);
    }
    note("%zu permits taken, %zu waits ended without one", (size_t)storm.taken, (size_t)storm.missed);
    CHECK_EQUAL(take_all(storm.semaphore), PERMITS);
    sq_semaphore_release(storm.semaphore);
}

#endif

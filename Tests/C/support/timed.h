/* timed.h: shared by the tests of timers: a queue on a clock that the test advances, a timer that counts, and a firing that blocks
 * until it is released. Everything is static: a program has what it uses. */
#ifndef TIMED_H
#define TIMED_H

#include "caller.h"
#include "pools.h"

#include <stdlib.h>

enum { US = 1000, MS = 1000000 };
#define SECONDS(n) ((uint64_t)(n) * 1000000000u)
#define HOURS(n) SECONDS((uint64_t)(n) * 3600)

static inline void bump(void *latch) { latch_bump(latch); }

typedef struct bench {
    sq_pool_t *pool;
    sq_queue_t *queue;
} bench_t;

static inline bench_t bench_of(size_t capacity) {
    sq_pool_t *pool = sq_pool_create_manual("clock");
    REQUIRE(pool != NULL);
    return (bench_t){ pool, queue_on(pool, "timed", capacity) };
}

static inline bench_t bench(void) { return bench_of(0); }

static inline void clear(bench_t *bench) {
    sq_queue_release(bench->queue);
    sq_pool_run(bench->pool);
    sq_pool_release(bench->pool);
}

/* A timer that counts. */
typedef struct subject {
    sq_timer_t *timer;
    sq_queue_t *queue;
    size_t fired, discarded;
    void (*inside)(struct subject *subject);
    uint64_t again;  /* the delay of a start from inside, or how long a firing takes */
    uint64_t sum;    /* of the intervals that its firings stood for */
    sq_pool_t *pool; /* whose clock it moves from inside */
} subject_t;

static inline void fired(void *context) {
    subject_t *subject = context;
    CHECK(sq_current_queue() == subject->queue);
    CHECK_EQUAL(subject->discarded, 0);
    subject->fired += 1;
    if (subject->inside != NULL) {
        subject->inside(subject);
    }
}

static inline void done_for(void *context) {
    subject_t *subject = context;
    CHECK(sq_current_queue() == subject->queue);
    subject->discarded += 1;
}

static inline void make_timer(subject_t *subject, sq_queue_t *queue) {
    subject->queue = queue;
    subject->timer = sq_timer_create(queue, &(sq_task_t){ fired, subject, done_for });
    REQUIRE(subject->timer != NULL);
}

static inline void start(subject_t *subject, uint64_t delay, uint64_t interval) {
    CHECK_EQUAL(sq_timer_start(subject->timer, delay, interval, 0), 0);
}

/* A firing that blocks until it is released. */
typedef struct guest {
    latch_t entered, leave;
    size_t firings, discarded;
    sq_timer_t *timer;
    sq_queue_t *other;
    int error;
} guest_t;

#define GUEST_INIT { .entered = LATCH_INIT, .leave = LATCH_INIT }

static inline void stay(void *context) {
    guest_t *guest = context;
    guest->firings += 1;
    latch_bump(&guest->entered);
    latch_wait(&guest->leave, guest->firings);
}

static inline void guest_gone(void *context) { ((guest_t *)context)->discarded += 1; }

static inline void start_guest(guest_t *guest, sq_queue_t *queue, sq_function_t function, uint64_t interval) {
    guest->timer = sq_timer_create(queue, &(sq_task_t){ function, guest, guest_gone });
    REQUIRE(guest->timer != NULL);
    CHECK_EQUAL(sq_timer_start(guest->timer, 0, interval, 0), 0);
}

#endif

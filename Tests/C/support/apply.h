/* apply.h: what the tests of sq_apply share. Everything is static: a program has what it uses. */
#ifndef APPLY_H
#define APPLY_H

#include "caller.h"
#include "inject.h"
#include "pools.h"

#include <stdlib.h>

static inline void count_one(void *context, size_t index) { ((unsigned char *)context)[index] += 1; }

/* The counts are plain memory of the caller's: a member that writes there after the call has returned writes to freed memory. */
static inline void check_each_runs_once(sq_pool_t *pool, size_t count) {
    unsigned char *ran = calloc(count + 1, 1);
    size_t wrong = 0;
    REQUIRE(ran != NULL);
    CHECK_EQUAL(sq_apply(pool, count, count_one, ran), 0);
    for (size_t i = 0; i < count; i += 1) {
        wrong += ran[i] != 1;
    }
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(ran[count], 0);
    free(ran);
}

/* An iteration that lasts until `expected` threads are in one. */
typedef struct meeting {
    latch_t here;
    size_t expected;
} meeting_t;

static inline void meet(void *context, size_t index) {
    meeting_t *meeting = context;
    (void)index;
    latch_bump(&meeting->here);
    latch_wait(&meeting->here, meeting->expected);
}

/* All iterations on one thread, in order. */
typedef struct alone {
    pthread_t thread;
    size_t ran;
} alone_t;

/* In a fresh process. Returns 0 if all is well. */
static inline int apply_without_memory(uint64_t nth, bool threads) {
    failure_t what = threads ? FAIL_THREAD : FAIL_ALLOCATION;
    for (int forever = 0; forever < 2; forever += 1) {
        unsigned char ran[100] = { 0 };
        sq_pool_t *pool = make_pool(2);
        fail_nth(what, nth, forever);
        int error = sq_apply(pool, sizeof ran, count_one, ran);
        fail_nothing();
        CHECK_EQUAL(error, 0);
        for (size_t i = 0; i < sizeof ran; i += 1) {
            CHECK_EQUAL(ran[i], 1);
        }
        check_each_runs_once(pool, 1000);
        sq_pool_release(pool);
    }
    return 0;
}

#endif

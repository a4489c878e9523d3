/* loop.h: loop pools, and what tests check about them. Everything is static: a program has what it uses. */
#ifndef LOOP_H
#define LOOP_H

#include "manual.h"
#include "sq_loop.h"

#include <poll.h>

static inline sq_pool_t *make_loop_pool(void) {
    sq_pool_t *pool = sq_pool_create_loop("test loop");
    REQUIRE(pool != NULL);
    return pool;
}

/* Waits for so many milliseconds at most. */
static inline bool is_readable(sq_pool_t *pool, int milliseconds) {
    struct pollfd poll_fd = { .fd = sq_pool_fd(pool), .events = POLLIN };
    int found;
    while ((found = poll(&poll_fd, 1, milliseconds)) < 0 && errno == EINTR) {
    }
    return found > 0;
}

/* How often the descriptor was written since it was last read. */
static inline long writes_of(sq_pool_t *pool) {
    char path[64], line[128];
    long count = -1;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", sq_pool_fd(pool));
    FILE *file = fopen(path, "r");
    while (file != NULL && count < 0 && fgets(line, sizeof line, file) != NULL) {
        unsigned long value;
        if (sscanf(line, "eventfd-count: %lx", &value) == 1) {
            count = (long)value;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return count;
}

/* Runs what is ready, until `count` tasks have run in all. */
static inline void run_until(sq_pool_t *pool, size_t count) {
    for (size_t ran = 0; ran < count;) {
        size_t more = sq_pool_run_some(pool, SIZE_MAX, FAR);
        REQUIRE(more > 0);
        ran += more;
    }
}

/* A task that notes its thread. */
typedef struct place {
    pthread_t thread;
    size_t count;
} place_t;

static inline void note_place(void *context) {
    place_t *place = context;
    place->thread = pthread_self();
    place->count += 1;
}

static inline void stop_loop(void *pool) { CHECK_EQUAL(sq_pool_stop(pool), 0); }

#endif

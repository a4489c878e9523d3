/* drivers.c: the threads of a round: the actors, the owner of the loop, the one that stops it, and the one that runs the manual pool. */
#include "storm.h"

#include "harness.h"

#include <time.h>

enum { ACTORS = 5 };

static atomic_bool is_at_end;
static pthread_t owner, stopper, runner;

static void rest(uint64_t nanoseconds) { nanosleep(&(struct timespec){ .tv_nsec = (long)nanoseconds }, NULL); }

static void begin(pthread_t *thread, void *(*body)(void *), void *argument) {
    MUST(pthread_create(thread, NULL, body, argument) == 0, "no thread for the storm itself");
}

void wait_until_zero(const char *what, const atomic_int *count) {
    watchdog_watch(what);
    while (*count != 0) {
        rest(100 * MICROSECOND);
    }
}

static void *act_for_a_while(void *argument) {
    for (uint64_t left = (uintptr_t)argument; left > 0 && !book_is_full(); left -= 1) {
        act();
        if (left % 16 == 0) {
            watchdog_begin_anew(); /* on a slow machine it makes progress all the same */
        }
    }
    return NULL;
}

static void *own_loop(void *unused) {
    self_t *me = self();
    me->owns_loop = true;
    WHATEVER(sq_pool_run_some(loop, 1, SQ_NOW) == 0);
    while (!is_at_end) {
        uint64_t what = below(&me->chance, 8);
        if (what < 2) {
            WHATEVER(sq_pool_run_some(loop, 1 + (size_t)below(&me->chance, 100), below(&me->chance, 2) ? SQ_NOW : soon(&me->chance)) == 0);
        } else if (what == 2 && !is_over && !book_is_full()) {
            act();
        } else {
            int error = sq_pool_run_forever(loop);
            MUST(error == 0, "sq_pool_run_forever returned %d", error);
        }
    }
    return unused;
}

static void *stop_loop(void *unused) {
    while (!is_at_end) {
        rest(500 * MICROSECOND);
        MUST(sq_pool_stop(loop) == 0, "sq_pool_stop failed");
    }
    MUST(sq_pool_stop(loop) == 0, "sq_pool_stop failed"); /* the owner may have looked before the end */
    return unused;
}

static void *run_manual(void *unused) {
    self();
    while (!is_at_end) {
        sq_pool_run(manual);
        sq_pool_advance(manual, 500 * MICROSECOND);
        rest(200 * MICROSECOND);
    }
    return unused;
}

void drivers_run(chance_t *chance) {
    pthread_t actors[ACTORS];
    uint64_t count = 2 + below(chance, ACTORS - 1);
    is_at_end = false;
    begin(&owner, own_loop, NULL);
    begin(&stopper, stop_loop, NULL);
    begin(&runner, run_manual, NULL);
    for (uint64_t i = 0; i < count; i += 1) {
        begin(&actors[i], act_for_a_while, (void *)(uintptr_t)(100 + below(chance, 300)));
    }
    for (uint64_t i = 0; i < count; i += 1) {
        pthread_join(actors[i], NULL);
    }
}

void drivers_end(void) {
    is_at_end = true;
    pthread_join(owner, NULL);
    pthread_join(stopper, NULL);
    pthread_join(runner, NULL);
}

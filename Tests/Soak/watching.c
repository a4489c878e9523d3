/* watching.c: watchers that come and go; each is discarded once. */
#include "soak.h"

#include <stdio.h>
#include <string.h>

typedef struct eye {
    uint64_t threshold;
    char label[32];
} eye_t;

static atomic_uint_fast64_t opened, closed;

static void see(void *context, const sq_stall_t *stall) {
    const eye_t *eye = context;
    MUST(strcmp(stall->label, eye->label) == 0, "a watcher of \"%s\" was called for \"%s\"", eye->label, stall->label);
    /* Four looks, each a quarter of the threshold after the one before: the quarter is rounded down. */
    MUST(stall->nanoseconds + 3 >= eye->threshold, "a watcher was called after %llu ns, but its threshold is %llu",
         (unsigned long long)stall->nanoseconds, (unsigned long long)eye->threshold);
    totals.stalls += 1;
}

static void close_eye(void *context) {
    free(context);
    closed += 1;
}

void watch_one(guard_t *guard, chance_t *chance) {
    if (below(chance, 4) == 0) {
        MUST(sq_queue_watch(guard->queue, 0, NULL) == 0, "a watch could not be ended");
        return;
    }
    eye_t *eye = malloc(sizeof *eye);
    MUST(eye != NULL, "no memory for the soak itself");
    *eye = (eye_t){ .threshold = 1000000 + below(chance, 4000000) };
    snprintf(eye->label, sizeof eye->label, "%s", sq_queue_label(guard->queue));
    opened += 1;
    int error = sq_queue_watch(guard->queue, eye->threshold, &(sq_watcher_t){ see, eye, close_eye });
    MUST(error == 0, "a watch returned %d", error);
}

void watching_check(void) {
    MUST(opened == closed, "%llu watchers, but %llu were discarded", (unsigned long long)opened, (unsigned long long)closed);
}

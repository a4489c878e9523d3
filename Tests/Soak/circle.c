/* circle.c: intended deadlocks: 2 to 4 queues, each with a task that waits for the next one. One of these waits must be refused; the
 * others continue. */
#include "soak.h"

#include <string.h>

enum { LONGEST = 4 };

typedef struct ring ring_t;

typedef struct arc {
    ring_t *ring;
    sq_queue_t *queue, *next;
    uint64_t way;
    int error;
    bool has_run, was_reported;
} arc_t;

struct ring {
    pthread_mutex_t mutex;
    pthread_cond_t all_hold;
    unsigned length, holding;
    arc_t arcs[LONGEST];
};

static void note_run(void *has_run) { *(bool *)has_run = true; }

static void hold_and_wait(void *context) {
    arc_t *arc = context;
    ring_t *ring = arc->ring;
    pthread_mutex_lock(&ring->mutex);
    ring->holding += 1;
    pthread_cond_broadcast(&ring->all_hold);
    while (ring->holding < ring->length) {
        pthread_cond_wait(&ring->all_hold, &ring->mutex);
    }
    pthread_mutex_unlock(&ring->mutex);
    sq_time_t far_away = sq_deadline(UINT64_C(1000000000) * 3600);
    arc->error = arc->way == 0   ? sq_sync(arc->next, note_run, &arc->has_run)
                 : arc->way == 1 ? sq_sync_until(arc->next, far_away, note_run, &arc->has_run)
                                 : sq_run_and_wait(arc->next, far_away, note_run, &arc->has_run);
    arc->was_reported = arc->error == EDEADLK && strstr(sq_deadlock_report(), "deadlock: ") != NULL;
}

void circle(chance_t *chance) {
    ring_t ring = { .mutex = PTHREAD_MUTEX_INITIALIZER, .all_hold = PTHREAD_COND_INITIALIZER,
                    .length = 2 + (unsigned)below(chance, LONGEST - 1) };
    unsigned refused = 0;
    for (unsigned i = 0; i < ring.length; i += 1) {
        ring.arcs[i] = (arc_t){ .ring = &ring, .way = below(chance, 3), .queue = sq_queue_create("circle", NULL) };
        MUST(ring.arcs[i].queue != NULL, "a queue cannot be made");
    }
    for (unsigned i = 0; i < ring.length; i += 1) {
        ring.arcs[i].next = ring.arcs[(i + 1) % ring.length].queue;
    }
    for (unsigned i = 0; i < ring.length; i += 1) {
        int error = sq_async(ring.arcs[i].queue, hold_and_wait, &ring.arcs[i]);
        MUST(error == 0, "an async returned %d", error);
    }
    /* Not yet a shutdown: the next ones are still to be submitted to. */
    for (unsigned i = 0; i < ring.length; i += 1) {
        int error = sq_sync(ring.arcs[i].queue, note_run, &(bool){ false });
        MUST(error == 0, "a sync from outside of a circle returned %d", error);
    }
    for (unsigned i = 0; i < ring.length; i += 1) {
        arc_t *arc = &ring.arcs[i];
        int error = sq_shutdown(arc->queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
        MUST(error == 0, "the shutdown of a queue of a circle returned %d", error);
        MUST(arc->error == 0 || arc->error == EDEADLK, "a wait in a circle returned %d", arc->error);
        MUST(arc->has_run == (arc->error == 0), "a wait in a circle returned %d, but its function %s", arc->error,
             arc->has_run ? "ran" : "did not run");
        MUST(arc->was_reported == (arc->error == EDEADLK), "a wait in a circle was refused without a report, or has a report and was not refused");
        refused += arc->error == EDEADLK;
    }
    for (unsigned i = 0; i < ring.length; i += 1) {
        sq_queue_release(ring.arcs[i].queue);
    }
    MUST(refused == 1, "%u waits of a circle of %u were refused, not 1", refused, ring.length);
    totals.circles += 1;
}

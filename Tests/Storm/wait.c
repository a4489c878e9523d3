/* wait.c: tasks that their submitter waits for, on every kind of thread and in every kind of task. */
#include "storm.h"

typedef enum way { SYNC, SYNC_UNTIL, TRY, ASYNC_AND_WAIT, RUN_AND_WAIT, BARRIER, OR_RUN, WAYS } way_t;

static const char *const names[] = { "sq_sync", "sq_sync_until", "sq_sync_until SQ_NOW", "sq_async_and_wait", "sq_run_and_wait",
                                     "sq_sync_barrier_until", "sq_sync_or_run" };

/* sq_sync_or_run has no deadline. So a task calls it for a queue that it is inside of, where it does not wait. A thread waits for the
 * queue, or for its end; on a loop and a manual pool that could be forever. */
static bool may_run_directly(self_t *me, const target_t *target) {
    if (may_deadlock(me)) {
        return is_inside(me, target->number) && sq_is_current(target->queue);
    }
    return target->place != MANUAL && target->place != LOOP;
}

static int call(way_t way, record_t *record, sq_time_t deadline) {
    sq_queue_t *queue = record->target->queue;
    switch (way) {
    case SYNC: return deadline == SQ_FOREVER ? sq_sync(queue, task_run, record) : sq_sync_until(queue, deadline, task_run, record);
    case SYNC_UNTIL: return sq_sync_until(queue, deadline, task_run, record);
    case TRY: return sq_sync_until(queue, SQ_NOW, task_run, record);
    case ASYNC_AND_WAIT: return sq_async_and_wait(queue, deadline, task_run, record);
    case RUN_AND_WAIT: return sq_run_and_wait(queue, deadline, task_run, record);
    case BARRIER:
        return deadline == SQ_FOREVER ? sq_sync_barrier(queue, task_run, record) : sq_sync_barrier_until(queue, deadline, task_run, record);
    default: return sq_sync_or_run(queue, task_run, record);
    }
}

void act_wait(self_t *me, target_t *target) {
    way_t way = (way_t)below(&me->chance, WAYS);
    if (way == OR_RUN && !may_run_directly(me, target)) {
        return;
    }
    sq_time_t deadline = patience(me, target);
    record_t *record = book_new(target, names[way]);
    record->waits = true;
    record->is_barrier = way == BARRIER;
    record->may_be_late = record->is_unordered = way == OR_RUN;
    int error = call(way, record, deadline);
    /* A barrier waits for the tasks ahead of it, also for one that waits for its caller's thread: it may be refused anywhere. */
    book_answer(record, error, may_deadlock(me) || way == BARRIER);
}

static void run_once(void *context) { *(atomic_int *)context += 1; }

void act_once(self_t *me, target_t *target) {
    enum { ONCES = 64 };
    static sq_once_t onces[ONCES];
    static atomic_int counts[ONCES];
    static atomic_uint turn; /* each is met by several threads at a time */
    (void)target;
    uint64_t i = (atomic_fetch_add(&turn, 1) / 4 + below(&me->chance, 2)) % ONCES;
    int error = sq_once(&onces[i], run_once, &counts[i]);
    MUST(error == 0 && counts[i] == 1, "sq_once returned %d, and its function has run %d times", error, counts[i]);
}

enum { ITERATIONS = 40 };

static void iterate(void *context, size_t index) {
    atomic_int *counts = context;
    MUST(atomic_fetch_add(&counts[index], 1) == 0, "an iteration ran twice");
}

void act_apply(self_t *me, target_t *target) {
    atomic_int counts[ITERATIONS] = { 0 };
    uint64_t count = below(&me->chance, ITERATIONS);
    (void)target;
    int error = sq_apply(below(&me->chance, 2) ? private_pool : NULL, count, iterate, counts);
    MUST(error == 0, "sq_apply returned %d", error);
    for (uint64_t i = 0; i < ITERATIONS; i += 1) {
        MUST(counts[i] == (i < count), "iteration %llu of %llu ran %d times", (unsigned long long)i, (unsigned long long)count, counts[i]);
    }
}

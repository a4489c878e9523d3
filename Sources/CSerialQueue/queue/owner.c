#include "queue/owner.h"

#include "queue/ring.h"
#include "queue/stats.h"

/* True: the waiter has the baton. False: it had withdrawn. */
static bool grant(sq_queue_t *queue) {
    sq__waiter_t waiter = sq__ring_take_waiter(queue);
    sq__count(&queue->ran, 1); /* on its behalf and beforehand: after the grant the count is no longer ours */
    if (sq__token_grant(waiter.token, waiter.turn)) {
        return true;
    }
    sq__count(&queue->ran, (uint64_t)-1);
    sq__count(&queue->skipped, 1);
    return false;
}

sq__next_t sq__owner_next(sq_queue_t *queue, bool may_linger) {
    if (sq__load_relaxed(&queue->handoff) != NULL) {
        return SQ__NEXT_TASK;
    }
    for (;;) {
        switch (sq__ring_peek(queue)) {
        case SQ__TASK:
            return SQ__NEXT_TASK;
        case SQ__WAITER:
            if (grant(queue)) {
                return SQ__NEXT_GONE;
            }
            continue;
        }
        if (may_linger && sq__ring_linger(queue)) {
            continue;
        }
        sq__state_t state;
        if (sq__ring_give_back(queue, &state)) {
            return SQ__NEXT_GONE;
        }
        if (state & SQ__RELEASED) {
            return SQ__NEXT_END;
        }
    }
}

sq_task_t sq__owner_take(sq_queue_t *queue) {
    sq_function_t run = sq__load_relaxed(&queue->handoff);
    if (run == NULL) {
        return sq__ring_take_task(queue);
    }
    sq__store_relaxed(&queue->handoff, NULL);
    return (sq_task_t){ .run = run, .context = queue->handoff_context, .discard = queue->handoff_discard };
}

void sq__owner_pass(sq_queue_t *queue) {
    sq__stats_sample_depth(queue);
    switch (sq__owner_next(queue, false)) {
    case SQ__NEXT_TASK:
        /* A task was accepted, so there is a worker: [worker] is read after whatever told of the task. */
        sq__worker_post(sq__load_relaxed(&queue->worker));
        break;
    case SQ__NEXT_END:
        sq__queue_stop_worker(queue);
        sq__queue_dispose(queue);
        break;
    case SQ__NEXT_GONE:
        break;
    }
}

/* submit.c: sq_async, sq_sync and their kin.
 *
 * DESIGN. A submission finds the queue free and takes it, or takes a place in the ring. A sync that took the queue runs at
 * once, on this thread: free implies empty, so it overtakes nobody. An async that took the queue leaves the task in the
 * hand-off slot and passes the baton to the runner; the ring is not touched. */
#include "include/sq_async.h"
#include "include/sq_sync.h"

#include "platform/mutex.h"
#include "queue/complete.h"
#include "queue/current.h"
#include "queue/deadlock.h"
#include "queue/ring.h"
#include "queue/run.h"

#include <errno.h>

static int reject(sq_queue_t *queue, int error) {
    sq__add_relaxed(&queue->rejected, 1);
    return error;
}

/* async */

static void hand_off(sq_queue_t *queue, sq__worker_t *worker, const sq_task_t *task) {
    queue->handoff_context = task->context;
    queue->handoff_discard = task->discard;
    sq__store_relaxed(&queue->handoff, task->run);
    sq__worker_post(worker);
}

int sq_async_task(sq_queue_t *queue, const sq_task_t *task) {
    sq__worker_t *worker = sq__load_acquire(&queue->worker); /* [worker] acquire: the worker's fields */
    if (__builtin_expect(worker == NULL, 0)) {
        int error = sq__queue_start_worker(queue, &worker);
        if (error) {
            return reject(queue, error);
        }
    }
    sq__place_t place;
    int error = sq__ring_take_place(queue, &place);
    if (error) {
        return reject(queue, error);
    }
    if (place.slot == NULL) {
        hand_off(queue, worker, task);
        return 0;
    }
    place.slot->task = *task;
    if (sq__ring_publish(place, SQ__TASK)) {
        sq__owner_pass(queue);
    }
    return 0;
}

int sq_async(sq_queue_t *queue, sq_function_t function, void *context) {
    return sq_async_task(queue, &(sq_task_t){ .run = function, .context = context });
}

/* sync */

static __attribute__((noinline)) int sync_in_turn(sq_queue_t *queue, sq_function_t function, void *context) {
    sq__token_t *token = sq__self_token();
    if (token == NULL) {
        return reject(queue, ENOMEM);
    }
    sq__turn_t turn = sq__token_prepare(token);
    sq__place_t place;
    int error = sq__ring_take_place(queue, &place);
    if (error) {
        sq__self_wait_over(token);
        return reject(queue, error);
    }
    if (place.slot == NULL) {
        sq__count(&queue->ran, 1);
    } else {
        place.slot->waiter = (sq__waiter_t){ .token = token, .turn = turn };
        if (sq__ring_publish(place, SQ__WAITER)) {
            sq__owner_pass(queue); /* to the head of the ring, which may be ourselves */
        }
        if (!sq__token_spin(token, turn, SQ__PATIENCE_SPIN_YIELD)) {
            sq__token_sleep(token, turn, SQ__NEVER);
        }
    }
    sq__self_wait_over(token);
    sq__run(queue, function, context);
    sq__owner_pass(queue);
    return 0;
}

/* The queue is not one of this thread's. */
static inline int sync_from_outside(sq_queue_t *queue, sq_function_t function, void *context) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    /* [own] acquire: what the last holder wrote. */
    if (sq__state_is_free(state) && sq__cas_acquire(&queue->state, &state, state | SQ__OWNED)) {
        sq__count(&queue->ran, 1);
        sq__run(queue, function, context);
        sq__complete_alone(queue, state);
        return 0;
    }
    return sync_in_turn(queue, function, context);
}

int sq_sync(sq_queue_t *queue, sq_function_t function, void *context) {
    if (sq__is_current(queue)) {
        sq__deadlock_onto_itself(queue);
        return reject(queue, EDEADLK);
    }
    return sync_from_outside(queue, function, context);
}

int sq_sync_or_run(sq_queue_t *queue, sq_function_t function, void *context) {
    if (sq__is_current(queue)) {
        sq__run(queue, function, context);
        return 0;
    }
    return sync_from_outside(queue, function, context);
}

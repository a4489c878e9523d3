/* sync.c: running a function on the calling thread, in its turn.
 *
 * DESIGN. A sync that finds the queue free takes it and runs at once: free implies empty, so it overtakes nobody. That path is
 * two compare-and-swaps and a call; no token, no place, no memory. Else the thread takes a place, leaves its token there,
 * and waits for the baton. */
#include "include/sq_sync.h"

#include "platform/clock.h"
#include "queue/current.h"
#include "queue/deadlock.h"
#include "queue/fork.h"
#include "queue/handle.h"
#include "queue/owner.h"
#include "queue/ring.h"
#include "queue/run.h"
#include "queue/wait.h"

#include <errno.h>

/* Returns 0 with the baton, or an errno code; ETIMEDOUT and EDEADLK with a place that was given up. */
static int wait_for_turn(sq_queue_t *queue, sq_time_t deadline) {
    sq__wait_t wait;
    sq__place_t place;
    int error = sq__wait_begin(&wait, queue);
    if (error) {
        return sq__queue_reject(queue, error);
    }
    sq__token_wait_in(wait.token, queue);
    error = sq__ring_take_place(queue, false, &place);
    if (error || place.slot == NULL) {
        sq__wait_cancel(&wait);
        if (error) {
            return sq__queue_reject(queue, error);
        }
        sq__count(&queue->ran, 1);
        return 0;
    }
    place.slot->work.waiter = (sq__waiter_t){ .token = wait.token, .turn = wait.turn };
    if (sq__ring_publish(place, SQ__WAITER)) {
        sq__owner_pass(queue); /* to the head of the ring, which may be ourselves */
    }
    error = sq__wait_end(&wait, deadline);
    if (error && error != ESTALE) {
        sq__add_relaxed(&queue->withdrawn, 1);
    }
    return error;
}

static __attribute__((noinline)) int sync_in_turn(sq_queue_t *queue, sq_time_t deadline, sq_function_t function,
                                                  void *context) {
    if (sq__fork_is_stale(queue)) {
        return sq__queue_reject(queue, ESTALE);
    }
    if (sq__load_relaxed(&queue->state) & SQ__CLOSED) {
        return sq__queue_reject(queue, ESHUTDOWN);
    }
    if (deadline == SQ_NOW) {
        return sq__queue_reject(queue, EBUSY);
    }
    if (deadline != SQ_FOREVER && deadline <= sq__clock_now()) {
        return sq__queue_reject(queue, ETIMEDOUT);
    }
    int error = wait_for_turn(queue, deadline);
    if (error == 0) {
        sq__run_turn(queue, function, context);
        sq__owner_pass(queue);
    }
    return error;
}

/* The queue is not one of this thread's. */
static inline int sync_from_outside(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    while (__builtin_expect(sq__state_is_free(state), 1)) {
        sq__state_t free = state;
        /* [own] acquire: what the last holder wrote. */
        if (__builtin_expect(sq__cas_acquire(&queue->state, &state, free | SQ__OWNED), 1)) {
            sq__count(&queue->ran, 1);
            sq__run_turn(queue, function, context);
            state = free | SQ__OWNED;
            /* [own] release: what the task wrote. Fails if something was queued meanwhile, or a flag set. */
            if (__builtin_expect(!sq__cas_release(&queue->state, &state, free), 0)) {
                sq__owner_pass(queue);
            }
            return 0;
        }
    }
    return sync_in_turn(queue, deadline, function, context);
}

int sq_sync_until(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context) {
    SQ__CHECK_HANDLE(queue);
    if (__builtin_expect(sq__is_current(queue), 0)) {
        sq__deadlock_onto_itself(queue, "sync onto");
        return sq__queue_reject(queue, EDEADLK);
    }
    return sync_from_outside(queue, deadline, function, context);
}

int sq_sync(sq_queue_t *queue, sq_function_t function, void *context) {
    return sq_sync_until(queue, SQ_FOREVER, function, context);
}

int sq_sync_or_run(sq_queue_t *queue, sq_function_t function, void *context) {
    SQ__CHECK_HANDLE(queue);
    if (sq__is_current(queue)) {
        sq__run(queue, function, context);
        return 0;
    }
    return sync_from_outside(queue, SQ_FOREVER, function, context);
}

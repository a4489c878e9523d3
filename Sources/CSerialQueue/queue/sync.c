/* sync.c: running a function in its turn, on the calling thread; with async_and_wait also on the runner.
 *
 * DESIGN. A sync that finds the queue free takes it and runs at once: free implies empty, so it overtakes no task. That path is
 * two compare-and-swaps and a call, without token, slot or memory. Otherwise the thread takes a slot, leaves its token there,
 * and waits for the baton. */

#include "concurrent/concurrent.h"
#include "kernel/kernel_inline.h"
#include "observe/observe_inline.h"
#include "platform/unwind.h"
#include "platform/thread.h"
#include "queue/concurrent_sync.h"
#include "queue/queue_runner.h"
#include "queue/sync.h"
#include "queue/targeted.h"
#include "queue/turn.h"
#include "state/state_inline.h"
#include "thread/explored.h"
#include "thread/spin.h"
#include "wait/wait.h"

#include <errno.h>

static bool take_if_free(sq_queue_t *queue) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    /* [own] acquire: what the last holder wrote. */
    return sq__state_is_free_to_any_thread(state) && sq__cas_acquire(&queue->state, &state, state | SQ__OWNED);
}

static bool runner_spins(const sq_queue_t *queue) { return sq__load_relaxed(&queue->position) & SQ__POSITION_SPINS; }

/* Takes the queue without a slot in the ring, if it becomes free within a moment. True: the caller has the baton; it counts the task. It overtakes no
 * task: a queue where one waits is not free. The yields are for threads that have just passed the baton, and call again. Without yields each of them
 * would find another one waiting, and each task would cost a change of threads. There are several yields because several threads may sleep in their
 * slots: each must run and pass the baton before the queue is free. A runner that lingers reacts sooner. */
static bool take_early(sq_queue_t *queue) {
    bool taken = false;
    for (unsigned paused = 0; !taken && sq__spin_early(&paused);) {
        taken = take_if_free(queue);
        if (runner_spins(queue)) {
            return taken;
        }
    }
    for (unsigned i = 0; !taken && i < SQ__EARLY_YIELDS && sq__spin_yield(); i += 1) {
        taken = take_if_free(queue);
    }
    return taken;
}

/* For a caller that does not wait, on a queue that is not free. If the runner only lingers, the turn is asked for all the same: the runner grants it
 * at once, unless its thread has no processor at the moment. Returns as sq__turn_wait, but `error` if there was no turn. */
static int try_turn(sq_queue_t *queue, sq__call_t *call, int error) {
    if (!runner_spins(queue) || sq__ring_depth(queue) > 0) {
        return sq__queue_reject(queue, error);
    }
    call->is_brief = true;
    int outcome = sq__turn_wait(queue, call);
    return outcome == ETIMEDOUT ? error : outcome;
}

/* The queue was not free. Returns as sq__turn_wait, or EAGAIN. */
static int get_turn(sq_queue_t *queue, sq__call_t *call) {
    int error = sq__wait_check_deadline(call->deadline);
    if (error) {
        return try_turn(queue, call, error);
    }
    if (take_early(queue)) {
        sq__count(&queue->ran, 1);
        return 0;
    }
    return sq__turn_wait(queue, call);
}

/* On a queue that another thread alone may run (sq__runner_is_owned): that one runs the function. Returns as sq__turn_wait, or EAGAIN. */
static int hand_over(sq_queue_t *queue, sq__call_t *call) {
    int error = sq__wait_check_deadline(call->deadline);
    call->kind = SQ__AWAITED;
    return error ? sq__queue_reject(queue, error) : sq__turn_wait(queue, call);
}

/* As sync_from_outside, on a serial queue that was not free to any thread. Waits if it must. The parameters of all these are in the order of the
 * public calls, so that they stay in their registers. */
static __attribute__((noinline)) int sync_in_turn(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context,
                                                  const void *caller, uintptr_t kind) {
    sq__call_t call = {
        .task = { .run = function, .context = context }, .kind = kind, .deadline = deadline, .site = caller, .submitted = sq__timings_now(queue)
    };
    sq__targeted_fix(queue);
    if (__builtin_expect(queue->process != sq__load_relaxed(&sq__process_if_quiet), 0)) {
        if (sq__queue_is_stale(queue)) {
            return sq__queue_reject(queue, ESTALE);
        }
        sq__trace_hook_begin(queue);
    }
    if (sq__load_relaxed(&queue->state) & SQ__CLOSED) {
        return sq__queue_reject(queue, ESHUTDOWN);
    }
    const sq__runner_t runner = sq__load_relaxed(&queue->runner);
    if (SQ__RUNNER_HAS(runner, sync) != NULL) {
        return sq__runner_kind(runner)->sync(queue, &call);
    }
    int error;
    if (!sq__runner_is_owned(runner)) {
        error = get_turn(queue, &call);
    } else if (sq__runner_is_owned_by(runner, sq__self()->owner)) {
        error = sq__turn_take(queue, &call);
    } else {
        error = hand_over(queue, &call);
    }
    if (error == 0 && !call.is_done) {
        sq__run_turn(queue, call.submitted, function, context, caller);
        sq__baton_pass(queue);
    }
    return error;
}

/* O. The queue's word was `free` until the caller took it. Runs the function, counts it, and makes the queue free again, or passes the baton. Returns
 * 0. */
static __attribute__((noinline)) int run_taken(sq_queue_t *queue, sq__state_t free, sq_function_t function, void *context,
                                               const void *caller) {
    sq__state_t state = free | SQ__OWNED;
    sq__count(&queue->ran, 1);
    sq__run_turn(queue, SQ__DID_NOT_WAIT, function, context, caller);
    /* [own] release: what the task wrote. Fails if something was queued in between, or a flag was set. */
    if (__builtin_expect(!sq__cas_release(&queue->state, &state, free), 0)) {
        sq__baton_pass(queue);
    }
    return 0;
}

/* The calling thread is in no task of the queue. Returns as sq_sync_until. `kind`: SQ__WAITER or SQ__RUN_ANYWHERE; a concurrent queue takes either as
 * a sync. No variable is needed after a call, so a sync there saves no register. */
static inline int sync_from_outside(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context,
                                    const void *caller, uintptr_t kind) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    while (__builtin_expect(sq__state_is_free_to_any_thread(state), 1)) {
        sq__state_t free = state;
        /* [own] acquire: what the last holder wrote. */
        if (__builtin_expect(sq__cas_acquire(&queue->state, &state, free | SQ__OWNED), 1)) {
            return run_taken(queue, free, function, context, caller);
        }
    }
    return sq__is_concurrent(queue) ? sq__concurrent_sync(queue, deadline, function, context, caller)
                                    : sync_in_turn(queue, deadline, function, context, caller, kind);
}

/* Where a call in a task comes from. OUTSIDE is 0: only this one is fast. */
typedef enum from { FROM_OUTSIDE, FROM_INSIDE, FROM_OUTSIDE_EXPLORED } from_t;

/* The calling thread is in a task. In a test that is explored, another task that is about to use the same queue may go first. */
static __attribute__((noinline)) from_t from_task(const sq_queue_t *queue, sq_function_t function, const void *frame) {
    if (__builtin_expect(sq__self()->explored != NULL, 0)) {
        sq__explored_pause("sync onto", queue->label, function);
        return sq__is_current_at(queue, frame) ? FROM_INSIDE : FROM_OUTSIDE_EXPLORED;
    }
    return sq__is_current_at(queue, frame) ? FROM_INSIDE : FROM_OUTSIDE;
}

/* In a test that is explored another task may also go first when the call is over: before the caller acts on what it got. */
static __attribute__((noinline)) int sync_explored(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context,
                                                   const void *caller, uintptr_t kind) {
    int error = sync_from_outside(queue, deadline, function, context, caller, kind);
    sq__explored_pause_after();
    return error;
}

/* The calling thread is in a task of the queue. Returns EDEADLK; on a concurrent queue 0, if that task is a reader: the function has run. */
static int sync_inside(sq_queue_t *queue, const char *doing, sq_function_t function, void *context, const void *caller) {
    if (sq__is_concurrent(queue)) {
        return sq__concurrent_sync_inside(queue, doing, function, context, caller);
    }
    sq__deadlock_onto_itself(queue, SQ__AIM_TURN, doing, caller);
    return sq__queue_reject(queue, EDEADLK);
}

/* The calling thread is in a task, perhaps of this queue. Returns as sq_sync_until. One function for each kind, as seven arguments would not fit into
 * registers. Not inlined: these calls would force the fast path to save its arguments. */
static inline __attribute__((always_inline)) int in_task(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context,
                                                         const void *caller, uintptr_t kind, const void *frame) {
    from_t from = from_task(queue, function, frame);
    if (from != FROM_OUTSIDE) {
        return from == FROM_INSIDE
            ? sync_inside(queue, kind == SQ__WAITER ? "sync onto" : "async_and_wait onto", function, context, caller)
            : sync_explored(queue, deadline, function, context, caller, kind);
    }
    return sync_from_outside(queue, deadline, function, context, caller, kind);
}

static __attribute__((noinline)) int sync_in_task(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context,
                                                  const void *caller, const void *frame) {
    return in_task(queue, deadline, function, context, caller, SQ__WAITER, frame);
}

static __attribute__((noinline)) int async_and_wait_in_task(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context,
                                                            const void *caller, const void *frame) {
    return in_task(queue, deadline, function, context, caller, SQ__RUN_ANYWHERE, frame);
}

static inline __attribute__((always_inline)) int sync_until(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context,
                                                            const void *caller) {
    if (__builtin_expect(sq__self()->frame != NULL, 0)) {
        return sync_in_task(queue, deadline, function, context, caller, SQ__FRAME_TOP);
    }
    return sync_from_outside(queue, deadline, function, context, caller, SQ__WAITER);
}

int sq_sync_until(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context) {
    SQ__CHECK_HANDLE(queue);
    return sync_until(queue, deadline, function, context, __builtin_return_address(0));
}

int sq_sync(sq_queue_t *queue, sq_function_t function, void *context) {
    SQ__CHECK_HANDLE(queue);
    return sync_until(queue, SQ_FOREVER, function, context, __builtin_return_address(0));
}

int sq__sync(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller) {
    SQ__CHECK_HANDLE(queue);
    return sync_until(queue, deadline, function, context, caller);
}

int sq__sync_or_run_before_end(sq_queue_t *queue, sq_function_t function, void *context, const void *caller) {
    SQ__CHECK_HANDLE(queue);
    from_t from = from_task(queue, function, SQ__FRAME_TOP);
    if (from == FROM_OUTSIDE_EXPLORED) {
        return sync_explored(queue, SQ_FOREVER, function, context, caller, SQ__WAITER);
    }
    if (from == FROM_INSIDE) {
        if (sq__is_concurrent(queue)) {
            sq__reader_run(queue, false, 0, function, context, 0);
        } else {
            sq__run(queue, function, context);
        }
        return 0;
    }
    return sync_from_outside(queue, SQ_FOREVER, function, context, caller, SQ__WAITER);
}

int sq__async_and_wait(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller) {
    SQ__CHECK_HANDLE(queue);
    if (__builtin_expect(sq__self()->frame != NULL, 0)) {
        return async_and_wait_in_task(queue, deadline, function, context, caller, SQ__FRAME_TOP);
    }
    return sync_from_outside(queue, deadline, function, context, caller, SQ__RUN_ANYWHERE);
}

int sq_async_and_wait(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context) {
    return sq__async_and_wait(queue, deadline, function, context, __builtin_return_address(0));
}

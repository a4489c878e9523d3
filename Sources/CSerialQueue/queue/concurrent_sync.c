#include "queue/concurrent_sync.h"

#include "concurrent/concurrent.h"
#include "gate/gate_inline.h"
#include "observe/observe_inline.h"
#include "queue/queue_runner.h"
#include "queue/turn.h"
#include "wait/wait.h"
#include "platform/thread.h"
#include "thread/spin.h"

#include <errno.h>

static bool enter(sq_queue_t *queue, uintptr_t kind, sq__gate_word_t *mine) {
    sq__gate_t *gate = sq__gate_of(queue);
    return kind == SQ__WAITER ? sq__gate_enter(gate) : sq__gate_enter_barrier(gate, mine);
}

/* Tries for a moment to enter, as a reader (SQ__WAITER) or as a barrier, which leaves with *mine. False: it is not inside. It overtakes no task:
 * while one waits, the gate is closed. */
static bool enter_early(sq_queue_t *queue, uintptr_t kind, sq__gate_word_t *mine) {
    for (unsigned paused = 0; sq__spin_early(&paused);) {
        if (enter(queue, kind, mine)) {
            return true;
        }
    }
    return sq__spin_yield() && enter(queue, kind, mine);
}

/* Nothing waits and no barrier runs, but the gate must be brought up to date first: it has counted as many as it can, or the caller is a
 * barrier and readers have used the stripes. If readers are inside, a barrier waits in the ring, and the holder of the baton gathers. */
static bool must_renew(const sq__concurrent_t *concurrent, uintptr_t kind, sq__gate_word_t word) {
    return sq__gate_has_counted_most(word)
        || (kind != SQ__WAITER && sq__is_striped(word) && sq__stripes_not_counted(sq__load_relaxed(&concurrent->stripes)) == 0);
}

/* If the gate must be renewed: takes the baton, brings the gate up to date and opens it again. True: there was news meanwhile, and the caller still
 * holds the baton. */
static bool renew(sq_queue_t *queue, uintptr_t kind) {
    sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    /* [striped] acquire: the stripes. */
    if (!must_renew(concurrent, kind, sq__load_acquire(&concurrent->gate)) || !sq__gate_take(&concurrent->gate, 0)) {
        return false;
    }
    sq__stripes_gather_if_striped(concurrent);
    return !sq__gate_open(&concurrent->gate, &concurrent->entered);
}

/* Enters, after a wait if it must. 0: inside as a reader, without the baton; or as a barrier, with it, and *mine is for leave_barrier. Otherwise
 * returns as sq__turn_wait, or EAGAIN. */
static __attribute__((noinline)) int get_turn(sq_queue_t *queue, sq__call_t *call, sq__gate_word_t *mine) {
    const uintptr_t kind = call->kind;
    bool has_baton = renew(queue, kind);
    if (__builtin_expect(queue->process != sq__load_relaxed(&sq__process_if_quiet), 0)) {
        if (sq__queue_is_stale(queue)) {
            return enter(queue, kind, mine) ? 0 : sq__queue_reject(queue, ESTALE);
        }
        sq__trace_hook_begin(queue);
    }
    if (has_baton) {
        sq__baton_pass(queue);
    }
    if (sq__load_relaxed(&queue->state) & SQ__CLOSED) {
        return sq__queue_reject(queue, ESHUTDOWN);
    }
    if (enter_early(queue, kind, mine)) {
        return 0;
    }
    int error = sq__wait_check_deadline(call->deadline);
    if (error) {
        return sq__queue_reject(queue, error);
    }
    *mine = 0;
    error = sq__turn_wait(queue, call);
    if (call->has_baton) {
        sq__baton_pass(queue);
    }
    return error;
}

/* Leaves as a reader that entered by the gate, and passes the baton if the reader gets it. `word`: a guess of the gate's value. `has_overlapped`:
 * other readers came or left meanwhile. */
static __attribute__((noinline)) void leave(sq_queue_t *queue, sq__gate_word_t word, bool has_overlapped) {
    if (has_overlapped) {
        sq__stripes_overlap(sq__concurrent_of(queue)); /* before it leaves: after that the queue may be freed */
    }
    if (sq__gate_leave(sq__gate_of(queue), word, false)) {
        sq__baton_pass(queue);
    }
}

/* As sq__concurrent_sync, by the gate. Waits if it must. */
static __attribute__((noinline)) int sync_in_turn(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context,
                                                  const void *caller) {
    sq__gate_t *gate = sq__gate_of(queue);
    uint64_t submitted = SQ__DID_NOT_WAIT;
    for (unsigned pauses = sq__gate_is_open(sq__load_relaxed(gate)) ? SQ__EARLY_GAP : 0; pauses > 0; pauses -= 1) {
        sq__pause();
    }
    if (!sq__gate_enter(gate)) {
        sq__gate_word_t unused;
        sq__call_t call = { .task = { .run = function, .context = context }, .kind = SQ__WAITER, .deadline = deadline, .site = caller };
        submitted = sq__timings_now(queue);
        int error = get_turn(queue, &call, &unused);
        if (error) {
            return error;
        }
    }
    sq__reader_run(queue, false, submitted, function, context, caller);
    sq__gate_word_t word = sq__load_relaxed(gate);
    leave(queue, word, sq__gate_inside(word) > 1);
    return 0;
}

/* As sq__concurrent_sync, by a stripe, or by the gate if that is not striped or is closed. */
static __attribute__((noinline)) int sync_by_stripe(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context,
                                                    const void *caller) {
    sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    sq__striped_t mine;
    bool takes;
    if (__builtin_expect(!sq__stripes_enter(concurrent, &mine, &takes), 0)) {
        if (takes) {
            sq__baton_pass(queue);
        }
        return sync_in_turn(queue, deadline, function, context, caller);
    }
    sq__reader_run(queue, false, SQ__DID_NOT_WAIT, function, context, caller);
    if (__builtin_expect(!sq__stripes_leave_at_once(&mine), 0) && sq__stripes_leave(concurrent, mine, SQ__STRIPE_INSIDE_ONE)) {
        sq__baton_pass(queue);
    }
    return 0;
}

int sq__concurrent_sync(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller) {
    sq__gate_t *gate = sq__gate_of(queue);
    sq__gate_word_t mine;
    if (__builtin_expect(!sq__gate_enter_at_once(gate, &mine), 0)) {
        return sync_by_stripe(queue, deadline, function, context, caller);
    }
    sq__gate_word_t word = mine;
    sq__reader_run(queue, false, SQ__DID_NOT_WAIT, function, context, caller);
    if (__builtin_expect(!sq__gate_leave_at_once(gate, &word), 0)) {
        leave(queue, word, sq__gate_has_overlapped(mine, word));
    }
    return 0;
}

int sq__concurrent_sync_inside(sq_queue_t *queue, const char *doing, sq_function_t function, void *context, const void *caller) {
    if (sq__is_in_barrier(queue)) {
        sq__deadlock_onto_itself(queue, SQ__AIM_TURN, doing, caller);
        return sq__queue_reject(queue, EDEADLK);
    }
    sq__reader_run(queue, false, 0, function, context, 0);
    return 0;
}

/* `mine` 0: it had to wait, or another thread has come meanwhile. */
static inline void leave_barrier(sq_queue_t *queue, sq__gate_t *gate, sq__gate_word_t mine) {
    if (__builtin_expect(mine == 0 || !sq__gate_leave_barrier(gate, mine), 0)) {
        (void)sq__add_relaxed(gate, -SQ__GATE_BARRIER); /* relaxed: the next holder sees it with the baton */
        sq__baton_pass(queue);
    }
}

/* As sq__concurrent_sync_barrier. Waits if it must. */
static __attribute__((noinline)) int barrier_in_turn(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context,
                                                     const void *caller) {
    sq__gate_word_t mine;
    uint64_t submitted = sq__timings_now(queue);
    sq__call_t call = {
        .task = { .run = function, .context = context }, .kind = SQ__WAITER | SQ__BARRIER, .deadline = deadline, .site = caller
    };
    int error = get_turn(queue, &call, &mine);
    if (error == 0) {
        sq__reader_run(queue, false, submitted, function, context, caller);
        leave_barrier(queue, sq__gate_of(queue), mine);
    }
    return error;
}

int sq__concurrent_sync_barrier(sq_queue_t *queue, sq_time_t deadline, sq_function_t function, void *context, const void *caller) {
    sq__gate_t *gate = sq__gate_of(queue);
    sq__gate_word_t mine;
    if (__builtin_expect(!sq__gate_enter_barrier(gate, &mine), 0)) {
        return barrier_in_turn(queue, deadline, function, context, caller);
    }
    sq__reader_run(queue, false, SQ__DID_NOT_WAIT, function, context, caller);
    leave_barrier(queue, gate, mine);
    return 0;
}

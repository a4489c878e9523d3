/* target.c: queues that run their tasks on another queue.
 *
 * DESIGN. A queue with a target is not free to a sync's fast path (SQ__NOT_FREE), and its runner is its record: a kind of runner. A post
 * submits a task to the target, which runs a batch of the queue's tasks. The task needs no room in a bounded target.
 *
 * A sync first gets its turn in the queue, then in the target, and runs in both. It passes the queue's baton on before it leaves the
 * target. So a thread that has the turn of a queue waits for its target or has it, and the order is always from a queue to its target.
 * A thread that has the target's turn never waits for the queue: such a wait is a deadlock, and is refused. In a task of a concurrent target
 * that is no barrier a thread may wait for the queue; the search for deadlocks knows what that needs (wait/edge.c).
 *
 * The first use of a queue fixes its targets (targeted.h); until then its record alone has the target, and it has no runner.
 *
 * A batch ends when one of the targets is suspended, even before its first task, or after a task once others want the thread of the last target:
 * then each task is one of the last target's, and that one's batch decides. It does not linger.
 *
 * If the target was shut down, the queue's tasks run after the target's end (after_end.h). A shutdown of the target that discards does not
 * discard them.
 *
 * All queues with the same target share one reference to it, SQ__PINNED; the target counts them under its lock. So it is known when the
 * program has released all of its own references. If the target is suspended then, nobody can resume it: it is shut down. A pinned target is
 * released under its lock, and the last pin is removed under the same lock. So the queue exists while the releaser looks at it. A releaser
 * that does not see a pin that is just being made cannot be the last one: the thread that makes it has a reference of its own, and sees it. */
#include "gate/gate_inline.h"
#include "include/sq_queue.h"

#include "kernel/kernel_inline.h"
#include "observe/observe.h"
#include "platform/container.h"
#include "platform/thread.h"
#include "queue/after_end.h"
#include "queue/make.h"
#include "queue/end.h"
#include "queue/queue_runner.h"
#include "queue/targeted.h"
#include "queue/turn.h"
#include "state/state_inline.h"
#include "wait/wait.h"

#include <errno.h>

/* Tasks */

static void post_batch(sq_queue_t *queue);
static void post_after_end(sq_queue_t *queue);

/* A task of the target, which has the baton of the queue `first`. `runs`: not, if the target discards it. */
static void run_batch(void *first, void *unused, bool runs) {
    sq_queue_t *queue = first;
    size_t ran = 0;
    (void)unused;
    if (!runs) {
        post_after_end(queue); /* not to the target: it may discard before it refuses */
        return;
    }
    switch (sq__run_tasks_inside(queue, SQ__BATCH, &ran)) {
    case SQ__NEXT_TASK:
        post_batch(queue);
        break;
    case SQ__NEXT_END:
        sq__queue_end(queue, true);
        break;
    default:
        break;
    }
}

/* What was accepted must run, so a lack of memory is waited out. */
static void post_after_end(sq_queue_t *queue) {
    while (sq__async_after_end(sq__queue_target(queue), run_batch, queue, NULL) == ENOMEM) {
        sq__thread_yield();
    }
}

/* O. The baton goes to a job of the target, or of its successor if it was shut down. Waits until there is memory for the job. */
static void post_batch(sq_queue_t *queue) {
    int error;
    while ((error = sq_async_job(sq__queue_target(queue), run_batch, queue, NULL)) == ENOMEM) {
        sq__thread_yield();
    }
    if (error == ESHUTDOWN) {
        post_after_end(queue);
    } /* ESTALE: the rest is the parent's */
}

static void post(sq__runner_t runner, sq__ready_t *entry) {
    (void)runner;
    post_batch(SQ__CONTAINER(entry, sq_queue_t, ready));
}

static sq_queue_t *target_of(sq__runner_t runner) { return ((const sq__targeted_t *)sq__runner_object(runner))->target; }

static bool is_held(const sq_queue_t *queue) {
    uint32_t control = sq__load_relaxed(&queue->control); /* [control] relaxed: loaded after the next task's kind */
    return (control & (SQ__HELD_BACK | SQ__DISCARD)) == SQ__HELD_BACK
        && (sq__load_relaxed(&queue->state) & (SQ__SUSPENDED | SQ__ENDED)) == SQ__SUSPENDED;
}

/* SQ__DEMAND_NOW: a target is suspended. SQ__DEMAND_NEXT: others want the thread of the last target's runner. Else SQ__DEMAND_NEAR. */
static sq__demand_t demand(sq__runner_t runner) {
    for (const sq_queue_t *queue = target_of(runner); queue != NULL; queue = sq__runner_target(runner)) {
        if (is_held(queue)) {
            return SQ__DEMAND_NOW;
        }
        runner = sq__load_relaxed(&queue->runner);
    }
    return sq__runner_demand(runner) >= SQ__DEMAND_SHARED ? SQ__DEMAND_NEXT : SQ__DEMAND_NEAR;
}

/* Syncs */

typedef struct turn {
    sq_queue_t *queue;
    const sq__call_t *call;
    bool is_refused; /* while it waited for the target, the queue was shut down, and what waits is discarded */
} turn_t;

/* In the turns of both: runs the function, and passes the queue's baton. If the turn is refused, neither: the baton is still run_on_target's. */
static void run_turn(void *context) {
    turn_t *turn = context;
    turn->is_refused = sq__state_is_discarded(sq__load_relaxed(&turn->queue->state));
    if (turn->is_refused) {
        return;
    }
    sq__run_turn(turn->queue, turn->call->submitted, turn->call->task.run, turn->call->task.context, turn->call->site);
    sq__baton_pass(turn->queue);
}

/* O. Gets the target's turn, too, and runs the call there. The queue's baton is passed in any case, except after ESTALE. Returns as
 * sq__sync_after_end. */
static int run_on_target(sq_queue_t *queue, turn_t *turn) {
    const sq__call_t *call = turn->call;
    sq_queue_t *target = sq__queue_target(queue);
    int error = sq__sync(target, call->deadline, run_turn, turn, call->site);
    if (error == ESHUTDOWN) {
        error = sq__sync_after_end(target, call->deadline, run_turn, turn, call->site);
    }
    if (turn->is_refused) {
        error = ESHUTDOWN;
    }
    if (error && error != ESTALE) {
        sq__count(&queue->ran, (uint64_t)-1); /* the turn was not used */
        sq__count(&queue->skipped, 1);
        sq__tally(queue, SQ__TALLY_WITHDRAWN, 1);
        sq__baton_pass(queue);
    }
    return error;
}

/* The caller is in a task of the target, during which no other task runs there. After its end they run one at a time, also if it is
 * concurrent. */
static bool keeps_others_out(const sq_queue_t *target) {
    return sq_is_current(target)
        && (!sq__is_concurrent(target) || sq__is_in_barrier(target) || sq__load_relaxed(&target->state) & SQ__ENDED);
}

/* A target whose turn the caller has; NULL: none. */
static const sq_queue_t *target_of_caller(const sq_queue_t *queue) {
    const sq_queue_t *target = sq__queue_target(queue);
    while (target != NULL && !keeps_others_out(target)) {
        target = sq__queue_target(target);
    }
    return target;
}

/* Gets the queue's turn, then its target's, and runs the call there. Returns as sq_sync_until; neither turn is held then. */
static int sync_on_target(sq_queue_t *queue, sq__call_t *call) {
    /* A queue above this one has looked for it: a chain is walked once. */
    const sq_queue_t *held = call->task.run != run_turn ? target_of_caller(queue) : NULL;
    if (held != NULL) {
        sq__deadlock_onto_own_target(queue, held);
        return sq__queue_reject(queue, EDEADLK);
    }
    int error = sq__turn_take(queue, call);
    return error ? error : run_on_target(queue, &(turn_t){ .queue = queue, .call = call });
}

/* The reference to the target */

/* With all queues' locks. `record`: the target's. The caller has a reference to the target. */
static void pin(sq_queue_t *target, sq__targeted_t *record) {
    record->pins += 1;
    if (record->pins == 1) {
        sq__add_relaxed(&target->references, SQ__PINNED); /* the locks order it */
    }
}

/* A queue needs this target no more; NULL: it had none. Takes the lock of the target, which may be freed then: the last pin takes the pins' reference
 * along. */
static void unpin(sq_queue_t *target) {
    if (target == NULL) {
        return;
    }
    sq__lock(target);
    sq__targeted_t *record = sq__extra(target, SQ__EXTRA_TARGET);
    record->pins -= 1;
    bool is_last = record->pins == 0;
    if (is_last) {
        sq__add_relaxed(&target->references, 1 - SQ__PINNED); /* from now on it is an ordinary one: sq_queue_release orders that */
    }
    sq__unlock(target);
    if (is_last) {
        sq_queue_release(target);
    }
}

/* The queue that has the record has ended. */
static void release(sq__runner_t runner) { unpin(target_of(runner)); }

static int adopt(sq__runner_t runner, sq_queue_t *made) { return sq_queue_set_target(made, target_of(runner)); }

static const sq__runner_kind_t kind = {
    .post = post, .demand = demand, .target = target_of, .sync = sync_on_target, .adopt = adopt, .release = release
};

/* Setting the target */

/* With all queues' locks. True: the queue is `target`, or a target of that one. A queue that has no pins is not a target: so building a long chain
 * from its end on does not walk it. */
static bool is_circle(const sq_queue_t *queue, const sq_queue_t *target) {
    const sq__targeted_t *record = sq__targeted(queue);
    bool is_target = record != NULL && record->pins > 0;
    while (is_target && target != NULL && target != queue) {
        target = sq__targeted_at(target);
    }
    return target == queue;
}

/* With all queues' locks. Returns the queue's record, made if there is none; NULL: no memory. */
static sq__targeted_t *make_record(sq_queue_t *queue) {
    sq__targeted_t *record = sq__targeted(queue);
    if (record == NULL && (record = sq__extra_make(queue, SQ__EXTRA_TARGET, sizeof *record)) != NULL) {
        record->runner.kind = &kind; /* once, before the first target or pin */
    }
    return record;
}

/* With all queues' locks. Sets SQ__NOT_FREE, if no sync has ever taken the queue. False: a sync has taken it, or has it, or it was shut down: nothing
 * has changed. */
static bool bind(sq_queue_t *queue) {
    sq__state_t state = sq__load_acquire(&queue->state); /* [own] acquire: `ran`, if a sync has just given it back */
    do {
        if ((!sq__state_is_free(state) && !(state & SQ__PARKED)) || state & SQ__CLOSED || sq__load_relaxed(&queue->ran) != 0) {
            return false;
        }
        /* [own] release: the records, to the first holder. acquire also if it fails */
    } while (!sq__cas_acq_rel(&queue->state, &state, state | SQ__NOT_FREE));
    return true;
}

/* With all queues' locks. The caller has a reference to the target. Returns as sq_queue_set_target, without ESTALE. 0: pinned; the old target is,
 * too. */
static int set(sq_queue_t *queue, sq_queue_t *target) {
    sq__runner_t runner = sq__load_relaxed(&queue->runner);
    if (is_circle(queue, target) || (sq__runner_is_object(runner) && sq__runner_target(runner) == NULL)) {
        return EINVAL;
    }
    if (!(sq__load_relaxed(&queue->control) & SQ__MOVABLE)) {
        return EBUSY;
    }
    sq__targeted_t *of_target = make_record(target), *of_queue = of_target != NULL ? make_record(queue) : NULL;
    if (of_queue == NULL) {
        return ENOMEM;
    }
    if (!bind(queue)) {
        return EBUSY;
    }
    pin(target, of_target);
    of_queue->target = target;
    return 0;
}

int sq_queue_set_target(sq_queue_t *queue, sq_queue_t *target) {
    SQ__CHECK_HANDLE(queue);
    SQ__CHECK_HANDLE(target);
    if (sq__queue_is_stale(queue) || sq__queue_is_stale(target)) {
        return ESTALE;
    }
    sq_queue_retain(target); /* in a task of the target the caller may have none */
    sq__lock_all();
    sq_queue_t *old = sq__targeted_at(queue);
    int error = set(queue, target);
    sq__unlock_all();
    if (error == 0) {
        unpin(old);
    }
    sq_queue_release(target);
    return error;
}

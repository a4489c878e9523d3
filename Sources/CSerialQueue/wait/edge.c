#include "wait/edge.h"

#include "gate/gate_inline.h"
#include "observe/observe_inline.h"

/* True: what the wait needs of its queue runs in tasks of this one. With a serial root that is the root, in whose tasks those of the targets
 * in between run, too. With a concurrent one it is also the queue above it. */
static bool runs_on(const sq__wait_t *wait, const void *target) {
    return wait->aim != SQ__AIM_TASK && wait->queue != target && (wait->root == target || wait->above_root == target);
}

/* True: the wait cannot end before a task of the queue `owner` ends, or the function of the once `owner`. */
static bool needs(const sq__wait_t *wait, const void *owner) {
    const sq__subject_t *subject = wait->subject;
    if (subject == NULL) {
        return wait->queue == owner || runs_on(wait, owner);
    }
    return subject->needs != NULL ? subject->needs(subject, owner) : subject->object == owner;
}

/* M. The gate of this concurrent queue, if something that the wait needs is queued there; else 0. It was queued when the gate was read: if
 * one of several tasks has started since the first look, the second look finds another number. A call that has begun is claimed. For a wait
 * for a queue whose last target this is, it is not known whether a batch of that queue waits there or runs: it counts as queued. */
static sq__gate_word_t gate_for(const sq__wait_t *wait, const sq_queue_t *queue) {
    sq__gate_t *gate = sq__gate_of(queue);
    const sq__subject_t *subject = wait->subject;
    if (subject == NULL) {
        bool is_turn = (wait->queue == queue && wait->aim == SQ__AIM_TURN) || runs_on(wait, queue);
        sq__gate_word_t turn = is_turn ? sq__load_acquire(gate) : 0; /* [baton] acquire: `first`, and the claims before */
        return turn != 0 && sq__token_is_claimed(wait->token, wait->wait_id) ? 0 : turn;
    }
    uint64_t queued = subject->queued != NULL ? subject->queued(subject, queue) : 0;
    sq__gate_word_t word = queued != 0 ? sq__load_acquire(gate) : 0; /* [baton] acquire: `first`, and what has started before */
    return queued != 0 && subject->queued(subject, queue) == queued ? word : 0;
}

/* True: the thread waits in this async task of a concurrent queue for a queue whose last target that is, and only a few may run at a time: the
 * task may keep out what it waits for. Of several threads it is not known which one makes room. */
static bool keeps_itself_out(const sq__wait_t *wait, const sq__frame_t *frame) {
    return frame->is_reader && frame->begins && runs_on(wait, frame->owner) && !sq__token_is_claimed(wait->token, wait->wait_id)
        && sq__concurrent_of(frame->owner)->width != UINT32_MAX;
}

/* M. True: the wait cannot end before this task of a concurrent queue ends. */
static bool needs_reader(const sq__wait_t *wait, const sq__frame_t *frame) {
    const sq_queue_t *queue = frame->owner;
    const sq__reader_t *reader = sq__reader_of(frame);
    const sq__subject_t *subject = wait->subject;
    if (subject != NULL) { /* without an object any thread may end it */
        if (reader != NULL && subject->object != NULL && subject->object == reader->subject && subject->call == reader->call) {
            return true;
        }
    } else if (wait->queue == queue) {
        if (wait->aim != SQ__AIM_TURN) {
            return wait->aim == SQ__AIM_END || (wait->aim == SQ__AIM_TASK && wait->task == frame);
        }
        if (reader != NULL && reader->caller == wait->token) {
            return true;
        }
    }
    sq__gate_word_t gate = gate_for(wait, queue);
    if (gate != 0 && reader != NULL && reader->has_baton) {
        return true;
    }
    const sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    const sq__token_t *first = sq__load_relaxed(&concurrent->waiting_barrier);
    if (gate & SQ__GATE_BARRIER || (gate & SQ__GATE_DRAINING && (first == NULL || first == wait->token))) {
        return true;
    }
    /* What still comes from the wait's queue runs after the end of this one, one task at a time (queue/after_end.h). */
    return gate != 0 && runs_on(wait, queue) && (gate & SQ__GATE_ENDING || sq__load_relaxed(&queue->state) & SQ__ENDED);
}

/* True: the wait cannot end before this other wait ends, that of a barrier in front of it, which waits for readers. */
static bool needs_barrier(const sq__wait_t *wait, const sq__wait_t *barrier) {
    if (!barrier->is_barrier || barrier == wait) {
        return false;
    }
    const sq__concurrent_t *concurrent = sq__concurrent_of(barrier->queue);
    return gate_for(wait, barrier->queue) & SQ__GATE_DRAINING && sq__load_relaxed(&concurrent->waiting_barrier) == barrier->token;
}

/* M. True: the wait cannot end before this task ends. `is_own`: the task is on the stack of the thread that waits. */
static bool needs_task(const sq__wait_t *wait, const sq__frame_t *frame, bool is_own) {
    if (frame->owner == NULL) {
        return false;
    }
    if (!sq__is_concurrent(frame->owner)) {
        return needs(wait, frame->owner);
    }
    return needs_reader(wait, frame) || (is_own && wait->subject == NULL && keeps_itself_out(wait, frame));
}

/* The runner that the wait needs, if this owner owns it; 0: none. */
static sq__runner_t owned_for(const sq__wait_t *wait, const sq__owner_t *owner) {
    const sq__subject_t *subject = wait->subject;
    if (subject != NULL) {
        return subject->runs_for != NULL ? subject->runs_for->find(subject, owner) : 0;
    }
    return sq__runner_is_owned_by(wait->runner, owner) ? wait->runner : 0;
}

/* The runner that the wait needs, if this sleeping thread owns it; 0: none. A thread's own wait never needs its own runners. If it waits
 * for tasks on them, it will run these, and perhaps also what the other wait needs. After that it searches again. */
static sq__runner_t needed_owned(const sq__wait_t *wait, const sq__edge_t *edge) {
    sq__runner_t owned = edge->owner != NULL && edge->wait != wait ? owned_for(wait, edge->owner) : 0;
    bool runs_it = owned != 0 && edge->wait->runs == SQ__WAIT_RUNS_TASKS && owned_for(edge->wait, edge->owner) != 0;
    return runs_it ? 0 : owned;
}

sq__held_t sq__edge_held_for(const sq__edge_t *edge, const sq__wait_t *wait) {
    const sq__frame_t *frame = edge->frames;
    while (frame != NULL && !needs_task(wait, frame, edge->wait == wait)) {
        frame = frame->parent;
    }
    const sq__duty_t *duty = frame == NULL ? edge->duties : NULL;
    while (duty != NULL && !needs(wait, duty->what)) {
        duty = duty->parent;
    }
    sq__runner_t owned = frame == NULL && duty == NULL ? needed_owned(wait, edge) : 0;
    return (sq__held_t){ .frame = frame, .duty = duty, .owned = owned };
}

bool sq__edge_holds_up(const sq__edge_t *edge, const sq__wait_t *wait) {
    sq__held_t held = sq__edge_held_for(edge, wait);
    return held.frame != NULL || held.duty != NULL || held.owned != 0 || needs_barrier(wait, edge->wait);
}

#include "wait/edge.h"

#include "observe/reader.h"
#include "pool/loop.h"

/* True: the wait cannot end before a task of the queue `owner` ends, or the function of the once `owner`. */
static bool needs(const sq__wait_t *wait, const void *owner) {
    const sq__subject_t *subject = wait->subject;
    if (subject == NULL) {
        return wait->queue == owner || (wait->root == owner && wait->aim != SQ__AIM_TASK);
    }
    return subject->needs != NULL ? subject->needs(subject, owner) : subject->object == owner;
}

/* The gate of this concurrent queue, if something that the wait needs is queued there; else 0. It was queued when the gate was read: if
 * one of several tasks has started since the first look, the second look finds another number. A call that has begun is claimed. */
static sq__gate_word_t gate_for(const sq__wait_t *wait, const sq_queue_t *queue) {
    sq__gate_t *gate = sq__gate_of(queue);
    const sq__subject_t *subject = wait->subject;
    if (subject == NULL) {
        bool is_turn = wait->queue == queue && wait->aim == SQ__AIM_TURN;
        sq__gate_word_t turn = is_turn ? sq__load_acquire(gate) : 0; /* [baton] acquire: `first`, and the claims before */
        return turn != 0 && sq__token_is_claimed(wait->token, wait->wait_id) ? 0 : turn;
    }
    uint64_t queued = subject->queued != NULL ? subject->queued(subject, queue) : 0;
    sq__gate_word_t word = queued != 0 ? sq__load_acquire(gate) : 0; /* [baton] acquire: `first`, and what has started before */
    return queued != 0 && subject->queued(subject, queue) == queued ? word : 0;
}

/* True: the wait cannot end before this task of a concurrent queue ends. */
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
    const sq__concurrent_t *concurrent = sq__concurrent_of(queue);
    const sq__token_t *first = sq__load_relaxed(&concurrent->first);
    return gate & SQ__GATE_BARRIER || (gate & SQ__GATE_DRAINING && (first == NULL || first == wait->token));
}

/* True: the wait cannot end before this other wait ends, that of a barrier in front of it, which waits for readers. */
static bool needs_barrier(const sq__wait_t *wait, const sq__wait_t *barrier) {
    if (!barrier->is_barrier || barrier == wait) {
        return false;
    }
    const sq__concurrent_t *concurrent = sq__concurrent_of(barrier->queue);
    return gate_for(wait, barrier->queue) & SQ__GATE_DRAINING && sq__load_relaxed(&concurrent->first) == barrier->token;
}

static bool needs_task(const sq__wait_t *wait, const sq__frame_t *frame) {
    if (frame->owner == NULL) {
        return false;
    }
    return sq__is_concurrent(frame->owner) ? needs_reader(wait, frame) : needs(wait, frame->owner);
}

/* The loop that the wait needs, if this owner owns it; NULL: none. */
static const sq__pool_t *loop_for(const sq__wait_t *wait, const sq__owner_t *owner) {
    const sq__subject_t *subject = wait->subject;
    if (subject != NULL) {
        return subject->loops != NULL ? subject->loops->find(subject, owner) : NULL;
    }
    return wait->loop != NULL && sq__pool_is_loop_of(wait->loop, owner) ? wait->loop : NULL;
}

/* The loop that the wait needs, if this sleeping thread owns it; NULL: none. A thread's own wait never needs its own loops. If it waits
 * for tasks on them, it will run these, and perhaps also what the other wait needs. After that it searches again. */
static const sq__pool_t *needed_loop(const sq__wait_t *wait, const sq__edge_t *edge) {
    const sq__pool_t *loop = edge->owner != NULL && edge->wait != wait ? loop_for(wait, edge->owner) : NULL;
    bool runs_it = loop != NULL && edge->wait->runs_members && loop_for(edge->wait, edge->owner) != NULL;
    return runs_it ? NULL : loop;
}

sq__held_t sq__edge_held_for(const sq__edge_t *edge, const sq__wait_t *wait) {
    const sq__frame_t *frame = edge->frames;
    while (frame != NULL && !needs_task(wait, frame)) {
        frame = frame->parent;
    }
    const sq__hold_t *hold = frame == NULL ? edge->holds : NULL;
    while (hold != NULL && !needs(wait, hold->what)) {
        hold = hold->parent;
    }
    const sq__pool_t *loop = frame == NULL && hold == NULL ? needed_loop(wait, edge) : NULL;
    return (sq__held_t){ .frame = frame, .hold = hold, .loop = loop };
}

bool sq__edge_holds_up(const sq__edge_t *edge, const sq__wait_t *wait) {
    sq__held_t held = sq__edge_held_for(edge, wait);
    return held.frame != NULL || held.hold != NULL || held.loop != NULL || needs_barrier(wait, edge->wait);
}

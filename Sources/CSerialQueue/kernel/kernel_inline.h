/* kernel_inline.h: the slots of the ring, and what the fast paths of a submission, a task and a batch need inline. */
#pragma once

#include "include/sq_current.h"
#include "include/sq_types.h"
#include "gate/gate_inline.h"
#include "kernel/kernel.h"
#include "memory/blocks.h"
#include "observe/observe_inline.h"
#include "platform/unwind.h"
#include "state/state_inline.h"
#include "thread/self.h"
#include "trace/trace.h"

/* Slots: segment.h */

typedef SQ__ATOMIC(uintptr_t) sq__word_t;

typedef struct sq__slot {
    sq__word_t word; /* SQ__EMPTY, SQ__BATON, or the kind of the work and perhaps a time; a link's is the address of a segment instead */
    sq__work_t work;
} sq__slot_t;

/* With this header, 126 slots are 4 KiB. */
struct sq__segment {
    _Alignas(SQ__LINE) sq__word_t next;
    uint32_t number; /* in the store */
    uint32_t used;   /* while it is in the store: all slots from this one on are EMPTY; 0 in new pages */
    _Alignas(SQ__LINE) sq__slot_t slots[SQ__SEGMENT_SLOTS];
};

_Static_assert(sizeof(sq__slot_t) <= SQ__LINE / 2 && SQ__SEGMENT_SLOTS % 2 == 0, "two slots share a cache line, and are cleared together");
_Static_assert(SQ__SEGMENT_SLOTS <= 0xFF, "the state word has eight bits for it");
_Static_assert(SQ__EMPTY == 0, "new pages are zero");
_Static_assert(sizeof(sq__segment_t) == SQ__SEGMENT_BYTES, "memory/blocks.h");
_Static_assert((SQ__SEGMENT_BYTES & (SQ__SEGMENT_BYTES - 1)) == 0, "memory/blocks.h");

/* The queue's record of them. L under its lock. */
typedef struct sq__joinable {
    sq__slot_t *slot;            /* L  the shared slot that may be joined, which the head has not consumed; NULL: none */
    SQ__ATOMIC(uint64_t) joined; /* L, read as a count: how many threads have joined a shared slot that was there */
} sq__joinable_t;

/* Filling a slot: ring.h */

typedef enum sq__put {
    SQ__PUT_QUEUED, /* the baton is elsewhere; the thread that holds it or gets it will reach the task */
    SQ__PUT_BATON,  /* the caller has the baton */
    SQ__PUT_FIRST   /* the caller has the baton, and the task is the next one */
} sq__put_t;

/* O. Puts work into the hand-off slot, which is empty: ahead of the ring. */
static inline void sq__next_put(sq_queue_t *queue, uint16_t kind, const sq__work_t *work) {
    queue->handoff = *work;
    sq__store_release(&queue->handoff_kind, kind); /* [depth] release: the head, as the submitter found it */
}

/* The word of a slot has its kind, and above that the time of its submission, if the queue is measured (observe/timings.h). The time
 * has the lower 56 bits of the nanoseconds: enough for waits of two years. */
static inline uintptr_t sq__ring_kind(uintptr_t word) { return word & ((1u << SQ__KIND_BITS) - 1); }

/* Publishes the slot that the submitter has filled, in a queue that is traced, watched or measured. Returns as sq__ring_publish, or true
 * if it took the baton of a concurrent queue out of the gate. */
bool sq__ring_publish_noted(sq_queue_t *queue, const sq__reserved_t *place, uint16_t kind, const void *site);

/* Fills the slot that the submitter took, and publishes it; if it took the free queue, puts the work into the hand-off slot. After SQ__PUT_QUEUED the
 * caller must not touch the queue without a reference. */
static inline sq__put_t sq__ring_put(sq_queue_t *queue, const sq__reserved_t *place, const sq__submission_t *submission) {
    if (place->slot == NULL) {
        sq__next_put(queue, submission->kind, &submission->work);
        return SQ__PUT_FIRST;
    }
    place->slot->work = submission->work;
    bool takes = false; /* true: it took the baton of a concurrent queue out of the gate */
    uint32_t control = sq__load_relaxed(&queue->control);
    if (__builtin_expect(control & (SQ__CONCURRENT | SQ__SITED | SQ__MEASURED), 0)) {
        if (control & (SQ__SITED | SQ__MEASURED)) {
            return sq__ring_publish_noted(queue, place, submission->kind, submission->site) ? SQ__PUT_BATON : SQ__PUT_QUEUED;
        }
        takes = sq__concurrent_takes(queue); /* before the task can be seen: once it runs, it may release the submitter's reference */
    }
    return sq__ring_publish(place, submission->kind) || takes ? SQ__PUT_BATON : SQ__PUT_QUEUED;
}

/* Where the work is stored: SQ__IN_HANDOFF, or the address of a slot. The submitter of a CANCELLABLE records this in its `place` before it
 * puts the work. Once the work is put, it can be taken. It can be withdrawn as soon as the submitting call has returned, or has released
 * the queue's lock. */
enum { SQ__IN_HANDOFF = 1 };
static inline uintptr_t sq__ring_where(const sq__reserved_t *place) {
    return place->slot != NULL ? (uintptr_t)place->slot : SQ__IN_HANDOFF;
}

/* The next work: ring.h */

/* O. The head is at the end of its segment, or has none. Moves it to the next segment, and frees the old one. False: the next one is not linked yet;
 * nothing has changed. */
bool sq__ring_enter_next_segment(sq_queue_t *queue);

/* O. The slot at the head, which peek found filled. */
static inline sq__slot_t *sq__ring_head(sq_queue_t *queue) {
    return &queue->head->slots[sq__position_index(sq__load_relaxed(&queue->position))];
}

/* O. The kind of the work at the head, perhaps with SQ__BARRIER; SQ__EMPTY: there is none, or its slot is not filled yet. At the end of a segment it
 * enters the next one, and frees the old one. */
static inline uintptr_t sq__ring_peek(sq_queue_t *queue) {
    if (__builtin_expect(sq__position_index(sq__load_relaxed(&queue->position)) == SQ__SEGMENT_SLOTS, 0) && !sq__ring_enter_next_segment(queue)) {
        return SQ__EMPTY;
    }
    return sq__ring_kind(sq__load_acquire(&sq__ring_head(queue)->word)); /* [publish] acquire: the slot. [withdraw] acquire: if CANCELLED, the last use */
}

/* O. Advances past the slot at the head, which peek found filled, and returns its work. */
static inline sq__work_t sq__ring_take(sq_queue_t *queue) {
    const sq__slot_t *slot = sq__ring_head(queue);
    sq__count(&queue->position, 1);
    return slot->work;
}

/* O. The kind of the next work, in the hand-off slot or at the head; SQ__EMPTY as above. */
static inline uintptr_t sq__next_kind(sq_queue_t *queue) {
    uintptr_t kind = sq__load_relaxed(&queue->handoff_kind);
    return kind != SQ__EMPTY ? kind : sq__ring_peek(queue);
}

/* O. The next work, in the hand-off slot or at the head. */
static inline const sq__work_t *sq__next_work(sq_queue_t *queue) {
    return sq__load_relaxed(&queue->handoff_kind) != SQ__EMPTY ? &queue->handoff : &sq__ring_head(queue)->work;
}

/* O. Takes the next work, which sq__next_kind has found: empties the hand-off slot, or advances past the slot at the head. */
static inline sq__work_t sq__next_take(sq_queue_t *queue) {
    /* [withdraw] acquire: if it is CANCELLED, the withdrawing thread no longer uses the queue, which may now end. */
    if (sq__load_acquire(&queue->handoff_kind) == SQ__EMPTY) {
        return sq__ring_take(queue);
    }
    sq__store_relaxed(&queue->handoff_kind, SQ__EMPTY);
    return queue->handoff;
}

/* O. At a shared slot, while the hand-off slot is empty: moves the first thread of its list there, and consumes the slot if the list is empty then.
 * Takes the lock. */
void sq__shared_next(sq_queue_t *queue);

/* O. Called when the control says SQ__HELD_BACK: (b2). Tries to park the baton. False: the word is not SUSPENDED yet, or no longer, and the
 * next task may start. True: it may not: *is_parked says that the baton is parked; else the caller looks again. */
bool sq__suspension_obey(sq_queue_t *queue, bool *is_parked);

/* O. Skips the next work, which is CANCELLED. */
void sq__withdraw_pass(sq_queue_t *queue);

/* O. Finds the work whose turn is next: skips CANCELLED, and moves the first thread of a SHARED to the hand-off slot. False: the queue is
 * suspended, and the baton was parked. *kind SQ__EMPTY: there is none, or its slot is not filled; then *control is not set. Otherwise
 * *control is the queue's, loaded after the work was seen. */
static inline bool sq__baton_find(sq_queue_t *queue, uintptr_t *kind, uint32_t *control) {
    for (;;) {
        *kind = sq__next_kind(queue);
        if (__builtin_expect(*kind == SQ__SHARED, 0)) {
            sq__shared_next(queue);
            continue;
        }
        if (*kind == SQ__EMPTY) {
            return true;
        }
        /* Loaded after the kind: a task that was submitted after the suspension then shows the suspension, too. */
        *control = sq__load_relaxed(&queue->control); /* [control] */
        if (__builtin_expect((*control & (SQ__HELD_BACK | SQ__DISCARD)) == SQ__HELD_BACK, 0)) {
            bool is_parked;
            if (sq__suspension_obey(queue, &is_parked)) {
                if (is_parked) {
                    return false;
                }
                continue;
            }
        }
        if (__builtin_expect(*kind != SQ__CANCELLED, 1)) {
            return true;
        }
        sq__withdraw_pass(queue);
    }
}

/* Running a task */

/* The frame of a runner, and what it runs. */
typedef struct sq__batch_frame {
    sq__frame_t frame; /* first, so that a frame with is_batch is known to be one of these */
    uintptr_t kind;    /* SQ__EMPTY: nothing yet, or the last one was withdrawn; else of the last task that it has begun */
    sq__work_t work;
} sq__batch_frame_t;

/* Calls `function(context)` as a task of the queue, which is the current queue during the call. The caller has the baton, or is inside as a
 * reader, and counts the task. `begins`: the call starts a new chain (sq__frame_t, thread/self.h); the frames outside did not call it. With
 * `begins` the queue may be NULL: then there is no current queue. */
static inline void sq__run_in_chain(sq_queue_t *queue, bool begins, sq_function_t function, void *context) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq__self_t *self = sq__self();
    sq__frame_t frame; /* without `site`, which nobody reads: this is the fast path of a sync */
    frame.owner = queue;
    frame.parent = self->frame;
    frame.function = function;
    frame.begins = begins;
    frame.is_reader = frame.is_batch = frame.has_site = false;
    self->frame = &frame;
    function(context);
    self->frame = frame.parent;
}

/* The same without `begins`: the call belongs to the chain of this thread's own task, if the thread is in one. */
static inline void sq__run(sq_queue_t *queue, sq_function_t function, void *context) {
    sq__run_in_chain(queue, false, function, context);
}

/* O. The same with a frame of its own, for sq__run_turn. */
void sq__run_turn_observed(sq_queue_t *queue, uint64_t submitted, sq_function_t function, void *context, const void *site, uint32_t control);

/* O. Runs the function of a sync, whose turn has come; reports it if the queue is observed. The caller counts it, and keeps the baton. `submitted`:
 * as sq__call_t has it, or SQ__DID_NOT_WAIT. `site`: of the call. */
static inline void sq__run_turn(sq_queue_t *queue, uint64_t submitted, sq_function_t function, void *context, const void *site) {
    uint32_t control = sq__load_acquire(&queue->control); /* [watch] acquire: the note */
    SQ__PROBE_START(queue, function, context);
    if (__builtin_expect(!(control & SQ__NOTED), 1)) {
        sq__run(queue, function, context);
    } else {
        sq__run_turn_observed(queue, submitted, function, context, site, control);
    }
    SQ__PROBE_END(queue);
}

/* O. The origin of the next work, which was found and is not taken yet, and will run in the calling thread's innermost frame: moves its site there.
 * `control` is the queue's. */
sq__origin_t sq__run_origin_noted(sq_queue_t *queue, uint32_t control);
static inline sq__origin_t sq__run_origin(sq_queue_t *queue, uint32_t control) {
    return __builtin_expect(control & SQ__NOTED, 0) ? sq__run_origin_noted(queue, control) : (sq__origin_t){ .where = 0 };
}

/* How many tasks of one queue a thread runs before it turns to another queue */

/* A batch ends after `tasks` tasks, or earlier if others want the thread: the runner says so (sq__demand_t). Where they share it, the batch ends
 * a millisecond after that was noticed. */
typedef struct sq__batch {
    size_t tasks; /* how many at most */
    size_t look;  /* after so many tasks the next look is due */
    size_t noticed; /* after how many tasks it was noticed that others wait, */
    uint64_t since; /* and when; 0: not yet */
} sq__batch_t;

/* SIZE_MAX never looks: it is the queue's own thread, which has no other queue to turn to. */
static inline sq__batch_t sq__batch(size_t most) {
    return (sq__batch_t){ .tasks = most, .look = most == SIZE_MAX ? SIZE_MAX : 0 };
}

/* O, by the runner, after sq__baton_find. The look that is due: asks whether others want the thread, and sets the next look. True: the batch is over,
 * perhaps before its first task. */
bool sq__batch_look(const sq_queue_t *queue, sq__batch_t *batch, size_t tasks);

/* True: the batch, which has run this many tasks, is over. */
static inline bool sq__batch_is_over(const sq_queue_t *queue, sq__batch_t *batch, size_t tasks) {
    return tasks < batch->look ? tasks >= batch->tasks : sq__batch_look(queue, batch, tasks);
}

/* Is the calling thread in a task of this queue? Only the frames of its chain count: up to the first one with `begins` (sq__frame_t) */

/* The innermost task's frame lies below the caller on the stack: a longjmp may have left that task. Ends the program with a
 * message if so. If the frame is SQ__UNLISTED, no task is there: only lists the thread. */
void sq__current_check_jump(const sq__frame_t *frame, const void *caller);

/* True: the thread is in a task of this queue, in its present chain. `caller`: an address in the frame of the public function. A deeper one could lie
 * below what a longjmp has left: that ends the program. */
static inline bool sq__is_current_at(const sq_queue_t *queue, const void *caller) {
    const sq__frame_t *frame = sq__self()->frame;
    /* Stacks grow downwards: the frame of a task that still runs is above its callees. */
    if (__builtin_expect(frame != NULL && (uintptr_t)frame < (uintptr_t)caller, 0)) {
        sq__current_check_jump(frame, caller);
        frame = sq__self()->frame;
    }
    for (; frame != NULL; frame = frame->begins ? NULL : frame->parent) {
        if (frame->owner == queue) {
            return true;
        }
    }
    return false;
}

static inline bool sq__is_current(const sq_queue_t *queue) { return sq__is_current_at(queue, SQ__FRAME_TOP); }

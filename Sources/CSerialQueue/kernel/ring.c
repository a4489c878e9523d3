#include "kernel/ring.h"

#include "kernel/segment.h"
#include "observe/observe.h"
#include "platform/clock.h"
#include "platform/container.h"
#include "platform/thread.h"
#include "thread/spin.h"

#include <errno.h>

void sq__ring_destroy(sq_queue_t *queue) {
    if (queue->head != NULL) {
        sq__segment_free(queue->head, SQ__SEGMENT_SLOTS);
    }
}

/* The tail: submitters */

/* The link that publishes the segment after this one; NULL: the first. */
static __attribute__((noinline)) sq__word_t *link_after(sq_queue_t *queue, sq__segment_t *tail) {
    return tail != NULL ? &tail->next : &queue->first_link;
}

/* As sq__ring_reserve. When the word was `state`, it was not CLOSED, and the tail had no room for a slot: takes the first slot of a new segment. */
static __attribute__((noinline)) int reserve_in_new_segment(sq_queue_t *queue, bool always_a_slot, sq__reserved_t *place, sq__state_t state) {
    sq__segment_t *fresh = sq__segment_obtain();
    if (fresh == NULL) {
        return ENOMEM;
    }
    sq__reserved_t first = { .slot = &fresh->slots[0], .link = link_after(queue, sq__state_tail(state)), .owns = sq__state_is_free(state) };
    /* [own] acquire: the last holder's writes. [place] release: the cleared words of the segment. */
    if (!sq__cas_acq_rel(&queue->state, &state, sq__state_with_tail(state | SQ__OWNED, fresh, 1))) {
        sq__segment_free(fresh, 0);
        return sq__ring_reserve(queue, always_a_slot, place); /* by now there may be room */
    }
    *place = first;
    sq__add_release(&queue->segments, 1); /* [depth] release: the swap before it */
    return 0;
}

/* Another thread has changed the word to `state`. Returns what it is a little later. */
static __attribute__((noinline)) sq__state_t after_loss(const sq_queue_t *queue, sq__state_t state, unsigned *pauses) {
    *pauses = sq__spin_back_off(*pauses);
    return *pauses > 0 ? sq__load_relaxed(&queue->state) : state;
}

int sq__ring_reserve(sq_queue_t *queue, bool always_a_slot, sq__reserved_t *place) {
    sq__state_t state = sq__load_relaxed(&queue->state);
    for (unsigned pauses = 0;; state = after_loss(queue, state, &pauses)) {
        sq__segment_t *tail = sq__state_tail(state);
        unsigned taken = sq__state_taken(state);
        sq__slot_t *slot;
        sq__state_t next;
        if (state & SQ__CLOSED) {
            return ESHUTDOWN;
        }
        if (sq__state_is_free(state) && !always_a_slot) {
            slot = NULL;
            next = state | SQ__OWNED;
        } else if (tail != NULL && taken < SQ__SEGMENT_SLOTS) {
            slot = &tail->slots[taken]; /* only an address until the swap below succeeds */
            next = (state | SQ__OWNED) + SQ__TAKEN_ONE;
        } else {
            return reserve_in_new_segment(queue, always_a_slot, place, state);
        }
        /* [own] acquire: the last holder's writes. [place] acquire: the cleared words of the segment, from the thread that installed it or
         * made the queue free. [depth] release: the head, as this thread saw it. */
        if (__builtin_expect(sq__cas_acq_rel(&queue->state, &state, next), 1)) {
            *place = (sq__reserved_t){ .slot = slot, .owns = sq__state_is_free(state) };
            return 0;
        }
    }
}

bool sq__ring_publish(const sq__reserved_t *place, uintptr_t word) {
    if (place->link == NULL) {
        /* [publish] release: the slot; acquire: the holder's writes before it left the baton. Pairs with sq__ring_peek and
         * leave_baton. */
        return sq__exchange_acq_rel(&place->slot->word, word) == SQ__BATON || place->owns;
    }
    sq__store_relaxed(&place->slot->word, word);
    sq__segment_t *segment = SQ__CONTAINER(place->slot, sq__segment_t, slots);
    /* [publish] release and acquire: the same for the segment that contains the slot. */
    return sq__exchange_acq_rel(place->link, (uintptr_t)segment) == SQ__BATON || place->owns;
}

bool sq__ring_publish_noted(sq_queue_t *queue, const sq__reserved_t *place, uint16_t kind, const void *site) {
    uint32_t control = sq__load_relaxed(&queue->control);
    if (control & SQ__SITED) {
        sq__trace_hook_submit(queue, kind, sq__ring_where(place), site);
    }
    uintptr_t word = control & SQ__MEASURED ? kind | (uintptr_t)sq__clock_now() << SQ__KIND_BITS : kind;
    bool takes = sq__concurrent_takes(queue); /* before the task can be seen, as in sq__ring_put */
    return sq__ring_publish(place, word) || takes;
}

/* The head: the baton's holder */

/* The word that shows whether the slot at the head is filled: its own, or the link to its segment. */
static sq__word_t *word_at_head(sq_queue_t *queue) {
    unsigned index = sq__position_index(sq__load_relaxed(&queue->position));
    return index < SQ__SEGMENT_SLOTS ? &queue->head->slots[index].word : link_after(queue, queue->head);
}

bool sq__ring_enter_next_segment(sq_queue_t *queue) {
    sq__segment_t *next = (sq__segment_t *)sq__load_acquire(link_after(queue, queue->head)); /* [publish] acquire: the segment, its first slot */
    if (next == NULL) {
        return false;
    }
    sq__segment_t *left = queue->head;
    queue->head = next;
    sq__count(&queue->position, SQ__NEXT_SEGMENT - SQ__SEGMENT_SLOTS);
    if (left != NULL) {
        sq__segment_free(left, SQ__SEGMENT_SLOTS);
    }
    return true;
}

const sq__work_t *sq__ring_work_at(const sq_queue_t *queue, uintptr_t where) {
    return where == SQ__IN_HANDOFF ? &queue->handoff : &((const sq__slot_t *)where)->work;
}

void sq__ring_mark_cancelled(sq_queue_t *queue, uintptr_t where) {
    /* [withdraw] release: our last use of the slot, and of a serial queue; pairs with sq__next_take and sq__ring_peek. */
    if (where == SQ__IN_HANDOFF) {
        sq__store_release(&queue->handoff_kind, SQ__CANCELLED);
    } else {
        sq__store_release(&((sq__slot_t *)where)->word, SQ__CANCELLED);
    }
}

/* O, by the runner. Looks at the slot at the head for at most `spins` pauses. True: the slot is filled. False: it is not, or others want the
 * thread. */
static bool look_for_more(sq_queue_t *queue, unsigned spins) {
    const sq__word_t *word = word_at_head(queue);
    for (; spins > 0; spins -= 1) {
        if (sq__load_relaxed(word) != SQ__EMPTY) {
            return true;
        }
        if (sq__runner_demand(sq__load_relaxed(&queue->runner)) > SQ__DEMAND_NEAR) {
            return false;
        }
        sq__pause();
    }
    return false;
}

bool sq__ring_spin(sq_queue_t *queue) {
    unsigned spins = sq__spin_begin(SQ__SPIN_RUNNER, SQ__RUNNER_SPINS);
    if (spins == 0) {
        return false;
    }
    sq__position_t position = sq__load_relaxed(&queue->position);
    sq__store_relaxed(&queue->position, position | SQ__POSITION_SPINS);
    bool found = look_for_more(queue, spins);
    sq__store_relaxed(&queue->position, position);
    sq__spin_end(SQ__SPIN_RUNNER, found);
    return found;
}

/* Returns false if the slot has been filled. */
static bool leave_baton(sq_queue_t *queue) {
    uintptr_t nothing = SQ__EMPTY;
    /* [publish] release: our writes as the holder; pairs with sq__ring_publish. */
    return sq__cas_release(word_at_head(queue), &nothing, SQ__BATON);
}

/* O. The ring is empty, as *state says. Clears these flags and leaves the ring without a segment. The fields must be ready before the swap: after it
 * another thread may be the holder, or link a new segment to `first_link`. If the word has changed, puts the fields back, sets *state to the word and
 * returns false. `first_link` stays 0: it is not used while there is a head. */
static bool begin_anew(sq_queue_t *queue, sq__state_t *state, sq__state_t clear) {
    sq__segment_t *segment = queue->head;
    sq__position_t position = sq__load_relaxed(&queue->position);
    unsigned index = sq__position_index(position);
    if (segment != NULL) {
        queue->head = NULL;
        sq__store_relaxed(&queue->first_link, 0);
        sq__store_relaxed(&queue->position, position - index + SQ__SEGMENT_SLOTS);
    }
    /* [own] [place] release: our writes as the holder. Acquire on failure because of CLOSED or RELEASES: we may then free the
     * queue, which other threads used before they set those. */
    bool done = sq__cas_release_or_acquire(&queue->state, state, sq__state_with_tail(*state & ~clear, NULL, 0));
    if (done && segment != NULL) {
        sq__segment_free(segment, index); /* after the swap: no thread has a slot there */
    } else if (segment != NULL) {
        queue->head = segment;
        sq__store_relaxed(&queue->position, position);
    }
    return done;
}

/* O. If nothing is queued, clears these flags, perhaps none, and leaves the ring without a segment. Returns as sq__ring_rest. */
static inline __attribute__((always_inline)) sq__rest_t rest(sq_queue_t *queue, sq__state_t *state, sq__state_t clear) {
    *state = sq__load_acquire(&queue->state); /* [own] acquire: what others did before they set CLOSED or RELEASES */
    for (;;) {
        unsigned taken = sq__state_taken(*state);
        bool is_at_tail = taken == sq__position_index(sq__load_relaxed(&queue->position)) || queue->head == NULL;
        if (sq__state_tail(*state) != queue->head || !is_at_tail) {
            *state = SQ__OWNED; /* not the real word: see ring.h */
            return leave_baton(queue) ? SQ__REST_PLACED : SQ__REST_MORE;
        }
        if ((*state & (SQ__FLAGS & ~SQ__NOT_FREE)) != SQ__OWNED || sq__state_is_released(*state)) {
            return SQ__REST_MORE;
        }
        if ((clear == 0 && taken == 0) || begin_anew(queue, state, clear)) {
            return SQ__REST_EMPTY;
        }
    }
}

bool sq__ring_give_back(sq_queue_t *queue, sq__state_t *state) { return rest(queue, state, SQ__OWNED) != SQ__REST_MORE; }

sq__rest_t sq__ring_rest(sq_queue_t *queue, sq__state_t *state) { return rest(queue, state, 0); }

/* Depth. The tail is read before the head: tasks that pass in between make the result too low, never too high. So does a holder that tries to
 * begin anew, as its head is at the end of its segment meanwhile. */

static sq__position_t tail_position(const sq_queue_t *queue) {
    uint32_t segments = sq__load_acquire(&queue->segments); /* [depth] acquire: a tail at least as new as the count */
    /* [depth] acquire: a head at least as new as the tail */
    return segments * SQ__NEXT_SEGMENT | sq__state_taken(sq__load_acquire(&queue->state));
}

/* Of the numbers of segments only 32 bits are compared: never are as many linked. */
static uint64_t depth_below(const sq_queue_t *queue, sq__position_t tail) {
    sq__position_t head = sq__load_relaxed(&queue->position);
    int64_t segments = (int32_t)(uint32_t)(tail / SQ__NEXT_SEGMENT - head / SQ__NEXT_SEGMENT);
    int64_t depth = segments * SQ__SEGMENT_SLOTS + sq__position_index(tail) - sq__position_index(head);
    return depth > 0 ? (uint64_t)depth : 0;
}

uint64_t sq__ring_depth(const sq_queue_t *queue) { return depth_below(queue, tail_position(queue)); }

/* The hand-off slot is looked at before and after the tail: a task that leaves it in between is not counted together with one that followed it.
 * Another one may have come meanwhile, but then all that was in the ring is consumed, and the head says so. */
uint64_t sq__ring_waiting(const sq_queue_t *queue) {
    bool had_next = sq__load_relaxed(&queue->handoff_kind) != SQ__EMPTY;
    sq__position_t tail = tail_position(queue);
    bool has_next = had_next && sq__load_acquire(&queue->handoff_kind) != SQ__EMPTY; /* [depth] acquire: a head at least as new as that task */
    return depth_below(queue, tail) + has_next;
}

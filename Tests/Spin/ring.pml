/* ring.pml: kernel/ring.c and kernel/segment.c. Segments are 1 to SEGMENTS, of SLOTS places each; 0 is none.
 *
 * DESIGN. A loop around a compare-and-swap is one step that decides on the word as it is then: a failed swap means
 * only that the loop runs again. What only the baton's holder touches, or the thread with a lock, is one step with what comes
 * before or after it, for nobody can be in between. Where something happens between the look and the swap (make_free), both are steps.
 * Memory that is used while it is free is found by `alive`. */

byte word[CELLS];            /* of place i of segment s: cell(s, i) */
byte work[CELLS];            /* the ticket of what lies there: token and turn, or task, by the tables of queue.pml */
byte next[SEGMENTS + 1];     /* the links; next[0] is queue->first */
bit alive[SEGMENTS + 1];
byte spare;
byte head;                   /* O */
byte index;                  /* O */

#define cell(s, i) (((s) - 1) * SLOTS + (i))
#define LINK_BATON (SEGMENTS + 1)
#define no_link 255

/* sq__segment_obtain, in two steps: got it, cleared it. 0: no memory. */
inline obtain(s) {
    atomic {
        touch;
        s = spare;
        spare = 0;
        if
        :: s == 0 ->
            s = 1;
            do
            :: s <= SEGMENTS && alive[s] -> s++
            :: else -> break
            od;
            if
            :: s > SEGMENTS -> s = 0
            :: else -> alive[s] = 1
            fi
        :: else
        fi
    }
    d_step {
        if
        :: s != 0 ->
            next[s] = 0;
            k = 0;
            do
            :: k < SLOTS -> word[cell(s, k)] = EMPTY; k++
            :: else -> break
            od;
            k = 0
        :: else
        fi
    }
}

inline free_segment(s) { assert(alive[s]); alive[s] = 0 }

/* sq__segment_recycle */
inline recycle(s) {
    atomic {
        touch;
        if
        :: spare == 0 -> spare = s
        :: else -> free_segment(s)
        fi
    }
}

/* sq__segment_free_spare */
inline free_spare() {
    touch;
    if
    :: spare != 0 -> free_segment(spare); spare = 0
    :: else
    fi
}

/* sq__ring_reserve. `place`: the cell, or no_place: the queue itself was taken. `error`: ESHUTDOWN or ENOMEM. */
inline take_place(always) {
    do
    :: atomic {
        touch;
        if
        :: state & CLOSED -> error = ESHUTDOWN; break
        :: !(state & CLOSED) && is_free(state) && !always ->
            owns = 1; state = state | OWNED; ticket_for(); break
        :: !(state & CLOSED) && !(is_free(state) && !always) && tail(state) != 0 && taken(state) < SLOTS ->
            owns = is_free(state);
            place = cell(tail(state), taken(state));
            state = with_tail(state | OWNED, tail(state), taken(state) + 1);
            ticket_for(); break
        :: !(state & CLOSED) && !(is_free(state) && !always) && !(tail(state) != 0 && taken(state) < SLOTS) && fresh != 0 ->
            owns = is_free(state);
            place = cell(fresh, 0);
            link = tail(state);
            state = with_tail(state | OWNED, fresh, 1);
            ticket_for(); break
        :: else
        fi
       }
       obtain(fresh);
       if
       :: fresh == 0 -> error = ENOMEM; break
       :: else
       fi
    od;
    if
    :: fresh != 0 && link == no_link -> recycle(fresh)
    :: else
    fi
}

/* sq__ring_publish. `has`: the caller has the baton. */
inline publish(kind) {
    if
    :: link == no_link ->
        atomic {
            assert(alive[place / SLOTS + 1]);
            work[place] = ticket;
            k = word[place];
            assert(k == EMPTY || k == BATON);
#ifdef BUG_PUBLISH_IN_TWO_STEPS
        }
        atomic {
#endif
            word[place] = kind
        }
        has = (k == BATON || owns)
    :: else ->
        d_step {
            work[place] = ticket;
            word[place] = kind; /* nobody comes to it before the link */
            assert(link == 0 || alive[link]);
            k = next[link];
            next[link] = place / SLOTS + 1;
            assert(k == 0 || k == LINK_BATON)
        }
        has = (k == LINK_BATON || owns)
    fi;
    k = 0; owns = 0; place = no_place; link = no_link; fresh = 0
}

/* The look at the hand-off slot, then sq__ring_peek: `kind` of what is next. */
inline peek() {
    d_step {
        touch;
        passed = 0;
        kind = handoff_kind;
        if
        :: kind != EMPTY
        :: kind == EMPTY && (head == 0 || index == SLOTS) ->
            kind = next[head];
            assert(kind != LINK_BATON);
            if
            :: kind != 0 ->
                passed = head;
                head = kind;
                index = 0;
                assert(alive[head] && word[cell(head, 0)] > BATON); /* it was filled before the link */
                kind = word[cell(head, 0)]
            :: else
            fi
        :: else -> assert(alive[head]); kind = word[cell(head, index)]
        fi
    }
    if
    :: passed != 0 -> recycle(passed); passed = 0
    :: else
    fi
}

/* sq__ring_take */
inline take() {
    touch; assert(alive[head] && index < SLOTS); work_at_head = work[cell(head, index)]; index++
}

/* leave_baton. `left`: the baton lies there now. */
inline leave_baton() {
#ifdef BUG_BATON_NO_RECHECK
    d_step {
        left = 1;
        if
        :: head == 0 || index == SLOTS -> next[head] = LINK_BATON
        :: else -> word[cell(head, index)] = BATON
        fi
    }
#else
    d_step {
        touch;
        if
        :: head == 0 || index == SLOTS ->
            left = next[head] == 0;
            if :: left -> next[head] = LINK_BATON :: else fi
        :: else ->
            left = word[cell(head, index)] == EMPTY;
            if :: left -> word[cell(head, index)] = BATON :: else fi
        fi
    }
#endif
}

inline clear_words(n) {
    k = 0;
    do
    :: k < n -> word[cell(head, k)] = EMPTY; k++
    :: else -> break
    od;
    k = 0
}

/* sq__ring_give_back, with make_free. `left`: the baton is not ours any more. Else `seen`: what the state word said. */
inline give_back() {
    d_step { touch; seen = state }
    do
    :: !(tail(seen) == head && taken(seen) == index) -> seen = OWNED; leave_baton(); break
    :: tail(seen) == head && taken(seen) == index && ((seen & FLAGS) != OWNED || is_released(seen)) -> left = 0; break
    :: else ->
        d_step {
#ifndef BUG_WORDS_CLEARED_LATE
            clear_words(taken(seen));
#endif
            free_spare();
            index = 0
        }
        atomic { /* the swap; if it fails, it returns the word */
            touch;
            left = state == seen;
            if
            :: left -> state = with_tail(seen & ~OWNED, head, 0)
            :: else -> index = taken(seen); seen = state
            fi
        }
#ifdef BUG_WORDS_CLEARED_LATE
        if :: left -> atomic { clear_words(taken(seen)) } :: else fi;
#endif
        if :: left -> break :: else fi
    od
}

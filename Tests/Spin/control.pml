/* control.pml: queue/suspend.c, queue/shutdown.c, and sq_queue_retain and sq_queue_release of queue/create.c. */

/* sq_suspend */
inline suspend() {
    atomic {
        !queue_locked -> queue_locked = 1;
        touch;
        if
        :: state & ENDED -> error = ESHUTDOWN
        :: else -> suspensions++; if :: suspensions == 1 -> control = control | HOLD :: else fi
        fi
    }
    if
    :: error
    :: else ->
        if
        :: suspensions == 1 ->
            d_step {
                touch;
                if
                :: is_free(state) -> state = state | SUSPENDED | OWNED | PARKED
                :: else -> state = state | SUSPENDED
                fi
            }
        :: else
        fi
    fi;
    d_step { queue_locked = 0; held = error == 0 }
}

/* sq_resume. `has`: the baton was parked, and is the caller's. */
inline resume() {
    atomic {
        !queue_locked -> queue_locked = 1;
        touch;
        held = 0;
        assert(suspensions > 0);
        suspensions--;
        if :: suspensions == 0 -> control = control & ~HOLD :: else fi
    }
    if
    :: suspensions == 0 ->
        d_step {
            touch;
#ifndef BUG_RESUME_FORGETS
            has = (state & PARKED) != 0;
#endif
            state = state & ~(SUSPENDED | PARKED)
        }
    :: else
    fi;
    unlock_queue()
}

/* close_queue. `has`: the baton was free or parked, and is the caller's. */
inline close_queue(discards) {
    atomic {
        !queue_locked -> queue_locked = 1;
        touch;
        if :: discards -> control = control | DISCARD :: else fi
    }
    d_step {
        if
        :: state & ENDED
        :: else ->
#ifdef BUG_CLOSE_FORGETS
            has = is_free(state);
#else
            has = is_free(state) || (state & PARKED);
#endif
            state = (state & ~PARKED) | CLOSED | OWNED;
            if :: discards -> state = state | DISCARDED :: else fi
        fi;
        queue_locked = 0
    }
}

/* wait_for_end */
inline wait_for_end(deadline) {
    if
    :: atomic { !queue_locked && (state & ENDED) -> touch; got = YES }
#ifdef BUG_ENDER_LATE
    :: atomic { !queue_locked && !(state & ENDED) -> touch }
        atomic { !enders_locked -> waits_for_end[me] = 1; ender_turn[me] = turn[me] }
#else
    :: atomic { !queue_locked && !(state & ENDED) && !enders_locked ->
                touch; waits_for_end[me] = 1; ender_turn[me] = turn[me] }
#endif
        wait_end(me, turn[me], TICKETS, deadline);
        if
        :: got != YES ->
            atomic {
                !enders_locked;
                if :: !waits_for_end[me] -> got = YES :: else fi;
                waits_for_end[me] = 0
            }
        :: else
        fi
    fi;
    /* After 0 the queue has ended: everything accepted has its outcome. */
    assert(got != YES || state & ENDED);
    assert(got != YES || open_tickets == 0)
}

/* sq__suspend_abandon. `ok`: true. */
inline abandon() {
    lock_queue();
    do
    :: d_step { touch; seen = state }
        if
        :: !(seen & SUSPENDED) || (seen & ENDED) -> ok = 0; break
        :: else ->
            has = 0;
            if
            :: releases(seen) == 0 ->
                d_step { touch; control = (control & ~HOLD) | DISCARD }
                suspensions = 0
            :: else
            fi;
            d_step {
                touch;
                ok = state == seen;
                if
                :: ok ->
                    state = plus_release(state);
                    if
                    :: is_released(state) -> has = (seen & PARKED) != 0; state = state & ~(SUSPENDED | PARKED)
                    :: else
                    fi
                :: else
                fi
            }
            if :: ok -> break :: else fi
        fi
    od;
    unlock_queue()
}

/* sq_queue_release */
inline release() {
    atomic { touch; references--; last = references == 0 }
    if
    :: last ->
        d_step { touch; seen = state; upshot = LOOKING }
        do
        :: (is_free(seen) || (seen & ENDED)) && releases(seen) == 0 -> upshot = END; break
        :: !((is_free(seen) || (seen & ENDED)) && releases(seen) == 0) && (seen & SUSPENDED) ->
            abandon();
            if
            :: ok -> break
            :: else
            fi;
            d_step { touch; seen = state }
        :: !((is_free(seen) || (seen & ENDED)) && releases(seen) == 0) && !(seen & SUSPENDED) ->
            d_step {
                touch;
                ok = state == seen;
#ifdef BUG_RELEASE_IS_A_FLAG
                if :: ok -> state = (state & NO_RELEASES) | RELEASE_ONE :: else -> seen = state fi
#else
                if :: ok -> state = plus_release(state) :: else -> seen = state fi
#endif
            }
            if :: ok -> break :: else fi
        od;
        if
        :: upshot == END ->
            if
            :: atomic { worker -> touch }
                stop()
            :: atomic { !worker -> touch }
            fi;
            dispose()
        :: has -> has = 0; holder_pass()
        :: else
        fi;
        seen = 0; upshot = GONE; ok = 0; last = 0
    :: else
    fi
}

/* sq_queue_retain by a task, with revive. */
inline retain() {
    atomic { touch; references++; last = references == 1 }
    if
    :: last ->
        lock_queue();
        d_step { touch; seen = state; state = minus_release(state) }
        if
        :: !(seen & CLOSED) -> d_step { touch; control = control & ~DISCARD }
        :: else
        fi;
        d_step { queue_locked = 0; seen = 0; last = 0 }
    :: else
    fi
}

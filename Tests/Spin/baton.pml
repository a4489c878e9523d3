/* baton.pml: kernel/baton.c, and what it calls of queue/suspend.c, queue/shutdown.c and queue/create.c. */

bit queue_locked;      /* state/queue_lock.c */
bit enders_locked;     /* queue/end.c: the lock of the threads that wait for an end */
bit waits_for_end[TOKENS];
byte ender_turn[TOKENS];

#define lock_queue() atomic { !queue_locked -> queue_locked = 1 }
#define unlock_queue() queue_locked = 0

/* sq__queue_dispose. Nobody has a reference, so nothing may be left to do. */
inline dispose() {
    atomic {
        touch;
        freed = 1;
        if :: head != 0 -> free_segment(head) :: else fi;
        if :: spare != 0 -> free_segment(spare); spare = 0 :: else fi
    }
}

/* sq__queue_end */
inline shutdown_end(by_worker) {
    atomic { !queue_locked -> queue_locked = 1; touch; stops_worker = worker && !by_worker; worker = 0 }
    atomic { touch; seen = state; state = state | ENDED }
    if
    :: stops_worker -> stop(); stops_worker = 0
    :: else
    fi;
    atomic { !enders_locked -> enders_locked = 1 }
    k = 1;
    do /* wake_enders */
    :: k < TOKENS && waits_for_end[k] ->
        waits_for_end[k] = 0;
        settle(k, ender_turn[k], GRANTED, 0);
        k++
    :: k < TOKENS && !waits_for_end[k] -> k++
    :: else -> break
    od;
    k = 0;
    enders_locked = 0;
    unlock_queue();
#ifdef BUG_END_LOOKS_AGAIN
    atomic { touch; seen = state }
#endif
    if
    :: is_released(seen) -> dispose()
    :: else
    fi
}

/* sq__suspension_park, with discard_the_rest. `left`: the baton is parked. */
inline park() {
    if
    :: (seen & SUSPENDED) && is_released(seen) ->
        atomic { !queue_locked -> queue_locked = 1; touch; control = (control & ~HOLD) | DISCARD }
        d_step { touch; state = state & ~SUSPENDED; suspensions = 0; left = 0; queue_locked = 0 }
    :: else ->
        d_step {
            touch;
            left = (seen & SUSPENDED) && !(seen & DISCARDED) && state == seen;
            if :: left -> state = state | PARKED :: else fi
        }
    fi
}

/* grant. `left`: the waiter has the baton. */
inline grant() {
    atomic {
        take();
        if
        :: seen_control & DISCARD ->
            settle_swap(owner_of[work_at_head], turn_of[work_at_head], OVER, work_at_head + 1); left = 0
        :: else ->
            settle_swap(owner_of[work_at_head], turn_of[work_at_head], GRANTED, 0); left = ok
        fi
    }
    settle_wake(owner_of[work_at_head]);
#ifdef BUG_COUNT_AFTER_GRANT
    touch;
#endif
    work_at_head = 0
}

/* nothing_next. `upshot`: stays LOOKING to look again. Lingering is a look more: no step of its own. */
inline nothing_next() {
    give_back();
    if
    :: left -> upshot = GONE
    :: !left && seen != OWNED && ((seen & CLOSED) || is_released(seen)) -> upshot = END
    :: else ->
        park();
        if :: left -> upshot = GONE :: else fi
    fi
}

/* sq__baton_next. `upshot`: NEXT_TASK, GONE or END. */
inline holder_next() {
    upshot = LOOKING;
    do
    :: upshot == LOOKING ->
#ifdef BUG_CONTROL_BEFORE_LOOK
        d_step { touch; seen_control = control }
#endif
        peek();
        if
        :: kind == EMPTY -> nothing_next()
        :: else ->
#ifndef BUG_CONTROL_BEFORE_LOOK
            d_step { touch; seen_control = control }
#endif
            left = 0;
            if
            :: (seen_control & (HOLD | DISCARD)) == HOLD ->
                d_step { touch; seen = state }
                park();
                if
                :: left -> upshot = GONE
                :: !left && (seen & SUSPENDED) -> upshot = LOOKING_AGAIN
                :: else
                fi
            :: else
            fi;
            if
            :: upshot == LOOKING_AGAIN -> upshot = LOOKING
            :: upshot == LOOKING && kind != WAITER -> upshot = NEXT_TASK
            :: upshot == LOOKING && kind == WAITER -> grant(); if :: left -> upshot = GONE :: else fi
            :: else
            fi
        fi
    :: else -> break
    od;
    kind = EMPTY; left = 0; ok = 0; asleep = 0; passed = 0; seen_control = 0;
    if
    :: upshot != END -> seen = 0
    :: else
    fi
}

/* sq__baton_pass */
inline holder_pass() {
    holder_next();
    if
    :: upshot == NEXT_TASK -> assert(worker); post()
    :: upshot == END -> shutdown_end(0)
    :: upshot == GONE
    fi;
    upshot = GONE; seen = 0; ok = 0
}

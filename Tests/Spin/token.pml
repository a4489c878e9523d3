/* token.pml: thread/token.c and thread/worker.c. A token's number is its thread's; 0 is the worker's.
 *
 * DESIGN. The mutex of a token is a bit, set only where its holder does a step that others see; the condition is `at_condition`: set while its one waiter sleeps there, cleared by a
 * signal. One look stands for any number of spins. `disturbances` bounds the wake-ups without a signal: without a bound they
 * would save every lost wake-up. A deadline is a choice: it may pass whenever its waiter sleeps. */

byte turn[TOKENS];
byte status[TOKENS]; /* OVER, WAITING, SLEEPING, GRANTED */
bit claimed[TOKENS];
bit token_locked[TOKENS];
bit at_condition[TOKENS];
byte disturbances = DISTURBANCES;

bit worker_made;     /* the thread: worker.c */
bit worker;          /* queue->worker */
bit worker_stopping; /* worker->stopping */
byte worker_turn;    /* worker->turn */

#define is_open(tok, t) (turn[tok] == (t) && (status[tok] == WAITING || status[tok] == SLEEPING))
#ifdef BUG_ANY_TURN
#define may_settle(tok, t) (status[tok] == WAITING || status[tok] == SLEEPING)
#else
#define may_settle(tok, t) is_open(tok, t)
#endif

/* sq__token_prepare */
inline prepare(tok) {
    d_step { turn[tok]++; status[tok] = WAITING; claimed[tok] = 0 }
}

/* settle: sq__token_grant, sq__token_refuse, sq__worker_post. `ok`: it was open. */
inline settle(tok, t, final, ticket_refused) {
    atomic { settle_swap(tok, t, final, ticket_refused) }
    settle_wake(tok)
}

inline settle_swap(tok, t, final, ticket_refused) {
        ok = may_settle(tok, t);
        asleep = ok && status[tok] == SLEEPING;
        if
        :: ok ->
            status[tok] = final;
            claimed[tok] = 0;
            if
            :: ticket_refused -> outcome_is(ticket_refused - 1, DROPPED)
            :: else
            fi
        :: else
        fi
}

inline settle_wake(tok) {
    if
    :: asleep ->
#ifndef BUG_SIGNAL_WITHOUT_LOCK
        !token_locked[tok]; /* lock and unlock */
#endif
        d_step { at_condition[tok] = 0; asleep = 0 } /* signal; nothing if nobody is there */
    :: else
    fi
}

/* sq__token_claim */
inline claim(tok, t) {
    atomic {
#ifdef BUG_NO_CLAIM
        ok = is_open(tok, t)
#else
        ok = is_open(tok, t) && !claimed[tok];
        if :: ok -> claimed[tok] = 1 :: else fi
#endif
    }
}

/* look: outcome_of */
inline look(tok, t) {
    d_step {
        if
        :: is_open(tok, t) -> got = OPEN
        :: turn[tok] == (t) && status[tok] == GRANTED -> got = YES
        :: else -> got = REFUSED
        fi
    }
}

/* sq__token_withdraw */
inline withdraw(tok, t, tick) {
#ifdef BUG_LATE_WITHDRAW
    look(tok, t);
    if
    :: got == OPEN -> d_step { status[tok] = OVER; got = WITHDRAWN; outcome_is(tick, WITHDRAWN) }
    :: else
    fi
#else
    atomic {
        if
        :: is_open(tok, t) && !claimed[tok] ->
            status[tok] = OVER;
            got = WITHDRAWN;
            if :: tick < TICKETS -> outcome_is(tick, WITHDRAWN) :: else fi
        :: else -> look(tok, t) /* OPEN: claimed */
        fi
    }
#endif
}

/* sq__wait_end: sq__token_spin, then sq__token_sleep. `deadline`: one may pass. */
inline wait_end(tok, t, tick, deadline) {
    look(tok, t);
    if
    :: got == OPEN ->
        atomic { /* fall_asleep */
            !token_locked[tok];
            if
            :: is_open(tok, t) -> status[tok] = SLEEPING; token_locked[tok] = 1
            :: else -> look(tok, t)
            fi
        }
        do
        :: got == OPEN ->
            d_step { token_locked[tok] = 0; at_condition[tok] = 1 }
            if
            :: atomic { !at_condition[tok] && !token_locked[tok] ->
                        look(tok, t); token_locked[tok] = got == OPEN }
            :: atomic { at_condition[tok] && disturbances > 0 && !token_locked[tok] ->
                        disturbances--; at_condition[tok] = 0; look(tok, t); token_locked[tok] = got == OPEN }
            :: atomic { at_condition[tok] && deadline && !token_locked[tok] -> at_condition[tok] = 0; token_locked[tok] = 1 }
                withdraw(tok, t, tick);
                deadline = 0; /* claimed, if it is still open: it has begun */
                if :: got != OPEN -> token_locked[tok] = 0 :: else fi
            fi
        :: else -> break
        od
    :: else
    fi
}

/* sq__worker_post, sq__worker_stop */
inline post() { settle(0, worker_turn, GRANTED, 0); assert(ok) }
inline stop() {
    atomic { worker_stopping = 1; settle_swap(0, worker_turn, GRANTED, 0); assert(ok) }
    settle_wake(0)
}

/* threads.pml: what each thread does: queue/async.c, queue/sync.c, kernel/run_task.c, thread/worker.c. */

/* OPS: what a client chooses from */
#define ASYNC 1
#define SYNC 2
#define SYNC_UNTIL 4
#define AND_WAIT 8
#define AND_WAIT_UNTIL 16

#define is_async(op) ((op) == ASYNC)
#define is_sync(op) ((op) == SYNC || (op) == SYNC_UNTIL)
#define is_call(op) ((op) == AND_WAIT || (op) == AND_WAIT_UNTIL)

byte finished;
bit worker_gone;
bit in_call[TOKENS]; /* the call that its place names is on the thread's stack */

/* The variables that the inlines of the other files work with: one set in each thread. */
#define LOCALS                                                                                                         \
    short seen;                                                                                                        \
    byte kind, upshot, seen_control, work_at_head, passed, k, ticket, fresh, place = no_place, link = no_link, error;   \
    byte got;                                                                                                          \
    bit ok, asleep, left, has, owns, stops_worker, last, deadline

/* find_worker, with sq__runner_start */
inline find_worker() {
    if
    :: atomic { worker -> touch }
    :: atomic { !worker -> touch }
        atomic {
            !queue_locked;
            touch;
            if
            :: state & CLOSED -> error = ESHUTDOWN
            :: !(state & CLOSED) && !worker ->
                assert(!worker_made);
                turn[0]++;
                status[0] = WAITING;
                worker_turn = turn[0];
                worker_made = 1;
                worker = 1
            :: else
            fi
        }
    fi
}

/* What async tasks do: nothing, or to their own queue something that only a task may. */
inline task_body() {
#if TASKS == 1
    if
    :: true
    :: close_queue(0)
    :: close_queue(1)
    fi;
    assert(!has)
#elif TASKS == 2
    if
    :: true
    :: retain(); release()
    fi
#elif TASKS == 3
    if
    :: true
    :: !suspensions -> suspend(); error = 0; held = 0 /* by a task: nothing is promised to another thread */
    fi
#endif
    skip
}

/* run_work of kernel/run_task.c */
inline run_work() {
    atomic { /* take: that there is something was seen by holder_next */
        touch;
        seen_control = control;
        kind = handoff_kind;
        if
        :: kind == EMPTY -> kind = word[cell(head, index)]; take()
        :: else -> work_at_head = handoff; handoff_kind = EMPTY
        fi;
        ticket = work_at_head
    }
    if
    :: kind == TASK && !(seen_control & DISCARD) -> begins(ticket); task_body(); ends()
    :: kind == TASK && (seen_control & DISCARD) -> d_step { assert(!running); outcome_is(ticket, DROPPED) }
    :: kind == AWAITED && (seen_control & DISCARD) -> settle(owner_of[ticket], turn_of[ticket], OVER, ticket + 1)
    :: kind == AWAITED && !(seen_control & DISCARD) ->
        claim(owner_of[ticket], turn_of[ticket]);
        if
        :: ok ->
            begins(ticket);
            assert(in_call[owner_of[ticket]]);
            ends();
            assert(in_call[owner_of[ticket]]);
            settle(owner_of[ticket], turn_of[ticket], GRANTED, 0)
        :: else
        fi
    fi;
    kind = 0; ticket = 0; work_at_head = 0; ok = 0; seen_control = 0
}

proctype Worker() {
    LOCALS;
    byte me;
end_never_started:
    worker_made;
    do
    :: wait_end(0, turn[0], TICKETS, deadline);
        got = 0;
        if
        :: worker_stopping -> break
        :: else
        fi;
#ifndef BUG_WORKER_LATE
        prepare(0);
        worker_turn = turn[0];
#endif
        do /* sq__run_tasks */
        :: holder_next();
            if
            :: upshot == NEXT_TASK -> run_work()
            :: else -> break
            fi
        od;
#ifdef BUG_WORKER_LATE
        prepare(0);
        worker_turn = turn[0];
#endif
        if
        :: upshot == END -> shutdown_end(1); break
        :: else -> upshot = 0; seen = 0
        fi
    od;
    worker_gone = 1
}

/* sync_from_outside: a free queue is taken at once. */
inline sync_if_free() {
    atomic {
        touch;
        if
        :: is_free(state) -> ticket_for(); seen = state; state = state | OWNED; owns = 1
        :: else
        fi
    }
    if
    :: owns ->
        owns = 0;
        done = 1;
        begins(ticket);
        ends();
        d_step {
            touch;
            if
            :: state == (seen | OWNED) -> state = seen
            :: else -> has = 1
            fi;
            seen = 0
        }
    :: else -> atomic { touch; if :: state & CLOSED -> error = ESHUTDOWN :: else fi }
    fi
}

/* What the caller does once it has its place. */
inline wait_for_turn() {
    deadline = (op == SYNC_UNTIL || (op == AND_WAIT_UNTIL && !owned));
    wait_end(me, turn[me], ticket, deadline);
    deadline = 0;
    in_call[me] = 0;
    if
    :: got == YES && is_sync(op) -> begins(ticket); ends(); has = 1
    :: got == YES && is_call(op) -> assert(outcome[ticket] == RAN)
    :: got == REFUSED -> assert(outcome[ticket] == DROPPED)
    :: got == WITHDRAWN -> assert(outcome[ticket] == WITHDRAWN)
    fi
}

/* One of the calls that OPS names. */
inline choose(op, least) {
    if
    :: (OPS & ASYNC) && ASYNC >= least -> op = ASYNC
    :: (OPS & SYNC) && SYNC >= least -> op = SYNC
    :: (OPS & SYNC_UNTIL) && SYNC_UNTIL >= least -> op = SYNC_UNTIL
    :: (OPS & AND_WAIT) && AND_WAIT >= least -> op = AND_WAIT
    :: (OPS & AND_WAIT_UNTIL) && AND_WAIT_UNTIL >= least -> op = AND_WAIT_UNTIL
    fi
}

inline submission() {
    if
    :: is_sync(op) -> sync_if_free()
    :: else -> find_worker()
    fi;
    if
    :: !done && !error ->
        if :: !is_async(op) -> prepare(me); in_call[me] = 1 :: else fi;
        take_place(is_call(op))
    :: else
    fi;
    owned = owns;
    if
    :: done || error
    :: !done && !error && place == no_place && is_async(op) -> /* hand_off: the queue was free, so the task goes into the hand-off slot */
        atomic { touch; handoff = ticket; handoff_kind = TASK; settle_swap(0, worker_turn, GRANTED, 0); assert(ok) }
        settle_wake(0)
    :: !done && !error && place == no_place && is_sync(op) -> begins(ticket); ends(); has = 1
    :: !done && !error && place != no_place ->
        publish((is_async(op) -> TASK : (is_sync(op) -> WAITER : AWAITED)));
        if
        :: has -> has = 0; holder_pass()
        :: else
        fi;
        if
        :: !is_async(op) -> wait_for_turn()
        :: else
        fi
    fi;
    if
    :: has -> has = 0; holder_pass()
    :: else
    fi;
    assert(error != ESHUTDOWN || state & CLOSED);
    place = no_place; link = no_link; owns = 0; owned = 0; done = 0; ticket = 0; error = 0; got = 0; op = 0; fresh = 0;
    seen = 0; ok = 0; upshot = 0;
    in_call[me] = 0
}

/* sq_shutdown, from outside */
inline shutdown(discards, timed) {
    prepare(me);
    close_queue(discards);
    if
    :: has -> has = 0; holder_pass()
    :: else
    fi;
    deadline = timed;
    wait_for_end(deadline);
    deadline = 0; got = 0; ok = 0
}

/* What one thread does besides the clients. */
inline control_calls() {
#if CONTROL == 1
    suspend();
    resume();
    if :: has -> has = 0; holder_pass() :: else fi
#elif CONTROL == 2
    if
    :: true -> shutdown(0, 0)
    :: true -> shutdown(1, 0)
    :: true -> shutdown(0, 1)
    fi
#elif CONTROL == 3
    suspend();
    if
    :: true -> shutdown(1, 0)
    :: true -> shutdown(0, 1)
    fi;
    if
    :: suspensions > 0 -> resume(); if :: has -> has = 0; holder_pass() :: else fi
    :: else
    fi
#elif CONTROL == 4
    suspend(); /* and releases its reference */
    held = 0
#elif CONTROL == 5
    shutdown(0, 1);
    shutdown(1, 0)
#elif CONTROL == 6
    suspend();
    op = ASYNC;
    submission();
    resume();
    if :: has -> has = 0; holder_pass() :: else fi
#endif
    skip
}

proctype Client(byte me, op) {
    LOCALS;
    byte calls;
    bit done, owned;
    if
    :: CONTROL && me == CLIENTS -> control_calls()
    :: else ->
        do
        :: calls < CALLS ->
            if :: calls > 0 -> choose(op, 0) :: else fi;
            calls++;
            submission()
        :: else -> break
        od
    fi;
    release();
    finished++
}

init {
    byte i = 1, op, before;
    atomic {
        do
        :: i <= SEGMENTS -> alive[i] = 0; i++
        :: else -> break
        od;
        i = 1;
        run Worker();
        do
        :: i <= CLIENTS && CONTROL && i == CLIENTS -> run Client(i, 0); i++
        :: i <= CLIENTS && !(CONTROL && i == CLIENTS) ->
            choose(op, before); /* clients are alike: their calls in one order will do */
            before = op;
            run Client(i, op);
            i++
        :: else -> break
        od;
        i = 0;
        op = 0;
        before = 0
    }
    atomic {
        finished == CLIENTS && freed && (worker_gone || !worker_made);
        assert(open_tickets == 0 && !queue_locked && !enders_locked);
        i = 1;
        do
        :: i <= SEGMENTS -> assert(!alive[i]); i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < tickets -> assert(outcome[i] == RAN || outcome[i] == DROPPED || outcome[i] == WITHDRAWN); i++
        :: else -> break
        od
    }
}

/* waiting.c: the three steps of every wait: begin, make known, end. wait.h has the design. */
#include "wait/wait.h"

#include "include/sq_current.h"
#include "observe/observe_inline.h"
#include "platform/clock.h"
#include "platform/processors.h"
#include "platform/unwind.h"
#include "thread/explored.h"
#include "thread/process.h"
#include "thread/spin.h"
#include "wait/deadlock.h"
#include "wait/wait_runs.h"

#include <errno.h>
#include <stdio.h>

int sq__wait_begin(sq__wait_t *wait, bool is_turn) {
    wait->is_next = true;
    if (wait->queue != NULL) {
        wait->root = sq__queue_root_and_above(wait->queue, &wait->above_root);
        wait->ran = sq__load_relaxed(&wait->queue->ran);
    }
    if (wait->subject != NULL || sq__runner_is_object(sq__load_relaxed(&wait->root->runner))) {
        sq__wait_runs_find(wait, is_turn);
    }
    wait->token = wait->runs ? sq__token_acquire() : sq__self_token();
    if (wait->token == NULL) {
        return ENOMEM;
    }
    wait->wait_id = sq__token_prepare(wait->token);
    if (__builtin_expect(wait->runner != 0, 0)) {
        sq__wait_runs_begin(wait);
    }
    return 0;
}

int sq__wait_check_deadline(sq_time_t deadline) {
    if (deadline == SQ_NOW) {
        return EAGAIN;
    }
    return deadline != SQ_FOREVER && deadline <= sq__clock_now() ? ETIMEDOUT : 0;
}

/* T. The wait is decided, or no other thread knows it: releases its runner, and the token if that was for this wait alone. */
static void over(sq__wait_t *wait) {
    if (__builtin_expect(wait->runner != 0, 0)) {
        sq__wait_runs_end(wait); /* first: until then it may be woken */
    }
    if (wait->runs) {
        sq__token_forget_wake(wait->token);
        sq__token_recycle(wait->token);
    } else {
        sq__self_wait_over(wait->token);
    }
}

void sq__wait_cancel(sq__wait_t *wait) { over(wait); }

/* T, with no lock. Returns SQ__OPEN if this thread may have something to run for the wait. *deadlock: the wait was refused because of a cycle. While
 * the thread sleeps, its runner knows, and dumps see the wait. */
static sq__outcome_t sleep_until(sq__wait_t *wait, sq_time_t deadline, bool *deadlock) {
    sq__self_t *self = sq__self_listed();
    const sq__wait_t *outer = self->wait; /* on a manual pool a wait runs tasks, which may wait */
    wait->deadline = deadline;
    wait->since = sq__clock_now();
    self->wait = wait;
    const bool is_known = SQ__RUNNER_HAS(self->runner, sleeps) != NULL;
    if (is_known) {
        sq__runner_kind(self->runner)->sleeps(self->runner, true); /* the task that it waits for may need its permit */
    }
    sq__edge_t edge;
    bool is_waited_for = sq__self_may_be_needed(self) || wait->is_barrier; /* then it checks for a cycle before it sleeps */
    if (is_waited_for) {
        sq__deadlock_enter(&edge, wait, deadline);
    }
    sq__outcome_t outcome = __builtin_expect(wait->runs, 0) ? sq__wait_runs_sleep(wait, deadline) : sq__token_sleep(wait->token, wait->wait_id, deadline);
    if (is_waited_for) {
        *deadlock = sq__deadlock_leave(&edge);
    }
    self->wait = outer;
    if (is_known) {
        sq__runner_kind(self->runner)->sleeps(self->runner, false);
    }
    return outcome;
}

/* The same, never SQ__OPEN, in a test that is being explored: the schedule decides when the thread continues. *deadlock also: the run has failed. */
static sq__outcome_t sleep_explored(sq__explored_t *explored, const sq__wait_t *wait, sq_time_t deadline, bool *deadlock) {
    sq__edge_t edge;
    sq__deadlock_enter(&edge, wait, deadline);
    sq__outcome_t outcome = explored->calls->sleep(explored, wait, deadline);
    *deadlock = sq__deadlock_leave(&edge);
    if (*deadlock) {
        explored->calls->deadlock(explored, sq_deadlock_report());
    } else if (outcome == SQ__REFUSED) {
        *deadlock = explored->is_lost;
    }
    return outcome;
}

/* What a call returns after a wait with this outcome. SQ__OPEN does not come here; SQ__WITHDRAWN is a deadline that has passed. */
static int error_of(sq__outcome_t outcome, bool deadlock) {
    switch (outcome) {
    case SQ__GRANTED:
        return 0;
    case SQ__REFUSED:
        return deadlock ? EDEADLK : ESHUTDOWN;
    default:
        return deadlock ? EDEADLK : ETIMEDOUT;
    }
}

int sq__wait_briefly(sq__wait_t *wait) {
    sq__outcome_t outcome = sq__token_spin(wait->token, wait->wait_id, SQ__SPIN_TRY, SQ__TRY_SPINS);
    if (outcome == SQ__OPEN && sq__spin_yield()) {
        outcome = sq__token_spin(wait->token, wait->wait_id, SQ__SPIN_TRY, SQ__TRY_SPINS);
    }
    if (outcome == SQ__OPEN) {
        outcome = sq__token_withdraw(wait->token, wait->wait_id);
    }
    if (outcome == SQ__OPEN) {
        return sq__wait_end(wait, SQ_FOREVER); /* claimed: its function runs, on another thread */
    }
    over(wait);
    return error_of(outcome, false);
}

/* Records a wait for something other than a turn, while a trace is on. Returns the session, for sq__trace_close; 0: it was not recorded. */
static sq__session_t trace(const sq__wait_t *wait) {
    uint32_t number = wait->queue != NULL && sq__is_traced(wait->queue) ? sq__trace_hook_number(wait->queue) : 0;
    if (wait->subject != NULL) {
        char text[81];
        snprintf(text, sizeof text, "%s %s", wait->subject->kind, wait->subject->label);
        sq__trace_text(text);
    }
    return sq__trace_open(SQ__EVENT_WAIT, wait->aim, number, 0, (uintptr_t)wait->site);
}

/* T, with no lock. Returns as sq__wait_end. The token is given back, unless the result is ESTALE. */
static int wait_to_the_end(sq__wait_t *wait, sq_time_t deadline) {
    bool deadlock = false;
    sq__explored_t *explored = sq__self()->explored;
    sq__outcome_t outcome;
    if (__builtin_expect(explored != NULL, 0)) {
        outcome = sleep_explored(explored, wait, deadline, &deadlock);
        over(wait);
        return error_of(outcome, deadlock);
    }
    do {
        if (__builtin_expect(wait->runs, 0) && !sq__wait_runs_ahead(wait, deadline)) {
            return ESTALE;
        }
        outcome = sq__token_spin(wait->token, wait->wait_id, SQ__SPIN_WAITER, sq__spin_waiter_pauses(sq__processors_known()));
        if (outcome == SQ__OPEN && wait->is_next) {
            outcome = sq__token_yield(wait->token, wait->wait_id, deadline);
        }
        if (outcome == SQ__OPEN) {
            outcome = sleep_until(wait, deadline, &deadlock);
        }
    } while (outcome == SQ__OPEN);
    over(wait);
    return error_of(outcome, deadlock);
}

static int wait_traced(sq__wait_t *wait, sq_time_t deadline) {
    sq__session_t session = trace(wait);
    int error = wait_to_the_end(wait, deadline);
    sq__trace_close(session, SQ__EVENT_WAITED, (unsigned)error, 0);
    return error;
}

/* In words, for a probe. */
static const char *const aims[] = {
    [SQ__AIM_TURN] = "turn in queue", [SQ__AIM_ROOM] = "room in queue", [SQ__AIM_END] = "end of queue", [SQ__AIM_TASK] = "timer of queue"
};

int sq__wait_end(sq__wait_t *wait, sq_time_t deadline) {
    const void *at = wait->subject != NULL ? (const void *)wait->subject->label : wait->queue;
    size_t label = wait->subject != NULL ? 0 : SQ__LABEL_AT; /* bytes after it */
    bool is_traced = sq__trace_is_on() && (wait->subject != NULL || wait->aim != SQ__AIM_TURN);
    SQ__PROBE3(wait, at, label, wait->subject != NULL ? wait->subject->kind : aims[wait->aim]);
    int error = is_traced ? wait_traced(wait, deadline) : wait_to_the_end(wait, deadline);
    SQ__PROBE3(waited, at, label, error);
    return error;
}

/* What an `ended` ends comes next, when that has returned: so a chain of them takes no more stack than one. */
void sq__awaits_end(sq_await_entry_t *first) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq__self_t *self = sq__self();
    if (self->awaits != NULL) {
        sq_await_entry_t **end = &first;
        while (*end != NULL) {
            end = &(*end)->next;
        }
        *end = *self->awaits;
        *self->awaits = first;
        return;
    }
    const uint32_t process = sq__process();
    self->awaits = &first;
    while (first != NULL) {
        sq_await_entry_t *entry = first;
        first = entry->next; /* the call may free the await */
        entry->await->ended(entry->await);
        if (sq__process() != process) {
            return; /* the call has forked, and this is the child: the others are the parent's */
        }
    }
    self->awaits = NULL;
}

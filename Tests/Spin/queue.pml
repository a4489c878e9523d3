/* queue.pml: a model of the serial queue's hand-off and of its end, for spin.
 *
 * What it is: the decisions of Sources/CSerialQueue/kernel, queue, wait and thread, step by step, with memory that is sequentially
 * consistent. Spin goes through every order of the steps (`make spin`) and looks at:
 *
 *     mutual exclusion      no task begins while another one runs
 *     order                 tasks run, or are discarded, in the order in which they were accepted
 *     exactly one outcome   each accepted task runs, is discarded, or was withdrawn; and its caller's return code says the same
 *     suspension            no task that was accepted after a suspend had returned runs before the resume, and at most one
 *                           (its turn had come) of those accepted before
 *     lost wake-ups         every run comes to its end: all threads done, the queue freed, once
 *     lifetime              nothing is touched of a freed queue or segment (`touch`, `alive`), and no segment is left
 *     after a shutdown      returned 0 the queue has ended, and no accepted task is without its outcome
 *     progress              the graph of states has no circle (run with -DNP: any circle would be one without progress)
 *
 * Which step stands for which function:
 *
 *     token.pml     prepare, settle, claim, withdraw, wait_end      thread/token.c, wait/waiting.c
 *                   post, stop                                      thread/worker.c
 *     ring.pml      obtain, recycle, free_spare                     kernel/segment.c
 *                   take_place, publish, peek, take, leave_baton,   kernel/ring.c
 *                   give_back
 *     baton.pml     holder_next, nothing_next, grant, holder_pass     kernel/baton.c
 *                   park                                            sq__suspension_park in queue/suspend.c
 *                   shutdown_end                                    queue/shutdown.c
 *                   dispose                                         sq__queue_dispose in queue/create.c
 *     control.pml   suspend, resume, abandon                        queue/suspend.c
 *                   sq__shutdown_close, wait_for_end                       queue/shutdown.c
 *                   release, retain                                 queue/create.c
 *     threads.pml   find_worker, the calls of a client              queue/async.c, queue/sync.c
 *                   worker_main, run_work                           thread/worker.c, kernel/run_task.c
 *
 * What is left out, and why it may be: counts of the statistics and the depth (they decide nothing); capacity, forks, watching
 * (except the hand-off); cycles of waits (the explorer has them); a pool of several threads (its queues are posted in the same
 * way). Memory runs out where all segments are in use. Words are as large as these bounds want: SLOTS, SEGMENTS, TICKETS.
 *
 * The bounds of a run are given on the command line (Tests/Spin/run has the table): CLIENTS, OPS (which calls a
 * client chooses from), CALLS (how many each makes), CONTROL (what thread 1 does), TASKS (what async tasks do). */

#ifndef CALLS
#define CALLS 1
#endif
#ifndef CONTROL
#define CONTROL 0
#endif
#ifndef TASKS
#define TASKS 0
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef SEGMENTS
#define SEGMENTS 3
#endif
#ifndef DISTURBANCES
#define DISTURBANCES 0
#endif
#define CELLS (SLOTS * SEGMENTS)
#define TOKENS (CLIENTS + 1)
#define TICKETS (CLIENTS * CALLS)
#define no_place 255

/* state_inline.h, with fewer bits for TAIL, TAKEN and RELEASES */
#define OWNED 1
#define PARKED 2
#define SUSPENDED 4
#define CLOSED 8
#define ENDED 16
#define DISCARDED 32
#define FLAGS 63
#define NO_RELEASES 2047
#define RELEASE_ONE 2048
#define tail(s) (((s) >> 6) & 7)
#define taken(s) (((s) >> 9) & 3)
#define releases(s) (((s) >> 11) & 3)
#define is_free(s) (((s) & FLAGS) == 0)
#define is_released(s) (releases(s) == 1)
#define with_tail(s, t, n) (((s) & (FLAGS | (3 << 11))) | ((t) << 6) | ((n) << 9))
#define plus_release(s) (((s) & NO_RELEASES) | (((releases(s) + 1) & 3) << 11))
#define minus_release(s) (((s) & NO_RELEASES) | (((releases(s) + 3) & 3) << 11))

/* What a place says, and what is submitted */
#define EMPTY 0
#define BATON 1
#define TASK 2
#define AWAITED 3
#define WAITER 4
/* A token's status */
#define OVER 0
#define WAITING 1
#define SLEEPING 2
#define GRANTED 3
/* What a wait comes to */
#define OPEN 0
#define YES 1
#define REFUSED 2
/* The outcome of a ticket; WITHDRAWN of a wait, too */
#define NONE 0
#define WITHDRAWN 3
#define RAN 4
#define DROPPED 5
/* Errors */
#define ESHUTDOWN 1
#define ENOMEM 2
/* control */
#define HOLD 1
#define DISCARD 2
/* sq__next_t */
#define GONE 0
#define NEXT_TASK 1
#define END 2
#define LOOKING 3
#define LOOKING_AGAIN 4

short state;
byte control;
byte handoff_kind;
byte handoff;
byte references = CLIENTS;
byte suspensions;
bit freed;

#define touch assert(!freed)

/* What the oracles know: of each accepted task its place in the order is its ticket. */
byte tickets;
byte open_tickets;
byte owner_of[TICKETS];
byte turn_of[TICKETS];
byte outcome[TICKETS];
bit accepted_while_held[TICKETS];
byte passed_ticket; /* the next ticket that may run or be discarded is this one or later */
bit running;
bit held;           /* a suspend has returned, its resume has not begun */
bit ran_while_held;

/* In the step that accepts it. */
inline ticket_for() {
    ticket = tickets;
    owner_of[tickets] = me;
    turn_of[tickets] = turn[me];
    accepted_while_held[tickets] = held;
    tickets++;
    open_tickets++
}

inline outcome_is(t, what) {
    assert(outcome[t] == NONE);
    outcome[t] = what;
    open_tickets--;
    if
    :: what == DROPPED -> assert(t >= passed_ticket); passed_ticket = t + 1
    :: else
    fi
}

inline begins(t) {
    d_step {
        assert(!running && !freed && t >= passed_ticket);
        running = 1;
        passed_ticket = t + 1;
        assert(outcome[t] == NONE);
        outcome[t] = RAN;
        if
        :: held -> assert(!accepted_while_held[t] && !ran_while_held); ran_while_held = 1
        :: else
        fi
    }
}

inline ends() { d_step { running = 0; open_tickets-- } }

#include "token.pml"
#include "ring.pml"
#include "baton.pml"
#include "control.pml"
#include "threads.pml"

/* timer.h: the timer's fields, and the functions shared by timer.c (the owner's calls) and timer_fire.c (falling due, firing and
 * ending). */
#ifndef SQ__TIMER_TIMER_H
#define SQ__TIMER_TIMER_H

#include "include/sq_timer.h"
#include "queue/pending_timers.h"
#include "timer/timed_submit.h"
#include "wait/wait.h"

/* On the stack of a thread that waits until no firing runs. */
typedef struct sq__timer_waiter {
    sq__wait_t wait;
    bool is_over;                  /* L */
    struct sq__timer_waiter *next; /* L */
} sq__timer_waiter_t;

/* Fields: F fixed after creation, L under the queue's lock. */
struct sq_timer {
    sq__alarm_t alarm;
    sq__pending_timer_t pending; /* listed until the timer ends */
    sq_queue_t *queue;         /* F */
    sq__alarms_t *alarms;      /* F */
    sq_task_t task;            /* F */
    sq__site_t site;           /* F  where it was made; 0: not known */
    uint64_t due;              /* L  the first time that no firing covers yet */
    uint64_t interval;         /* L  0: once */
    uint64_t leeway;           /* L */
    uint64_t firing;           /* L  the number of the last submitted firing, from 1 */
    uint64_t waiting_intervals; /* L  how many intervals the waiting firing covers */
    uint64_t intervals;        /* L  how many intervals the last firing that began covers */
    sq__timer_waiter_t *waiters; /* L */
    unsigned references;       /* L  held by the owner; by the list, or the end of the queue; by each future or running call of
                                     the alarm; by each work in the queue */
    unsigned stale_calls;      /* L  how many running calls of the alarm must do nothing */
    bool is_armed;             /* L  the alarm is set, or a call of it that is not stale is running */
    bool is_waiting;           /* L  the last firing is in the queue, and has not begun */
    bool is_running;           /* L  a firing runs */
    const sq__frame_t *frame;  /* L  the task that it is, on its thread's stack */
    bool is_resting;           /* L  a firing was skipped: the alarm is not set until the waiting or running one is over */
    bool is_first;             /* L  the next firing is the first since the timer was started */
    bool is_released;          /* L  the owner has released it */
    bool has_queue;            /* L  it still holds its reference to the queue */
};

/* L. Sets the alarm, which must not be set already. */
void sq__timer_arm(sq_timer_t *timer, uint64_t due, uint64_t leeway);

/* L. Prevents every firing that is due or waiting now from starting. */
void sq__timer_disarm(sq_timer_t *timer);

/* L. Ends a released timer: submits the call of its discard function, if it has one, and removes the timer from the list. Returns
 * the error of sq__timed_submit. */
int sq__timer_submit_end(sq_timer_t *timer, bool *passes);

/* Releases one reference and unlocks the queue, whose lock the caller holds. Frees the timer with the last reference. */
void sq__timer_leave(sq_timer_t *timer);

/* For a dump: the queue of the timer that this alarm belongs to; NULL: it belongs to no timer. The alarm is set. */
const sq_queue_t *sq__timer_queue(const sq__alarm_t *alarm, uint64_t *interval);

/* The alarm's function; and the function that is called at the end of the queue. */
void sq__timer_fall_due(sq__alarm_t *alarm);
void sq__timer_end_with_queue(void *pending);

#endif

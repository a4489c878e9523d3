/* timer.h: the timer's fields, and what its two halves want of each other: timer.c is what its owner does with it, timer_fire.c what it
 * does by itself. */
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

/* Fields: F fixed once made, L under the queue's lock. */
struct sq_timer {
    sq__alarm_t alarm;
    sq__pending_timer_t pending; /* listed until the timer is done for */
    sq_queue_t *queue;         /* F */
    sq__alarms_t *alarms;      /* F */
    sq_task_t task;            /* F */
    uint64_t due;              /* L  the first time that no firing stands for yet */
    uint64_t interval;         /* L  0: once */
    uint64_t leeway;           /* L */
    uint64_t firing;           /* L  the number of the last one that was submitted, from 1 */
    uint64_t waiting_intervals; /* L  how many intervals that one stands for, as long as it waits */
    uint64_t intervals;        /* L  how many the last one that began stands for */
    sq__timer_waiter_t *waiters; /* L */
    unsigned references;       /* L  the owner; the list, or the end of the queue; each call of the alarm to come or on its
                                     way; each work in the queue */
    unsigned stale_calls;      /* L  how many calls of the alarm are on their way and of no use any more */
    bool is_armed;             /* L  the alarm is set, or a call of it that counts is on its way */
    bool is_waiting;           /* L  the last firing is in the queue, and has not begun */
    bool is_running;           /* L  a firing runs */
    const sq__self_t *runs_on; /* L  and this thread runs it */
    bool is_resting;           /* L  a firing was left out: the alarm is not set until the one that waits or runs is over */
    bool is_first;             /* L  the next firing is the first since the timer was started */
    bool is_released;          /* L  it has no owner any more */
    bool has_queue;            /* L  its reference to the queue was not given up */
};

/* L. Sets the alarm, which is not set. */
void sq__timer_arm(sq_timer_t *timer, uint64_t due, uint64_t leeway);

/* L. No firing begins any more that is due or waiting now. */
void sq__timer_disarm(sq_timer_t *timer);

/* L. Has the released timer's discard function called in a turn of the queue's, and lets the timer go. Returns as
 * sq__timed_submit does. */
int sq__timer_submit_end(sq_timer_t *timer, bool *passes);

/* With the queue's lock, which it gives up: gives up one reference, and frees what is not needed any more. */
void sq__timer_leave(sq_timer_t *timer);

/* The alarm's call, and the dependent's end. */
void sq__timer_fall_due(sq__alarm_t *alarm);
void sq__timer_end_with_queue(void *pending);

#endif

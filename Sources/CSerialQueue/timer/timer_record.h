/* timer_record.h: the timer's fields. */
#pragma once

#include "include/sq_timer.h"
#include "queue/queue.h"
#include "timer/timed.h"
#include "timer/timer_step.h"
#include "wait/wait.h"

/* On the stack of a thread that waits until no firing runs. */
typedef struct sq__timer_waiter {
    sq__wait_t wait;
    struct sq__timer_waiter *next;  /* L */
    struct sq__timer_waiter **link; /* L  what points to it; NULL: the firing is over */
} sq__timer_waiter_t;

/* Fields: F fixed after creation, L under the queue's lock. */
struct sq_timer {
    sq__alarm_t alarm;
    sq__pending_timer_t pending; /* listed until the timer ends */
    sq_queue_t *queue;         /* F */
    sq__alarms_t *alarms;      /* F */
    sq_task_t task;            /* F */
    const void *site;           /* F  where it was made; NULL: not known */
    uint64_t due;              /* L  the first time that no firing covers yet */
    uint64_t interval;         /* L  0: once */
    uint64_t leeway;           /* L */
    uint64_t firing;           /* L  the number of the last submitted firing, from 1 */
    uint64_t waiting_intervals; /* L  how many intervals the waiting firing covers */
    uint64_t intervals;        /* L  how many intervals the last firing that began covers */
    sq__timer_waiter_t *waiters; /* L */
    unsigned references;       /* L  held by the owner; by the list, or the end of the queue; by each future or running call of
                                     the alarm; by each firing in the queue */
    unsigned stale_calls;      /* L  how many running calls of the alarm must do nothing */
    sq__timer_alarm_t alarm_state; /* L  changes in sq__timer_change_alarm only */
    bool is_waiting;           /* L  the last firing is in the queue, and has not begun */
    bool is_running;           /* L  a firing runs */
    const sq__frame_t *frame;  /* L  the task that it is, on its thread's stack */
    uint32_t suspensions;      /* L  how many calls of resume it waits for */
    bool is_first;             /* L  the next firing is the first since the timer was started */
    bool is_released;          /* L  the owner has released it */
    bool has_queue;            /* L  it still holds its reference to the queue */
    bool has_lease;            /* L  it still holds its lease on the alarms */
};

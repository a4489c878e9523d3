/* notice.h: a task that is submitted when something has happened.
 *
 * DESIGN. What submitting needs is there before the event: the memory of the notice, the queue's thread, and a reference to
 * the queue. Only the ring may need a new segment in that moment. Without memory for one the notices that are left become an
 * alarm (alarm.h), which tries again a little later; where there is no memory for that either, the thread that ended what was
 * waited for yields the processor and tries again itself. */
#ifndef SQ__MANY_NOTICE_H
#define SQ__MANY_NOTICE_H

#include "queue/queue.h"
#include "thread/alarm.h"

/* Fields: F fixed once made, L under the lock of the object that it belongs to. */
typedef struct sq__notice {
    sq__alarm_t alarm;
    sq__alarms_t *alarms;    /* the alarm's, while it is set; else NULL */
    struct sq__notice *next; /* L */
    sq_queue_t *queue;       /* F  with a reference */
    sq_task_t task;          /* F */
} sq__notice_t;

/* Returns 0 and *notice, or ENOMEM, ESHUTDOWN, ESTALE or EINVAL. */
int sq__notice_create(sq__notice_t **notice, sq_queue_t *queue, const sq_task_t *task);

/* In the order of registration. All zero: empty. L */
typedef struct sq__notices {
    sq__notice_t *first;
    sq__notice_t *last; /* if there is a first */
} sq__notices_t;

/* L */
void sq__notices_append(sq__notices_t *list, sq__notice_t *notice);

/* Submits this one and those after it, in order, or has their discard functions called; frees them. With no lock held. */
void sq__notice_submit_all(sq__notice_t *first);

#endif

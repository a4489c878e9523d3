/* notification.h: a task that is submitted when something has happened.
 *
 * DESIGN. What submitting needs is there before the event: the memory of the notice, the queue's thread, and a reference to
 * the queue. Only the ring may need a new segment in that moment. Without memory for one the notices that are left become an
 * alarm (alarm.h), which tries again a little later; where there is no memory for that either, the thread that ended what was
 * waited for yields the processor and tries again itself. */
#ifndef SQ__MANY_NOTIFICATION_H
#define SQ__MANY_NOTIFICATION_H

#include "alarm/alarm.h"
#include "kernel/queue.h"

/* Fields: F fixed once made, L under the lock of the object that it belongs to. */
typedef struct sq__notification {
    sq__alarm_t alarm;
    sq__alarms_t *alarms;    /* the alarm's, while it is set; else NULL */
    struct sq__notification *next; /* L */
    sq_queue_t *queue;       /* F  with a reference */
    sq_task_t task;          /* F */
} sq__notification_t;

/* Returns 0 and *notification, or ENOMEM, ESHUTDOWN, ESTALE or EINVAL. */
int sq__notification_create(sq__notification_t **notification, sq_queue_t *queue, const sq_task_t *task);

/* In the order of registration. All zero: empty. L */
typedef struct sq__notifications {
    sq__notification_t *first;
    sq__notification_t *last; /* if there is a first */
} sq__notifications_t;

/* L */
void sq__notifications_append(sq__notifications_t *list, sq__notification_t *notification);

/* Submits this one and those after it, in order, or has their discard functions called; frees them. With no lock held. */
void sq__notification_submit_all(sq__notification_t *first);

#endif

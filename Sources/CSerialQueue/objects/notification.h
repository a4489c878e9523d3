/* notification.h: a task that is submitted after an event.
 *
 * DESIGN. Everything that the submission needs is allocated before the event: the notification, the queue's thread, and a
 * reference to the queue. Only the ring may still need a new segment. Without memory for one, an alarm (alarm.h) submits the
 * remaining notifications a little later. If there is no memory for that either, the thread that caused the event yields the
 * processor and tries again.
 *
 * The object that the notifications belong to has a flag for the one thread, or alarm, that submits them. It stays set until no
 * notification is left, so those that are registered meanwhile wait in the object's list, and the order is kept. */
#pragma once

#include "alarm/alarm_inline.h"
#include "state/state_inline.h"

/* What continues after notifications that an alarm had to submit. */
typedef struct sq__notifier {
    void (*next)(void *object); /* submits what is in the object's list by now, or clears its flag */
    void *object;               /* exists until then */
} sq__notifier_t;

/* Fields: F fixed after creation, L under the lock of the object that it belongs to, S used by the thread or alarm that submits. */
typedef struct sq__notification {
    sq__alarm_t alarm;
    sq__alarms_t *alarms;    /* S  the alarm's set, while it is set; else NULL */
    sq__notifier_t notifier; /* S  fixed while the alarm is set */
    uint16_t kind;           /* F  SQ__NOTIFICATION, and SQ__BARRIER */
    struct sq__notification *next; /* L */
    sq_queue_t *queue;       /* F  with a reference */
    sq_task_t task;          /* F */
} sq__notification_t;

/* Returns 0 and *notification, with a reference to the queue, which sq__notification_submit_all frees; or ENOMEM, ESHUTDOWN, ESTALE or EINVAL. */
int sq__notification_create(sq__notification_t **notification, sq_queue_t *queue, const sq_task_t *task, bool is_barrier);

/* L. In the order of registration. All zero: empty. */
typedef struct sq__notifications {
    sq__notification_t *first;
    sq__notification_t *last; /* valid if `first` is not NULL */
} sq__notifications_t;

/* L. The notification is in no list. */
void sq__notifications_append(sq__notifications_t *list, sq__notification_t *notification);

/* L. Appends all of `from`, which must not be empty, to `list`; empties `from`. */
void sq__notifications_move(sq__notifications_t *list, sq__notifications_t *from);

/* Submits this notification and those after it, in order; calls the discard functions of those that are refused. Frees them. Call
 * it with no lock held. False: there was no memory, so an alarm continues, and then calls notifier->next; or a discard function has
 * forked, and this is the child: the object is the parent's. */
bool sq__notification_submit_all(sq__notification_t *first, const sq__notifier_t *notifier);

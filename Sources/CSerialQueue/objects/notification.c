#include "objects/notification.h"

#include "alarm/alarm.h"
#include "gate/gate_inline.h"
#include "platform/container.h"
#include "platform/memory.h"
#include "platform/thread.h"
#include "platform/unwind.h"
#include "queue/queue.h"
#include "timer/timer.h"

#include <errno.h>

static void try_again(sq__alarm_t *alarm);

int sq__notification_create(sq__notification_t **notification, sq_queue_t *queue, const sq_task_t *task, bool is_barrier) {
    int error = task->run != NULL ? sq__async_prepare(queue) : EINVAL;
    if (error) {
        return error;
    }
    sq__notification_t *made = sq__memory(sizeof *made);
    if (made == NULL) {
        return ENOMEM;
    }
    const uint16_t kind = SQ__NOTIFICATION | (is_barrier ? sq__barrier_on(queue) : 0);
    *made = (sq__notification_t){ .alarm.call = try_again, .kind = kind, .queue = sq_queue_retain(queue), .task = *task };
    *notification = made;
    return 0;
}

void sq__notifications_append(sq__notifications_t *list, sq__notification_t *notification) {
    if (list->first == NULL) {
        list->first = notification;
    } else {
        list->last->next = notification;
    }
    list->last = notification;
}

void sq__notifications_move(sq__notifications_t *list, sq__notifications_t *from) {
    sq__notification_t *last = from->last;
    sq__notifications_append(list, from->first);
    list->last = last;
    *from = (sq__notifications_t){ 0 };
}

/* With no lock held. Returns 0; ENOMEM: the caller tries again; or ESHUTDOWN. The notification stays the caller's. */
static int submit(const sq__notification_t *notification) {
    bool passes = false;
    int error = sq__async_put(notification->queue, &(sq__submission_t){ .work.task = notification->task, .kind = notification->kind }, &passes);
    if (passes) {
        sq__baton_pass(notification->queue);
    }
    return error;
}

/* Called when the queue was shut down. Returns false if the function has forked and this is the child: the rest belongs to the parent. */
static bool discard(sq__notification_t *notification) {
    SQ__NOBODY_UNWINDS_THROUGH;
    if (notification->task.discard != NULL) {
        notification->task.discard(notification->task.context);
    }
    return !sq__queue_is_stale(notification->queue);
}

static void dispose(sq__notification_t *notification) {
    sq_queue_release(notification->queue);
    sq__memory_free(notification);
}

/* Called when there was no memory. True: an alarm will submit this notification and those after it, and frees them. False: the alarm has no memory
 * either; the thread has yielded, and the caller tries again. */
static bool set_alarm(sq__notification_t *first, const sq__notifier_t *notifier) {
    if (sq__alarms_shared(&first->alarms) != 0) {
        sq__thread_yield();
        return false;
    }
    first->notifier = *notifier;
    sq__timed_try_again(first->alarms, &first->alarm);
    return true;
}

bool sq__notification_submit_all(sq__notification_t *first, const sq__notifier_t *notifier) {
    while (first != NULL) {
        sq__notification_t *notification = first;
        int error = submit(notification);
        if (error == ENOMEM) {
            if (set_alarm(first, notifier)) {
                return false;
            }
            continue;
        }
        first = notification->next;
        if (error && !discard(notification)) {
            return false;
        }
        dispose(notification);
    }
    return true;
}

/* The alarm's call: submits the notification and those after it, then what the object's list has by now. Returns the lease that set_alarm took. */
static void try_again(sq__alarm_t *alarm) {
    sq__notification_t *first = SQ__CONTAINER(alarm, sq__notification_t, alarm);
    sq__alarms_t *alarms = first->alarms;
    const sq__notifier_t notifier = first->notifier;
    uint32_t process = sq__process();
    if (sq__notification_submit_all(first, &notifier)) {
        notifier.next(notifier.object);
    }
    if (process == sq__process()) { /* else a discard function has forked, and this is the child: the lease is the parent's */
        sq__alarms_release(alarms);
    }
}

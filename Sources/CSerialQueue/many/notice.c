#include "many/notice.h"

#include "kit/due.h"
#include "platform/memory.h"
#include "platform/thread.h"
#include "platform/unwind.h"
#include "queue/async.h"
#include "queue/fork.h"
#include "queue/owner.h"

#include <errno.h>

static void try_again(sq__alarm_t *alarm);

int sq__notice_create(sq__notice_t **notice, sq_queue_t *queue, const sq_task_t *task) {
    int error = task->run != NULL ? sq__async_prepare(queue) : EINVAL;
    if (error) {
        return error;
    }
    sq__notice_t *made = sq__memory(sizeof *made);
    if (made == NULL) {
        return ENOMEM;
    }
    *made = (sq__notice_t){ .alarm.call = try_again, .queue = sq_queue_retain(queue), .task = *task };
    *notice = made;
    return 0;
}

void sq__notices_append(sq__notices_t *list, sq__notice_t *notice) {
    if (list->first == NULL) {
        list->first = notice;
    } else {
        list->last->next = notice;
    }
    list->last = notice;
}

static int submit(const sq__notice_t *notice) {
    bool passes = false;
    int error = sq__due_submit(notice->queue, SQ__DUE, &(sq__work_t){ .task = notice->task }, &passes);
    if (passes) {
        sq__owner_pass(notice->queue);
    }
    return error;
}

/* The queue was shut down. False: the function has forked, and this is the child: all that is left is the parent's. */
static bool discard(sq__notice_t *notice) {
    SQ__NOBODY_UNWINDS_THROUGH;
    if (notice->task.discard != NULL) {
        notice->task.discard(notice->task.context);
    }
    return !sq__fork_is_stale(notice->queue);
}

static void dispose(sq__notice_t *notice) {
    sq_queue_release(notice->queue);
    sq__memory_free(notice);
}

/* There was no memory. True: the alarm will come for this one and those after it. */
static bool set_alarm(sq__notice_t *first) {
    if (sq__alarms_shared(&first->alarms) != 0) {
        sq__thread_yield();
        return false;
    }
    sq__due_try_again(first->alarms, &first->alarm);
    return true;
}

void sq__notice_submit_all(sq__notice_t *first) {
    while (first != NULL) {
        sq__notice_t *notice = first;
        int error = submit(notice);
        if (error == ENOMEM) {
            if (set_alarm(first)) {
                return;
            }
            continue;
        }
        first = notice->next;
        if (error && !discard(notice)) {
            return;
        }
        dispose(notice);
    }
}

static void try_again(sq__alarm_t *alarm) {
    sq__notice_t *first = (sq__notice_t *)((char *)alarm - offsetof(sq__notice_t, alarm));
    sq__alarms_t *alarms = first->alarms;
    sq__notice_submit_all(first);
    sq__alarms_let_go(alarms);
}

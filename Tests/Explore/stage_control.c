/* stage_control.c: suspensions, shutdowns and references, and what they mean for the tasks that start and end. */
#include "stage_inside.h"

#include <errno.h>
#include <string.h>

static int suspensions[QUEUES]; /* that have returned, minus resumes that have begun: at least so many there are */
static uint64_t suspended_since[QUEUES]; /* a step, which names the suspension */
static int suspender[QUEUES];
static uint32_t suspended_when[QUEUES]; /* on the suspender's clock */
static unsigned started_suspended[QUEUES];
static bool finished_suspended[QUEUES]; /* a task ended after suspend had returned */
bool stage_closed[QUEUES];
static bool ended[QUEUES];

void stage_control_reset(void) {
    memset(suspensions, 0, sizeof suspensions);
    memset(started_suspended, 0, sizeof started_suspended);
    memset(finished_suspended, 0, sizeof finished_suspended);
    memset(stage_closed, 0, sizeof stage_closed);
    memset(ended, 0, sizeof ended);
}

/* A suspension that happened before what the current thread does. */
static bool is_suspended_before(int queue) {
    return suspensions[queue] > 0 && ex_happened(suspender[queue], suspended_when[queue]);
}

uint64_t stage_suspension_before(int queue) { return is_suspended_before(queue) ? suspended_since[queue] : 0; }

/* It is one of A's tasks, too, until A ends. */
static void starts_on_target(const submission_t *one) {
    if (suspensions[0] <= 0 || stage_closed[0] || stage_expected->each_has_a_reference) {
        return;
    }
    if (finished_suspended[0] || (++started_suspended[0] > 1 && ex_setting.memory != EX_RA)) {
        ex_fail("suspension: %s %d starts, though its target is suspended", stage_kind_names[one->kind], one->id);
    }
}

void stage_control_starts(const submission_t *one) {
    int queue = one->queue;
    bool is_serial = stage_expected->width <= 1; /* else the turn of several may have come before */
    /* A release may have ended the suspension. */
    if (suspensions[queue] > 0 && !stage_expected->each_has_a_reference) {
        bool late = one->suspension_before == suspended_since[queue] || (is_serial && finished_suspended[queue]);
        if (late) {
            ex_fail("suspension: %s %d starts, though its turn had not come when suspend returned", stage_kind_names[one->kind], one->id);
        }
        if (++started_suspended[queue] > 1 && is_serial && ex_setting.memory != EX_RA) {
            ex_fail("suspension: a second task starts after suspend returned");
        }
    }
    if (stage_expected->targets && is_serial && queue != 0) {
        starts_on_target(one);
    }
    if (ended[queue]) {
        ex_fail("shutdown: task %d starts after the end", one->id);
    }
}

void stage_control_ends(const submission_t *one) {
    int queue = one->queue;
    finished_suspended[queue] = finished_suspended[queue] || is_suspended_before(queue);
    if (stage_expected->targets) {
        finished_suspended[0] = finished_suspended[0] || is_suspended_before(0);
    }
}

void stage_control_discards(const submission_t *one) {
    if (ended[one->queue]) {
        ex_fail("shutdown: task %d is discarded after the end", one->id);
    }
}

static void one_more_suspension(int queue) {
    if (suspensions[queue]++ == 0) {
        suspended_since[queue] = ++ex_step;
        suspender[queue] = ex_current;
        suspended_when[queue] = ex_when();
        started_suspended[queue] = 0;
        finished_suspended[queue] = false;
    }
}

void stage_suspend(int queue) {
    EX_TRACE("calls suspend");
    int error = sq_suspend(stage_queues[queue]);
    EX_TRACE("suspend returns %d", error);
    if (error && !(stage_expected->may & ERROR_BIT(error))) {
        ex_fail("error: suspend returned %s", strerror(error));
    }
    if (error == 0) {
        one_more_suspension(queue);
        ex_point(); /* others continue here, or try to */
    }
}

void stage_resume(int queue, bool may_be_too_many) {
    EX_TRACE("calls resume");
    suspensions[queue] -= 1;
    int error = sq_resume(stage_queues[queue]);
    EX_TRACE("resume returns %d", error);
    if (error) {
        if (!may_be_too_many || error != EINVAL) {
            ex_fail("error: resume returned %s", strerror(error));
        }
        one_more_suspension(queue);
    }
}

void stage_shutdown(int queue, sq_shutdown_mode_t mode, sq_time_t deadline) {
    EX_TRACE("calls shutdown on %c", 'A' + queue);
    int error = sq_shutdown(stage_queues[queue], mode, deadline);
    EX_TRACE("shutdown returns %d", error);
    ex_caller = (const void *)stage_shutdown;
    if (error == ENOMEM && stage_may_fail) {
        return;
    }
    stage_closed[queue] = true;
    if (error) {
        stage_deadlocks += error == EDEADLK;
        if (!(error == ETIMEDOUT && deadline != SQ_FOREVER) && !(stage_expected->may & ERROR_BIT(error))) {
            ex_fail("error: shutdown returned %s", strerror(error));
        }
        return;
    }
    ended[queue] = true;
    for (unsigned i = 0; i < stage_count; i += 1) {
        const submission_t *one = &stage_submissions[i];
        if (one->queue == queue && one->returned && !one->error) {
            if (!one->finished && !one->discarded) {
                ex_fail("shutdown: it returned 0 before task %d was over", one->id);
            }
            if (one->kind <= ASYNC_UNTIL) {
                stage_read_result(one); /* all that the tasks did is visible, and nobody writes there any more */
            }
        }
    }
}

void stage_retain(int queue) { sq_queue_retain(stage_queues[queue]); }
void stage_release(int queue) {
    EX_TRACE("releases %c", 'A' + queue);
    sq_queue_release(stage_queues[queue]);
}

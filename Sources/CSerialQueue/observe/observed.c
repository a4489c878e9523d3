/* observed.c: the pair of calls around a task that something observes. observe.h has the design. */
#include "observe/observe.h"

#include "observe/timings.h"
#include "observe/trace_hooks.h"
#include "observe/watch_notes.h"

#include <errno.h>

static sq__session_t trace(sq_queue_t *queue, const sq__task_seen_t *task) {
    unsigned detail = task->kind | (task->is_discarded ? SQ__EVENT_DISCARDS : 0) | (task->is_call ? SQ__EVENT_CALLS : 0);
    return sq__trace_hook_start(queue, detail, task->is_call ? (uintptr_t)task->site : task->where, task->function, task->context, task->is_pair);
}

static void count_wait(sq_queue_t *queue, const sq__observed_t *observed, bool is_time) {
    if (observed->began != 0 && is_time) {
        sq__timings_waited(queue, observed->waited, observed->depth);
    }
}

sq__observed_t sq__observe_begin(sq_queue_t *queue, uint32_t control, const sq__task_seen_t *task) {
    sq__observed_t observed = { .session = control & SQ__TRACED ? trace(queue, task) : 0, .is_watched = control & SQ__WATCHED };
    if (observed.is_watched) {
        sq__watch_task_begins(queue, task->function, task->site);
    }
    sq__self()->frame->did_not_run = false;
    if (control & SQ__MEASURED) {
        const sq__wrapper_t *wrapper = sq__wrapper_of(task->function);
        observed.began = sq__timings_begin(queue, task->submitted, &observed.waited);
        observed.depth = task->depth;
        observed.may_not_run = wrapper != NULL && wrapper->kind == SQ__TASK_OF_TIMER;
        count_wait(queue, &observed, !observed.may_not_run);
    }
    return observed;
}

void sq__observe_end(sq_queue_t *queue, const sq__observed_t *observed) {
    bool ran = !sq__self()->frame->did_not_run;
    if (ran) {
        count_wait(queue, observed, observed->may_not_run);
        sq__timings_end(queue, observed->began);
    }
    if (observed->is_watched) {
        sq__watch_task_ends(queue);
    }
    sq__trace_close(observed->session, SQ__EVENT_END, ran ? 0 : ECANCELED, 0);
}

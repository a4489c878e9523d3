#include "observe/observe.h"

#include "observe/trace_hooks.h"

static sq__session_t trace(sq_queue_t *queue, const sq__task_seen_t *task) {
    unsigned detail = task->kind | (task->is_discarded ? SQ__EVENT_DISCARDS : 0) | (task->is_call ? SQ__EVENT_CALLS : 0);
    return sq__traced_start(queue, detail, task->is_call ? task->site : task->where, task->function, task->context, task->is_pair);
}

sq__observed_t sq__observe_begin(sq_queue_t *queue, uint32_t control, const sq__task_seen_t *task) {
    sq__observed_t observed = { .session = control & SQ__TRACED ? trace(queue, task) : 0, .is_watched = control & SQ__WATCHED };
    if (observed.is_watched) {
        sq__watch_task_begins(queue, task->function, task->site);
    }
    observed.began = control & SQ__MEASURED ? sq__measured_begin(queue, task->submitted) : 0;
    return observed;
}

void sq__observe_end(sq_queue_t *queue, const sq__observed_t *observed) {
    sq__measured_end(queue, observed->began);
    if (observed->is_watched) {
        sq__watch_task_ends(queue);
    }
    sq__trace_close(observed->session, SQ__EVENT_END, 0, 0);
}

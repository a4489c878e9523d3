/* probes.h: the points of a queue for bpftrace, perf and other tools (platform/probe.h says how they work). Documentation/Probes.md
 * lists them for users.
 *
 * The first argument is the queue; the second is the offset of its label in bytes. That is a constant, but the label's address would cost an
 * instruction. */
#pragma once

#include "state/queue.h"
#include "platform/probe.h"

#define SQ__LABEL_AT offsetof(struct sq_queue, label)

/* The task is about to be put into the queue, which has accepted it. */
static inline __attribute__((always_inline)) void sq__probe_submit(const sq_queue_t *queue, const sq__pair_t *task) {
    SQ__PROBE4_FIELDS(submit, queue, SQ__LABEL_AT, task->call, task->first);
}

/* Around the call of a task. The function and context are those of its submission, or of the sync. */
#define SQ__PROBE_START(queue, function, context) SQ__PROBE4(start, (queue), SQ__LABEL_AT, (function), (context))
#define SQ__PROBE_END(queue) SQ__PROBE2(end, (queue), SQ__LABEL_AT)

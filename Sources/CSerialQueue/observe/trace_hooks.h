/* trace_hooks.h: what a queue records while a trace is under way.
 *
 * DESIGN. SQ__TRACED in the queue's control says that the queue is to record; the places that record look at it together with other
 * flags, so an untraced queue pays nothing. A queue gets the flag when it is made, or by the first call that finds
 * sq__process_if_quiet changed: any asynchronous submission, and a sync that does not find the queue free. Its record has the
 * queue's number in the trace. The flag outlives the trace; the next task removes it. */
#pragma once

#include "state/queue.h"
#include "observe/call_sites.h"
#include "trace/trace.h"

/* If a trace is under way, gives the queue the flag; takes the queue's lock for that. */
void sq__trace_hook_begin(sq_queue_t *queue);

/* The queue's number in this trace; 0: there is none, or no memory. */
uint32_t sq__trace_hook_number(const sq_queue_t *queue);

/* Records an event of the queue, which has the flag. */
void sq__trace_hook_event(const sq_queue_t *queue, sq__entry_kind_t kind, unsigned detail, uint64_t where, uint64_t which);

/* Records a WAIT for this aim, by a call from this site. Returns as sq__trace_open. */
sq__session_t sq__trace_hook_wait(const sq_queue_t *queue, unsigned aim, uint64_t where, const void *site);

/* Records a wait for this aim that was refused at once, because the caller would have waited for itself. `site`: of the call.  */
void sq__trace_hook_refused(sq_queue_t *queue, unsigned aim, const void *site);

/* The same of a wait for something that is no queue. */
void sq__trace_hook_refused_for(const char *what);

/* Records a START of this function, or of the user's function that it wraps (wrapper.h). `context`: the first word of its context; `is_pair`:
 * that may be the code of a closure. Returns as sq__trace_open. If no trace is under way, removes the flag, and takes the queue's lock for
 * that. */
sq__session_t sq__trace_hook_start(sq_queue_t *queue, unsigned detail, uint64_t where, sq_function_t function, const void *context, bool is_pair);

/* Records that a task was withdrawn from its place: a pair of this function, whose first word is the context. */
void sq__trace_hook_withdrawn(const sq_queue_t *queue, uint64_t where, sq_pair_function_t call, const void *context);

/* Records that a task of this kind was stored at `where`, and from which site, in a queue that is traced or watched. */
void sq__trace_hook_submit(const sq_queue_t *queue, uintptr_t kind, uint64_t where, const void *site);

/* Records a rare event, on a queue that may not have the flag yet. Takes the queue's lock, if a trace is under way. */
static inline void sq__trace_hook_seldom(sq_queue_t *queue, sq__entry_kind_t kind, unsigned detail, uint64_t which) {
    if (sq__trace_is_on()) {
        sq__trace_hook_begin(queue);
        sq__trace_hook_event(queue, kind, detail, 0, which);
    }
}

static inline bool sq__is_traced(const sq_queue_t *queue) {
    return __builtin_expect(sq__load_relaxed(&queue->control) & SQ__TRACED, 0);
}

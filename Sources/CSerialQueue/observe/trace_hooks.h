/* trace_hooks.h: what a queue records while a trace is under way.
 *
 * DESIGN. SQ__TRACED in the queue's control says that the queue is to record; the places that record look at it together with other
 * flags, so an untraced queue pays nothing. A queue gets the flag when it is made, or by the first call that finds
 * sq__process_if_quiet changed: any asynchronous submission, and a sync that does not find the queue free. Its record has the
 * queue's number in the trace. The flag outlives the trace; the next task removes it. */
#ifndef SQ__OBSERVE_TRACE_HOOKS_H
#define SQ__OBSERVE_TRACE_HOOKS_H

#include "state/queue.h"
#include "observe/call_sites.h"
#include "trace/recorder.h"

/* If a trace is under way, gives the queue the flag; takes the queue's lock for that. */
void sq__traced_begin(sq_queue_t *queue);

/* Notes the caller, and gives the queue the flag if a trace is under way. */
void sq__traced_want(sq_queue_t *queue, const void *caller) __attribute__((cold));

/* For a public call that does not use sq__runner_find itself: as there, notes its caller, and gives the queue its flag, if that is wanted. */
#define SQ__NOTE_CALLER_IF_WANTED(queue)     \
    do {                                     \
        if (sq__sited_is_wanted(queue)) {    \
            sq__traced_want(queue, __builtin_return_address(0)); \
        }                                    \
    } while (0)

/* Removes the flag if no trace is under way. Takes the queue's lock. */
void sq__traced_end(sq_queue_t *queue);

/* The queue's number in this trace; 0: there is none, or no memory. */
uint32_t sq__traced_number(const sq_queue_t *queue);

/* Records an event of the queue, which has the flag. */
void sq__traced_event(const sq_queue_t *queue, sq__entry_kind_t kind, unsigned detail, uint64_t where, uint64_t which);
sq__session_t sq__traced_open(const sq_queue_t *queue, sq__entry_kind_t kind, unsigned detail, uint64_t where, uint64_t which);

/* Records a WAIT for this aim, by a call from this site. Returns as sq__trace_open. */
sq__session_t sq__traced_wait(const sq_queue_t *queue, unsigned aim, uint64_t where, sq__site_t site);

/* Records a START of this function, or of the user's function that it wraps (wrapper.h). `context`: the first word of its context; `is_pair`:
 * that may be the code of a closure. Returns as sq__trace_open. If no trace is under way, removes the flag, and takes the queue's lock for
 * that. */
sq__session_t sq__traced_start(sq_queue_t *queue, unsigned detail, uint64_t where, sq_function_t function, const void *context, bool is_pair);

/* This function calls closures of another language: its context points to a record that has the closure's code at this byte. A trace shows
 * that. For the Swift layer, which declares this itself. By one thread at a time. */
void sq__trace_closures_of(sq_function_t function, uint16_t at);

/* Records that a task of this kind was stored at `where`, by a SUBMIT or FIRE, and from which site, in a queue that is traced or watched. */
void sq__traced_submit(const sq_queue_t *queue, sq__entry_kind_t event, uintptr_t kind, uint64_t where);

/* Records a rare event, on a queue that may not have the flag yet. Takes the queue's lock, if a trace is under way. */
static inline void sq__traced_seldom(sq_queue_t *queue, sq__entry_kind_t kind, unsigned detail, uint64_t which) {
    if (sq__trace_is_on()) {
        sq__traced_begin(queue);
        sq__traced_event(queue, kind, detail, 0, which);
    }
}

static inline bool sq__is_traced(const sq_queue_t *queue) {
    return __builtin_expect(sq__load_relaxed(&queue->control) & SQ__TRACED, 0);
}

#endif

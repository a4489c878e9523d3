#include "observe/trace_hooks.h"

#include "state/extras.h"
#include "state/lock.h"
#include "observe/call_sites.h"
#include "trace/recorders.h"

SQ__ATOMIC(sq_function_t) sq__traced_closures;

void sq__trace_closures_of(sq_function_t function) { sq__store_relaxed(&sq__traced_closures, function); }

/* Made before the queue is traced, and then fixed. */
typedef struct traced {
    SQ__ATOMIC(uint64_t) as; /* A  the queue's number in a trace, and above that the session */
} traced_t;

void sq__traced_begin(sq_queue_t *queue) {
    if (!sq__trace_is_on() || sq__is_traced(queue)) {
        return;
    }
    sq__lock(queue);
    if (sq__sited_begin(queue) && sq__extra_make(queue, SQ__EXTRA_TRACE, sizeof(traced_t)) != NULL) {
        sq__control(queue, 0, SQ__TRACED);
    }
    sq__unlock(queue);
}

void sq__traced_want(sq_queue_t *queue, const void *caller) {
    sq__sites_note(queue, sq__site(caller, 0), false);
    sq__traced_begin(queue);
}

void sq__traced_end(sq_queue_t *queue) {
    if (sq__trace_is_on()) {
        return;
    }
    sq__lock(queue);
    sq__control(queue, SQ__TRACED, 0);
    sq__unlock(queue);
}

uint32_t sq__traced_number(const sq_queue_t *queue) {
    traced_t *traced = sq__extra(queue, SQ__EXTRA_TRACE);
    sq__session_t session = sq__load_relaxed(&sq__trace_session);
    if (traced == NULL || session == 0) {
        return 0;
    }
    uint64_t as = sq__load_acquire(&traced->as); /* [named] acquire: the name is on the list */
    if (as >> 32 == session) {
        return (uint32_t)as;
    }
    return sq__recorders_name(session, &traced->as, queue->label, sq__load_relaxed(&queue->control) & SQ__CONCURRENT);
}

void sq__traced_event(const sq_queue_t *queue, sq__entry_kind_t kind, unsigned detail, uint64_t where, uint64_t which) {
    uint32_t number = sq__traced_number(queue);
    if (number != 0) {
        sq__trace_event(kind, detail, number, where, which);
    }
}

sq__session_t sq__traced_open(const sq_queue_t *queue, sq__entry_kind_t kind, unsigned detail, uint64_t where, uint64_t which) {
    uint32_t number = sq__traced_number(queue);
    return number != 0 ? sq__trace_open(kind, detail, number, where, which) : 0;
}

sq__session_t sq__traced_wait(const sq_queue_t *queue, unsigned aim, uint64_t where, sq__site_t site) {
    uint32_t number = sq__traced_number(queue);
    return number != 0 ? sq__trace_wait(aim, number, where, site) : 0;
}

sq__session_t sq__traced_start(sq_queue_t *queue, unsigned detail, uint64_t where, uint64_t which) {
    sq__session_t session = sq__traced_open(queue, SQ__EVENT_START, detail, where, which);
    if (session == 0) {
        sq__traced_end(queue);
    }
    return session;
}

void sq__traced_submit(const sq_queue_t *queue, sq__entry_kind_t event, uintptr_t kind, uint64_t where) {
    sq__site_t site = sq__sited_put(queue, where);
    uint32_t number = sq__is_traced(queue) ? sq__traced_number(queue) : 0;
    if (number != 0) {
        sq__trace_submit(event, (unsigned)kind, number, where, site);
    }
}

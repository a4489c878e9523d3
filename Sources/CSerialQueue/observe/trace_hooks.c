#include "observe/trace_hooks.h"

#include "state/extras.h"
#include "state/lock.h"
#include "observe/call_sites.h"
#include "observe/wrapper.h"
#include "trace/recorders.h"

void sq__trace_closures_of(sq_function_t function, uint16_t at) {
    enum { MOST = 4 };
    static sq__wrapper_t closures[MOST];
    static unsigned count;
    if (count < MOST) {
        closures[count] = (sq__wrapper_t){
            .function = function, .name = "a closure", .run = SQ__NOT_THERE, .discard = SQ__NOT_THERE, .context = SQ__NOT_THERE, .code = at,
            .label = SQ__NOT_THERE
        };
        sq__wrapper_add(&closures[count++]);
    }
}

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

/* Replaces a wrapper by what it wraps, and records its label. */
static sq_function_t unwrap(sq_function_t function, const void *context, bool discards, uintptr_t *code) {
    for (const sq__wrapper_t *wrapper; (wrapper = sq__wrapper_of(function)) != NULL;) {
        const char *label = wrapper->label != SQ__NOT_THERE ? (const char *)context + wrapper->label : "";
        if (label[0] != '\0') {
            sq__trace_text(label);
        }
        function = (sq_function_t)sq__wrapper_word(context, discards ? wrapper->discard : wrapper->run);
        *code = sq__wrapper_word(context, wrapper->code);
        context = (const void *)sq__wrapper_word(context, wrapper->context);
    }
    return function;
}

sq__session_t sq__traced_start(sq_queue_t *queue, unsigned detail, uint64_t where, sq_function_t function, const void *context, bool is_pair) {
    uintptr_t code = is_pair ? (uintptr_t)context : 0;
    function = unwrap(function, context, detail & SQ__EVENT_DISCARDS, &code);
    if (code != 0) {
        sq__trace_event(SQ__EVENT_CONTEXT, 0, 0, 0, code);
    }
    sq__session_t session = sq__traced_open(queue, SQ__EVENT_START, detail, where, (uintptr_t)function);
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

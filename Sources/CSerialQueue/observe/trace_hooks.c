#include "observe/trace_hooks.h"

#include "observe/observe_inline.h"
#include "platform/fatal.h"
#include "state/state_inline.h"
#include "thread/self.h"
#include "trace/trace.h"

#include <errno.h>

void sq__trace_closures_of(sq_function_t function, uint16_t at) {
    enum { MOST = 8 };
    static sq__wrapper_t closures[MOST];
    static unsigned count;
    if (count == MOST) {
        sq__fatal("there are more than %d kinds of functions that run closures", MOST);
    }
    closures[count] = (sq__wrapper_t){
        .function = function, .name = "a closure", .run = SQ__NOT_THERE, .discard = SQ__NOT_THERE, .context = SQ__NOT_THERE, .code = at,
        .label = SQ__NOT_THERE
    };
    sq__wrapper_add(&closures[count++]);
}

/* Made before the queue is traced, and then fixed. */
typedef struct traced {
    SQ__ATOMIC(uint64_t) as; /* A  the queue's number in a trace, and above that the session */
} traced_t;

void sq__trace_hook_begin(sq_queue_t *queue) {
    if (!sq__trace_is_on() || sq__is_traced(queue)) {
        return;
    }
    sq__lock(queue);
    if (sq__sited_begin(queue) && sq__extra_make(queue, SQ__EXTRA_TRACE, sizeof(traced_t)) != NULL) {
        sq__control(queue, 0, SQ__TRACED);
    }
    sq__unlock(queue);
}

/* Removes the queue's flag if no trace is under way, and takes the queue's lock for that. */
static void remove_flag(sq_queue_t *queue) {
    if (sq__trace_is_on()) {
        return;
    }
    sq__lock(queue);
    sq__control(queue, SQ__TRACED, 0);
    sq__unlock(queue);
}

uint32_t sq__trace_hook_number(const sq_queue_t *queue) {
    traced_t *traced = sq__extra(queue, SQ__EXTRA_TRACE);
    sq__session_t session = sq__load_relaxed(&sq__trace_session);
    if (traced == NULL || session == 0) {
        return 0;
    }
    uint64_t as = sq__load_acquire(&traced->as); /* [named] acquire: the name is on the list */
    if (as >> 32 == session) {
        return (uint32_t)as;
    }
    return sq__recorders_name(session, &traced->as, queue, queue->label, sq__load_relaxed(&queue->control) & SQ__CONCURRENT);
}

void sq__trace_hook_event(const sq_queue_t *queue, sq__entry_kind_t kind, unsigned detail, uint64_t where, uint64_t which) {
    uint32_t number = sq__trace_hook_number(queue);
    if (number != 0) {
        sq__trace_event(kind, detail, number, where, which);
    }
}

sq__session_t sq__trace_hook_wait(const sq_queue_t *queue, unsigned aim, uint64_t where, const void *site) {
    uint32_t number = sq__trace_hook_number(queue);
    return number != 0 ? sq__trace_open(SQ__EVENT_WAIT, aim, number, where, (uintptr_t)site) : 0;
}

static void refused(sq__session_t session) {
    sq__trace_close(session, SQ__EVENT_WAITED, EDEADLK, 0);
    sq__trace_happened("deadlock");
}

void sq__trace_hook_refused(sq_queue_t *queue, unsigned aim, const void *site) {
    if (!sq__trace_is_on()) {
        return;
    }
    sq__trace_hook_begin(queue);
    refused(sq__trace_hook_wait(queue, aim, 0, site));
}

void sq__trace_hook_refused_for(const char *what) {
    sq__trace_text(what);
    refused(sq__trace_open(SQ__EVENT_WAIT, 0, 0, 0, 0));
}

/* Returns the user's function behind the library's, and records its label, and what may be the code of a closure: `code`, or what a wrapper says.
 * *kind: the kind of the task, which a wrapper may replace. The contexts exist. */
static sq_function_t unwrap(sq_function_t function, const void *context, bool discards, uintptr_t code, unsigned *kind) {
    for (const sq__wrapper_t *wrapper; (wrapper = sq__wrapper_of(function)) != NULL;) {
        const char *label = wrapper->label != SQ__NOT_THERE ? (const char *)context + wrapper->label : "";
        if (label[0] != '\0') {
            sq__trace_text(label);
        }
        function = (sq_function_t)sq__wrapper_word(context, discards ? wrapper->discard : wrapper->run);
        code = sq__wrapper_word(context, wrapper->code);
        *kind = wrapper->kind != 0 ? wrapper->kind : *kind;
        context = (const void *)sq__wrapper_word(context, wrapper->context);
    }
    if (code != 0) {
        sq__trace_event(SQ__EVENT_CONTEXT, 0, 0, 0, code);
    }
    return function;
}

sq__session_t sq__trace_hook_start(sq_queue_t *queue, unsigned detail, uint64_t where, sq_function_t function, const void *context, bool is_pair) {
    unsigned kind = detail & SQ__EVENT_KIND;
    function = unwrap(function, context, detail & SQ__EVENT_DISCARDS, is_pair ? (uintptr_t)context : 0, &kind);
    detail = (detail & ~(unsigned)SQ__EVENT_KIND) | kind;
    uint32_t number = sq__trace_hook_number(queue);
    sq__session_t session = number != 0 ? sq__trace_open(SQ__EVENT_START, detail, number, where, (uintptr_t)function) : 0;
    if (session == 0) {
        remove_flag(queue);
    }
    return session;
}

sq__session_t sq__trace_hook_part(const char *label) {
    const sq__frame_t *frame = sq__self()->frame;
    const sq_queue_t *queue = frame != NULL ? frame->owner : NULL;
    uint32_t number = queue != NULL && sq__is_traced(queue) ? sq__trace_hook_number(queue) : 0;
    if (number == 0) {
        return 0;
    }
    sq__trace_text(label);
    return sq__trace_open(SQ__EVENT_START, SQ__PART_OF_TASK | SQ__EVENT_CALLS, number, 0, 0);
}

void sq__trace_hook_part_end(sq__session_t session) { sq__trace_close(session, SQ__EVENT_END, 0, 0); }

void sq__trace_hook_withdrawn(const sq_queue_t *queue, uint64_t where, sq_pair_function_t call, const void *context) {
    unsigned kind = SQ__PAIR;
    uint32_t number = sq__trace_hook_number(queue);
    if (number == 0) {
        return;
    }
    sq_function_t function = unwrap((sq_function_t)(void (*)(void))call, context, false, (uintptr_t)context, &kind);
    sq__trace_event(SQ__EVENT_WITHDRAWN, kind, number, where, (uintptr_t)function);
}

void sq__trace_hook_submit(const sq_queue_t *queue, uintptr_t kind, uint64_t where, const void *site) {
    sq__sited_put(queue, where, site);
    uint32_t number = sq__is_traced(queue) ? sq__trace_hook_number(queue) : 0;
    if (number != 0) {
        sq__trace_event(SQ__EVENT_SUBMIT, (unsigned)kind, number, where, (uintptr_t)site);
    }
}

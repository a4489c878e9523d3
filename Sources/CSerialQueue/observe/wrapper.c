/* wrapper.c: functions of the library that a queue calls in place of the user's, and where the user's are found. A trace and a dump show
 * those.
 *
 * DESIGN. The first word of such a function's context points to a record. The wrapper says at which byte of the record the user's function
 * is. Wrappers are never removed. */
#include "observe/observe_inline.h"

#include "platform/layout.h"
#include "platform/peek.h"

#include <string.h>

static SQ__ATOMIC(sq__wrapper_t *) first;

/* By one thread at a time: while the library is loaded, and once by the Swift layer. */
void sq__wrapper_add(sq__wrapper_t *wrapper) {
    wrapper->next = sq__load_relaxed(&first);
    sq__store_release(&first, wrapper); /* [wrapper] release: its fields */
}

const sq__wrapper_t *sq__wrapper_of(sq_function_t function) {
    const sq__wrapper_t *wrapper = sq__load_acquire(&first); /* [wrapper] acquire: the fields of all */
    while (wrapper != NULL && wrapper->function != function) {
        wrapper = wrapper->next;
    }
    return wrapper;
}

uintptr_t sq__wrapper_word(const void *record, uint16_t at) {
    uintptr_t word = 0;
    if (at != SQ__NOT_THERE) {
        memcpy(&word, (const char *)record + at, sizeof word);
    }
    return word;
}

uintptr_t sq__wrapper_peek(const void *record, uint16_t at) {
    uintptr_t word = 0;
    return at != SQ__NOT_THERE && record != NULL && sq__peek(sq__peek_at(record, at), &word, sizeof word) ? word : 0;
}

const sq__layout_t sq__wrapper_layout[] = {
    SQ__LAYOUT_LIST(first, "wrappers"),
    SQ__LAYOUT_FIELD(sq__wrapper_t, function),
    SQ__LAYOUT_FIELD(sq__wrapper_t, run),
    SQ__LAYOUT_FIELD(sq__wrapper_t, context),
    SQ__LAYOUT_FIELD(sq__wrapper_t, next),
    SQ__LAYOUT_CONSTANT(SQ__NOT_THERE),
    { .name = "" },
};

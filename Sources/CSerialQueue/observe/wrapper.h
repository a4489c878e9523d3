/* wrapper.h: functions of the library that a queue calls in place of the user's, and where the user's are found. A trace and a dump show
 * those.
 *
 * DESIGN. The first word of such a function's context points to a record. The wrapper says at which byte of the record the user's function
 * is. Wrappers are never removed. */
#pragma once

#include "include/sq_types.h"
#include "platform/atomic.h"

#include <stdint.h>

/* In place of a byte of the record: it has no such field. */
enum { SQ__NOT_THERE = UINT16_MAX };

/* Fixed once it was added. */
typedef struct sq__wrapper {
    sq_function_t function; /* the library's, of a task or a pair */
    const char *name;       /* what it is, in words, if the record cannot be read */
    uint16_t run, discard;  /* the user's functions: for a task that runs, and for one that is discarded */
    uint16_t context;       /* the context of the user's function, which may be a wrapper, too */
    uint16_t code;          /* a word that is the code of a closure, perhaps */
    uint16_t label;         /* a text within the record, perhaps empty */
    uint8_t kind;           /* what a trace calls the task, in place of its kind of work (trace/trace_event.h); 0: that */
    struct sq__wrapper *next;
} sq__wrapper_t;

void sq__wrapper_add(sq__wrapper_t *wrapper);

/* The wrapper with this function; NULL: it is not the library's. */
const sq__wrapper_t *sq__wrapper_of(sq_function_t function);

/* Reads a word of the record, which exists; 0: it has no such field. */
uintptr_t sq__wrapper_word(const void *record, uint16_t at);

/* The same of a record that may be gone. */
uintptr_t sq__wrapper_peek(const void *record, uint16_t at);

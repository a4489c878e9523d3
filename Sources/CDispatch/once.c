/* once.c: running a function once in the life of the process.
 *
 * A predicate is one word: 0; then the address of the core's record, by which threads wait and cycles are found; and at the end ~0. */
#include "block.h"
#include "fail.h"
#include "global.h"
#include <stdlib.h>

/* A record may be in use when its function has returned, so none is freed. The list keeps them in reach for tools that look for leaks. */
struct record {
    sq_once_t once;
    struct record *next;
};

static _Atomic(struct record *) records;

/* The record of a predicate; NULL: its function has returned. */
static struct record *record_of(dispatch_once_t *predicate) {
    /* Acquire and release: the record is complete. */
    dispatch_once_t value = __atomic_load_n(predicate, __ATOMIC_ACQUIRE);
    if (value == 0) {
        struct record *mine = sq__dispatch_allocate("dispatch_once", sizeof *mine);
        if (__atomic_compare_exchange_n(predicate, &value, (dispatch_once_t)mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            mine->next = atomic_load_explicit(&records, memory_order_relaxed);
            while (!atomic_compare_exchange_weak_explicit(&records, &mine->next, mine, memory_order_relaxed, memory_order_relaxed)) {
            }
            return mine;
        }
        free(mine);
    }
    return value == ~(dispatch_once_t)0 ? NULL : (struct record *)value;
}

void sq_dispatch_once_f(dispatch_once_t *predicate, void *context, dispatch_function_t function) {
    struct record *record = record_of(predicate);
    if (record != NULL) {
        sq__dispatch_will_wait();
        sq__dispatch_check("dispatch_once", sq_once(&record->once, function, context), NULL);
        __atomic_store_n(predicate, ~(dispatch_once_t)0, __ATOMIC_RELEASE);
    }
}

void sq_dispatch_once(dispatch_once_t *predicate, void *block) {
    sq_dispatch_once_f(predicate, block, sq__dispatch_call_block);
}

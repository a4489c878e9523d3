/* once.h: running a function once in the life of the process. Include <dispatch/dispatch.h>. */
#ifndef SQ_DISPATCH_ONCE_H
#define SQ_DISPATCH_ONCE_H

#include <dispatch/base.h>

SQ_DISPATCH_BEGIN

/** Whether a function has run. A static variable, initialised with 0. */
typedef intptr_t dispatch_once_t;

/** The part of dispatch_once_f that is not inlined. */
void sq_dispatch_once_f(dispatch_once_t *predicate, void *context, dispatch_function_t function);

/**
 * Calls a function unless a call for the same predicate has done so; returns after that function.
 *
 * A recursion, or a cycle of threads that wait for each other, ends the process with a message.
 */
static inline void dispatch_once_f(dispatch_once_t *predicate, void *context, dispatch_function_t function) {
    if (DISPATCH_EXPECT(__atomic_load_n(predicate, __ATOMIC_ACQUIRE) != ~(intptr_t)0, 0)) {
        sq_dispatch_once_f(predicate, context, function);
    }
}

#ifdef __BLOCKS__
/** The part of dispatch_once that is not inlined. */
void sq_dispatch_once(dispatch_once_t *predicate, DISPATCH_NOESCAPE dispatch_block_t block);

/** As dispatch_once_f, with a block. */
static inline void dispatch_once(dispatch_once_t *predicate, DISPATCH_NOESCAPE dispatch_block_t block) {
    if (DISPATCH_EXPECT(__atomic_load_n(predicate, __ATOMIC_ACQUIRE) != ~(intptr_t)0, 0)) {
        sq_dispatch_once(predicate, block);
    }
}
#endif

SQ_DISPATCH_END
#endif

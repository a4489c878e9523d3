/* swift_call.c: lends a non-escaping Swift closure to the queue for the length of one call.
 *
 * DESIGN
 *   A Swift closure is two words, its code and its context. A C function takes one context, so the pair must be stored
 *   in memory. Swift can do that only for an escaping closure, and withoutActuallyEscaping makes one on the heap (one to
 *   two allocations per sync, measured, also with -O). Here the pair arrives in registers, with clang's calling
 *   convention for Swift, and is kept on this function's stack until the queue has run it. The context is never retained
 *   or released: for a non-escaping closure it is a plain stack frame, not an object.
 *
 *   The Swift functions that call these are transparent: they are inlined into their callers, in debug builds, too. So the return address
 *   is in the user's code, and is the call site.
 */
#include "sq_swift_call.h"

#include <stdlib.h>
#include <string.h>

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_CONTEXT __attribute__((swift_context))

/* () -> Void, as Swift calls it. */
typedef SWIFT_CALL void (*swift_code_t)(SWIFT_CONTEXT void *context);

typedef struct {
    swift_code_t code;
    void *context;
} swift_closure_t;

static void call_closure(void *closure_on_the_stack)
{
    const swift_closure_t *closure = closure_on_the_stack;
    closure->code(closure->context);
}

static __attribute__((constructor)) void show_closures_in_traces(void) { sq__trace_closures_of(call_closure, 0); }

__attribute__((noinline)) const void *sq_swift_here(void) { return __builtin_return_address(0); }

/* Declared in BorrowedClosure.swift as (OpaquePointer, () -> Void) -> CInt: Swift passes the closure as its two words. */
SWIFT_CALL int sq__swift_sync(sq_queue_t *queue, swift_code_t code, void *context);
SWIFT_CALL int sq__swift_sync_or_run(sq_queue_t *queue, swift_code_t code, void *context);
SWIFT_CALL int sq__swift_sync_until(sq_queue_t *queue, sq_time_t deadline, swift_code_t code, void *context);
SWIFT_CALL int sq__swift_sync_barrier(sq_queue_t *queue, sq_time_t deadline, swift_code_t code, void *context);
SWIFT_CALL int sq__swift_async_and_wait(sq_queue_t *queue, sq_time_t deadline, swift_code_t code, void *context);
SWIFT_CALL int sq__swift_run_and_wait(sq_queue_t *queue, sq_time_t deadline, swift_code_t code, void *context);

SWIFT_CALL int sq__swift_sync(sq_queue_t *queue, swift_code_t code, void *context)
{
    swift_closure_t closure = {code, context};
    return sq__sync(queue, SQ_FOREVER, call_closure, &closure, __builtin_return_address(0));
}

SWIFT_CALL int sq__swift_sync_or_run(sq_queue_t *queue, swift_code_t code, void *context)
{
    swift_closure_t closure = {code, context};
    return sq__sync_or_run(queue, call_closure, &closure, __builtin_return_address(0));
}

SWIFT_CALL int sq__swift_sync_until(sq_queue_t *queue, sq_time_t deadline, swift_code_t code, void *context)
{
    swift_closure_t closure = {code, context};
    return sq__sync(queue, deadline, call_closure, &closure, __builtin_return_address(0));
}

SWIFT_CALL int sq__swift_sync_barrier(sq_queue_t *queue, sq_time_t deadline, swift_code_t code, void *context)
{
    swift_closure_t closure = {code, context};
    return sq__sync_barrier(queue, deadline, call_closure, &closure, __builtin_return_address(0));
}

SWIFT_CALL int sq__swift_async_and_wait(sq_queue_t *queue, sq_time_t deadline, swift_code_t code, void *context)
{
    swift_closure_t closure = {code, context};
    return sq__async_and_wait(queue, deadline, call_closure, &closure, __builtin_return_address(0));
}

SWIFT_CALL int sq__swift_run_and_wait(sq_queue_t *queue, sq_time_t deadline, swift_code_t code, void *context)
{
    swift_closure_t closure = {code, context};
    /* 1: a limit of zero (Deadline.swift). A free queue is taken then, and only SQ_NOW does that. */
    return sq__run_and_wait(queue, deadline == 1 ? SQ_NOW : deadline, call_closure, &closure, __builtin_return_address(0));
}

/* (Int) -> Void. Several threads call it at the same time: the closure is @Sendable. */
typedef SWIFT_CALL void (*swift_iteration_t)(size_t index, SWIFT_CONTEXT void *context);

typedef struct {
    swift_iteration_t code;
    void *context;
} swift_loop_t;

static void call_iteration(void *loop_on_the_stack, size_t index)
{
    const swift_loop_t *loop = loop_on_the_stack;
    loop->code(index, loop->context);
}

SWIFT_CALL int sq__swift_apply(sq_pool_t *pool, size_t count, swift_iteration_t code, void *context);

SWIFT_CALL int sq__swift_apply(sq_pool_t *pool, size_t count, swift_iteration_t code, void *context)
{
    swift_loop_t loop = {code, context};
    return sq__apply_code(pool, count, call_iteration, &loop, (uintptr_t)code);
}

SWIFT_CALL int sq__swift_once(sq_once_t *once, swift_code_t code, void *context);

SWIFT_CALL int sq__swift_once(sq_once_t *once, swift_code_t code, void *context)
{
    swift_closure_t closure = {code, context};
    return sq_once_slow(once, call_closure, &closure);
}

/* Whether a closure comes as the words that Swift has in memory (SwiftABI.swift). */
SWIFT_CALL _Bool sq__swift_is_lent(uintptr_t code, const void *context, swift_code_t lent_code, const void *lent_context);

SWIFT_CALL _Bool sq__swift_is_lent(uintptr_t code, const void *context, swift_code_t lent_code, const void *lent_context)
{
    return (uintptr_t)lent_code == code && lent_context == context;
}

const char *sq_swift_compiler(void) { return __VERSION__; }

/* Part of the runtime's stable interface: compiled code calls it. */
SWIFT_CALL void swift_continuation_resume(void *continuation);

void sq_swift_resume(void *continuation) { swift_continuation_resume(continuation); }

SWIFT_CALL void swift_task_enqueueGlobal(void *job);

void sq_swift_enqueue_global(void *job) { swift_task_enqueueGlobal(job); }

char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

char *sq_swift_demangle(const char *name) { return swift_demangle(name, strlen(name), NULL, NULL, 0); }

void sq_swift_free(char *text) { free(text); }

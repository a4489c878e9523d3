/* fail.h: ending the process with a message, where libdispatch would crash without one, or hang. */
#ifndef SQ_DISPATCH_FAIL_H
#define SQ_DISPATCH_FAIL_H

#include "record.h"

/** Ends the process. Says the call, and what is wrong. */
_Noreturn void sq__dispatch_fail(const char *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Ends the process because a call of the core has returned an error. */
_Noreturn void sq__dispatch_fail_with(const char *call, int error, dispatch_queue_t queue);

/** Does nothing if `error` is 0. */
static inline void sq__dispatch_check(const char *call, int error, dispatch_queue_t queue) {
    if (__builtin_expect(error != 0, 0)) {
        sq__dispatch_fail_with(call, error, queue);
    }
}

/** Returns memory that is zero; without memory the process ends. */
void *sq__dispatch_allocate(const char *call, size_t size);

#endif

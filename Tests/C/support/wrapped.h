/* wrapped.h: system calls that one test program makes fail, besides those of inject.h. The program is linked with --wrap for them
 * (make/check-own.mk). Before it includes this, it lists them: `enum { ATTR_INIT, ..., CALLS };`. */
#ifndef TEST_WRAPPED_H
#define TEST_WRAPPED_H

#include <stdatomic.h>
#include <stdbool.h>

/* From which call on each of them fails; 0: never. */
static atomic_long fails_from[CALLS];

static bool fails(int call) {
    long left = fails_from[call];
    return left > 0 && (left == 1 || atomic_fetch_sub(&fails_from[call], 1) == 1);
}

/* A function of this type that fails with this result. */
#define WRAP(call, type, name, parameters, arguments, failure) \
    type __real_##name parameters;                             \
    type __wrap_##name parameters;                             \
    type __wrap_##name parameters { return fails(call) ? (failure) : __real_##name arguments; }

#endif

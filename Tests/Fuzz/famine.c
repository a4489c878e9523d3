/* famine.c: allocations that fail. The fuzzer is linked with --wrap, as Tests/C/support/inject.c is, and for the same reason. */
#include "drive.h"
#include "memory/blocks.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);

static _Thread_local unsigned calls_left; /* 0: nothing fails */
static _Thread_local bool has_failed;

void famine_begin(unsigned nth) {
    calls_left = nth;
    has_failed = false;
}

bool famine_end(void) {
    calls_left = 0;
    return has_failed;
}

static bool must_fail(void) {
    if (calls_left == 0) {
        return false;
    }
    calls_left -= 1;
    has_failed = has_failed || calls_left == 0;
    return calls_left == 0;
}

/* A queue's segment: whether the store has a free one must not decide. */
void *__real_sq__blocks_take(sq__blocks_t *blocks, uint32_t lane, uint32_t *number);
void *__wrap_sq__blocks_take(sq__blocks_t *blocks, uint32_t lane, uint32_t *number) { return must_fail() ? NULL : __real_sq__blocks_take(blocks, lane, number); }

void *__wrap_malloc(size_t size) {
    if (must_fail()) {
        errno = ENOMEM;
        return NULL;
    }
    return __real_malloc(size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    if (must_fail()) {
        errno = ENOMEM;
        return NULL;
    }
    return __real_aligned_alloc(alignment, size);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    return must_fail() ? EAGAIN : __real_pthread_create(thread, attributes, body, argument);
}

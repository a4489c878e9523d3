/* semaphore.c: counting semaphores.
 *
 * The value is counted here, so that a signal knows whether it wakes a thread: below 0 it is the number of threads that wait, each of which gets
 * one permit of the core's semaphore. */
#include "fail.h"
#include "queue.h"
#include "when.h"
#include <errno.h>
#include <sq_private.h>
#include <stdlib.h>

struct dispatch_semaphore_s {
    struct dispatch_object_s object;
    _Atomic intptr_t value; /* A */
    sq_semaphore_t *core;   /* I: its permits are those of threads that were woken */
};

static const sq__dispatch_kind_t kind;

dispatch_semaphore_t dispatch_semaphore_create(intptr_t value) {
    if (value < 0) {
        return NULL;
    }
    dispatch_semaphore_t semaphore = sq__dispatch_allocate("dispatch_semaphore_create", sizeof *semaphore);
    sq__dispatch_begin(&semaphore->object, &kind);
    atomic_init(&semaphore->value, value);
    semaphore->core = sq_semaphore_create(NULL, 0);
    sq__dispatch_check("dispatch_semaphore_create", semaphore->core == NULL ? errno : 0, NULL);
    sq__made_by(sq_semaphore_label(semaphore->core), __builtin_return_address(0));
    return semaphore;
}

static void end(void *object) {
    dispatch_semaphore_t semaphore = object;
    sq_semaphore_release(semaphore->core);
    sq__dispatch_finalize(&semaphore->object);
    free(semaphore);
}

static const sq__dispatch_kind_t kind = { .name = "semaphore", .end = end };

intptr_t dispatch_semaphore_signal(dispatch_semaphore_t semaphore) {
    /* Release pairs with the acquire in a wait that takes the value. */
    if (atomic_fetch_add_explicit(&semaphore->value, 1, memory_order_release) >= 0) {
        return 0;
    }
    sq__dispatch_check("dispatch_semaphore_signal", sq_semaphore_signal(semaphore->core), NULL);
    return 1;
}

/* After a timeout: takes the caller out of the threads that wait. False: a signal has counted it already, and its permit is there or will be. */
static bool withdraw(dispatch_semaphore_t semaphore) {
    intptr_t value = atomic_load_explicit(&semaphore->value, memory_order_relaxed);
    while (value < 0) {
        if (atomic_compare_exchange_weak_explicit(&semaphore->value, &value, value + 1, memory_order_relaxed, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

intptr_t dispatch_semaphore_wait(dispatch_semaphore_t semaphore, dispatch_time_t timeout) {
    if (atomic_fetch_sub_explicit(&semaphore->value, 1, memory_order_acquire) > 0) {
        return 0;
    }
    int error = sq_semaphore_wait(semaphore->core, sq__dispatch_deadline(timeout));
    if (error == ETIMEDOUT || error == EAGAIN) {
        if (withdraw(semaphore)) {
            return sq__dispatch_timed_out();
        }
        error = sq_semaphore_wait(semaphore->core, SQ_FOREVER);
    }
    sq__dispatch_check("dispatch_semaphore_wait", error, NULL);
    return 0;
}

/* once.c: running a function once.
 *
 * DESIGN. The state word, in the caller's memory, goes one way:
 *
 *     FRESH                     not called yet
 *     RUNNING, process          a thread of that process is inside the function; `reserved` points to its record
 *     SQ_ONCE_DONE              the function has returned; from now on a call is one load
 *
 * All steps but the load are taken under the once's lock (object_lock.h). The record of the running thread lies on its stack: it has
 * the list of waiting threads, and is one of the thread's duties (self.h), so that a cycle through it is found like one through
 * a queue. The function's end detaches the list and wakes all; the once itself may be freed from then on.
 *
 * In the child of a fork the thread that runs the function may not exist. A call there is refused, unless it was that thread
 * that forked: then the function ends there, too, and the once is done; the waiters on its list are the parent's. */
#include "include/sq_once.h"

#include "objects/object_lock.h"
#include "objects/waiters.h"
#include "platform/unwind.h"
#include "wait/wait.h"

#include <errno.h>
#include <stdio.h>

enum { FRESH = 0, RUNNING = 2, PROCESS_SHIFT = 8 };

_Static_assert(sizeof(SQ__ATOMIC(uintptr_t)) == sizeof(uintptr_t), "the public struct has no atomic type");

/* On the stack of the thread that runs the function. L under the once's lock. */
typedef struct running {
    sq__duty_t duty;            /* T */
    sq__object_waiters_t waiters; /* L */
} running_t;

static SQ__ATOMIC(uintptr_t) *progress_of(sq_once_t *once) { return (SQ__ATOMIC(uintptr_t) *)&once->state; }

static uintptr_t running_here(void) { return RUNNING | (uintptr_t)sq__process() << PROCESS_SHIFT; }

/* True: the calling thread is inside the function of this once. */
static bool is_inside(const sq_once_t *once) {
    const sq__duty_t *duty = sq__self()->duty;
    while (duty != NULL && duty->what != once) {
        duty = duty->parent;
    }
    return duty != NULL;
}

/* After `begin` has returned true: calls the function as a duty of this thread, then sets DONE and grants all waits. The once may be freed on
 * return. */
static void run(sq_once_t *once, running_t *running, sq_function_t function, void *context) {
    SQ__NOBODY_UNWINDS_THROUGH;
    SQ__ATOMIC(uintptr_t) *progress = progress_of(once);
    sq__self_t *self = sq__self_listed();
    running->duty = (sq__duty_t){ .what = once, .parent = self->duty };
    self->duty = &running->duty;
    function(context);
    self->duty = running->duty.parent;
    sq__object_lock(once);
    bool has_forked = sq__load_relaxed(progress) != running_here();
    /* [once] release: what the function wrote. */
    sq__store_release(progress, SQ_ONCE_DONE);
    if (!has_forked) {
        sq__object_waiters_grant(&running->waiters);
    }
    sq__object_unlock(once);
}

/* Called when another thread of this process was found to run the function, with no lock held. Returns 0 (done), EDEADLK or ENOMEM. */
static int wait_until_done(sq_once_t *once) {
    char label[24];
    SQ__ATOMIC(uintptr_t) *progress = progress_of(once);
    snprintf(label, sizeof label, "%p", (void *)once);
    const sq__subject_t subject = { .kind = "once", .label = label, .object = once };
    sq__object_waiter_t waiter = { .wait.subject = &subject };
    int error = sq__wait_begin(&waiter.wait, false);
    if (error) {
        return error;
    }
    sq__object_lock(once);
    bool waits = sq__load_relaxed(progress) == running_here(); /* else it is done, and the lock has ordered what the function wrote */
    running_t *running = once->reserved;
    return sq__object_wait_and_unlock(once, &running->waiters, &waiter, waits, SQ_FOREVER);
}

/* Takes the once's lock, and decides what the caller does. True: it runs the function, with this record. Else see *error: 0: it is done; EAGAIN: it
 * has to wait; EINVAL: it has no function; ESTALE: the function runs in the parent. */
static bool begin(sq_once_t *once, running_t *running, bool has_function, int *error) {
    SQ__ATOMIC(uintptr_t) *progress = progress_of(once);
    sq__object_lock(once);
    uintptr_t state = sq__load_relaxed(progress);
    bool is_mine = state == FRESH && has_function;
    if (is_mine) {
        sq__store_relaxed(progress, running_here());
        once->reserved = running;
    }
    sq__object_unlock(once);
    *error = state == SQ_ONCE_DONE ? 0 : state == FRESH ? EINVAL : state == running_here() ? EAGAIN : ESTALE;
    return is_mine;
}

int sq_once_slow(sq_once_t *once, sq_function_t function, void *context) {
    running_t running = { .waiters = { 0 } };
    SQ__ATOMIC(uintptr_t) *progress = progress_of(once);
    int error;
    /* [once] acquire: what the function wrote. */
    if (sq__load_acquire(progress) == SQ_ONCE_DONE) {
        return 0;
    }
    if (is_inside(once)) {
        sq__deadlock_report_once_inside_itself(once);
        return EDEADLK;
    }
    if (begin(once, &running, function != NULL, &error)) {
        run(once, &running, function, context);
        return 0;
    }
    return error == EAGAIN ? wait_until_done(once) : error;
}

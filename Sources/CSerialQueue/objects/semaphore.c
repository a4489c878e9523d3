/* semaphore.c: counting semaphores.
 *
 * DESIGN. One word has the number of permits and a flag:
 *
 *     { permits: n }             no thread waits; a wait takes one, a signal adds one, by one compare-and-swap each
 *     { permits: 0, WAITED }     threads are on the list of waiters
 *
 * While WAITED is set there is no permit to take, and a signal goes to the lock. So the flag and the list change under the lock
 * only, nobody overtakes those on the list, and a permit goes from the signal directly to the first of them. A grant can
 * find that a waiter has withdrawn because its deadline has passed; then the signal tries the next one, so no permit is lost. If the
 * grant comes first, the waiter fails to withdraw, and has the permit after all.
 *
 * A waiting thread holds a reference, so its deadline may pass after all others have released the semaphore. A signal
 * changes the word before it grants, and nothing after: the granted thread may free the semaphore at once. */
#include "include/sq_semaphore.h"

#include "objects/object_lock.h"
#include "objects/waiters.h"
#include "platform/memory.h"
#include "thread/explored.h"

#include <errno.h>
#include <string.h>

/* Fields: I fixed after create, L under the object's lock, A atomic. */
struct sq_semaphore {
    SQ__ATOMIC(uint64_t) permits;     /* A  permits * ONE, or WAITED */
    SQ__ATOMIC(uint32_t) references;  /* A */
    uint32_t process;                 /* I  see process.h */
    sq__object_waiters_t waiters;       /* L */
    char label[];                     /* I */
};

#define WAITED ((uint64_t)1)
#define ONE ((uint64_t)2)
#define MOST ((uint64_t)SQ_SEMAPHORE_MAX * ONE)

sq_semaphore_t *sq_semaphore_create(const char *label, size_t value) {
    if (value > SQ_SEMAPHORE_MAX) {
        errno = EINVAL;
        return NULL;
    }
    sq_semaphore_t *semaphore = sq__object_memory(sizeof *semaphore, offsetof(sq_semaphore_t, label), label, __builtin_return_address(0));
    if (semaphore != NULL) {
        sq__store_relaxed(&semaphore->permits, value * ONE);
        sq__store_relaxed(&semaphore->references, 1);
        semaphore->process = sq__process();
    }
    return semaphore;
}

sq_semaphore_t *sq_semaphore_retain(sq_semaphore_t *semaphore) {
    sq__add_relaxed(&semaphore->references, 1);
    return semaphore;
}

void sq_semaphore_release(sq_semaphore_t *semaphore) {
    /* [reference] release: our use of the semaphore; acquire, if it was the last: everybody's. */
    if (semaphore != NULL && sq__sub_acq_rel(&semaphore->references, 1) == 1) {
        sq__memory_free(semaphore);
    }
}

const char *sq_semaphore_label(const sq_semaphore_t *semaphore) { return semaphore->label; }

/* Takes a permit, with or without the lock. False: there is none. */
static inline bool take(sq_semaphore_t *semaphore) {
    uint64_t permits = sq__load_relaxed(&semaphore->permits);
    while (permits >= ONE) {
        /* [permit] acquire: what was written before the signal. */
        if (sq__cas_acquire(&semaphore->permits, &permits, permits - ONE)) {
            return true;
        }
    }
    return false;
}

/* Adds a permit, with or without the lock, and sets *error to 0. False: threads wait, and *error is as before; or *error is EOVERFLOW: there are too
 * many. */
static inline bool add(sq_semaphore_t *semaphore, int *error) {
    uint64_t permits = sq__load_relaxed(&semaphore->permits);
    while (!(permits & WAITED)) {
        if (permits >= MOST) {
            *error = EOVERFLOW;
            return false;
        }
        /* [permit] release: what was written before. */
        if (sq__cas_release(&semaphore->permits, &permits, permits + ONE)) {
            *error = 0;
            return true;
        }
    }
    return false;
}

/* L. True: has taken a permit. False: there was none, and WAITED is set, so that the next one goes to the list of waiters. */
static bool take_or_flag(sq_semaphore_t *semaphore) {
    uint64_t permits;
    do {
        if (take(semaphore)) {
            return true;
        }
        permits = 0;
    } while (!sq__cas_relaxed(&semaphore->permits, &permits, WAITED) && permits != WAITED);
    return false;
}

/* L. Clears WAITED if the list is empty: from then on a signal adds a permit. */
static void unflag_if_nobody_waits(sq_semaphore_t *semaphore) {
    if (semaphore->waiters.first == NULL && sq__load_relaxed(&semaphore->permits) == WAITED) {
        sq__store_relaxed(&semaphore->permits, 0);
    }
}

/* sq_semaphore_wait without a permit at hand. Has a reference while it sleeps. */
static __attribute__((noinline)) int wait_in_line(sq_semaphore_t *semaphore, sq_time_t deadline) {
    if (semaphore->process != sq__process()) {
        return ESTALE;
    }
    int error = sq__wait_check_deadline(deadline);
    if (error) {
        return error;
    }
    const sq__subject_t subject = { .kind = "semaphore", .label = semaphore->label };
    sq__object_waiter_t waiter = { .wait.subject = &subject };
    error = sq__wait_begin(&waiter.wait, false);
    if (error) {
        return error;
    }
    sq__object_lock(semaphore);
    bool waits = !take_or_flag(semaphore);
    if (waits) {
        sq_semaphore_retain(semaphore);
    }
    error = sq__object_wait_and_unlock(semaphore, &semaphore->waiters, &waiter, waits, deadline);
    if (error) {
        sq__object_lock(semaphore);
        unflag_if_nobody_waits(semaphore);
        sq__object_unlock(semaphore);
    }
    if (waits) {
        sq_semaphore_release(semaphore);
    }
    return error;
}

/* sq_semaphore_wait while a test is explored: another task may go first, and take the permit. */
static __attribute__((noinline)) int wait_explored(sq_semaphore_t *semaphore, sq_time_t deadline) {
    if (sq__load_relaxed(&semaphore->permits) >= ONE) {
        sq__explored_pause("asks for a permit of semaphore", semaphore->label, NULL);
    }
    if (!take(semaphore)) {
        return wait_in_line(semaphore, deadline);
    }
    sq__explored_pause_after();
    return 0;
}

int sq_semaphore_wait(sq_semaphore_t *semaphore, sq_time_t deadline) {
    if (__builtin_expect(sq__self()->explored != NULL, 0)) {
        return wait_explored(semaphore, deadline);
    }
    return __builtin_expect(take(semaphore), 1) ? 0 : wait_in_line(semaphore, deadline);
}

/* Gives the permit to the first waiter that has not withdrawn, or else to the semaphore. Returns 0, EOVERFLOW or ESTALE. After 0 a waiter may have
 * freed the semaphore. */
static __attribute__((noinline)) int signal_waiter(sq_semaphore_t *semaphore) {
    int error = 0;
    bool is_given = false;
    sq_await_entry_t *await = NULL;
    if (semaphore->process != sq__process()) {
        return ESTALE;
    }
    sq__object_lock(semaphore);
    while (!is_given && error == 0) {
        sq_await_entry_t *entry = sq__object_waiters_pop(&semaphore->waiters);
        unflag_if_nobody_waits(semaphore); /* before the grant: see above */
        await = entry != NULL && entry->await != NULL ? entry : NULL;
        is_given = entry != NULL ? sq__object_entry_grant(entry) : add(semaphore, &error);
    }
    sq__object_unlock(semaphore);
    sq__awaits_end(await);
    return error;
}

int sq_semaphore_signal(sq_semaphore_t *semaphore) {
    int error = 0;
    return __builtin_expect(add(semaphore, &error), 1) || error ? error : signal_waiter(semaphore);
}

/* Without a thread */

int sq_semaphore_await(sq_semaphore_t *semaphore, sq_await_t *await) {
    if (take(semaphore)) {
        return 0;
    }
    if (semaphore->process != sq__process()) {
        return ESTALE;
    }
    sq__object_lock(semaphore);
    bool has_permit = take_or_flag(semaphore);
    if (!has_permit) {
        sq__object_waiters_append_await(&semaphore->waiters, await);
    }
    sq__object_unlock(semaphore);
    return has_permit ? 0 : EINPROGRESS;
}

bool sq_semaphore_withdraw(sq_semaphore_t *semaphore, sq_await_t *await) {
    sq__object_lock(semaphore);
    bool is_withdrawn = sq__object_waiters_remove_await(&semaphore->waiters, await, semaphore->process);
    unflag_if_nobody_waits(semaphore);
    sq__object_unlock(semaphore);
    return is_withdrawn;
}

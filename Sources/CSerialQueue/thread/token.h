/* token.h: the object on which a thread waits.
 *
 * DESIGN. A token is a state word with its own mutex and condition variable. The word holds the ID of the current wait and
 * the state of that wait:
 *
 *     { id, OVER }               no thread waits: never used, withdrawn by the waiter, or refused
 *     { id, WAITING }            prepared; the waiter spins, or has not started to wait
 *     { id, SLEEPING }           the waiter sleeps on the condition: the thread that ends the wait must signal it
 *     { id, WAITING, CLAIMED }   as above, but the wait can no longer be withdrawn: another thread is doing the work that
 *     { id, SLEEPING, CLAIMED }  the waiter waits for
 *     { id, GRANTED }            the waiter has the baton, or the claimed work is done
 *
 * OVER and GRANTED stay until the next prepare. Grant, refusal, claim and withdrawal are each one compare-and-swap of the
 * word (sq__token_step), and each names the wait's ID. One that arrives after the wait is over fails, even if the token is already used for
 * another wait.
 *
 * Tokens are never freed: one that its thread no longer needs goes to a list, for reuse by another thread. So a late grant
 * can safely read and signal a token whose waiter has left: the next waiter sees a spurious wake-up. There are never more
 * tokens than the largest number of threads that waited at the same time.
 *
 * A wait has three phases (Documentation/Performance.md has the figures). The waiter first spins for a short time, in case
 * the baton is about to come from another processor. Then it yields a few dozen times, in case the baton's holder needs this
 * processor. Then it sleeps. The first two are skipped where they do not pay (spin.h). */
#pragma once

#include "thread/spin.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sq__token sq__token_t;
typedef uint64_t sq__wait_id_t;

/* Returns an unused token, or NULL without memory. Return it with sq__token_recycle. */
sq__token_t *sq__token_acquire(void);
void sq__token_recycle(sq__token_t *token);
void sq__token_recycle_locked(sq__token_t *token); /* the caller holds the list's lock */

/* T. Begins a wait and returns its ID. Called by the thread that will wait, before any other thread can grant the wait. */
sq__wait_id_t sq__token_prepare(sq__token_t *token);

/* Grants this wait: the waiter now has the baton, or learns that its claimed work is done. Returns false if the wait was
 * withdrawn: the caller still holds the baton. After true the caller must not touch anything that the baton protects. */
bool sq__token_grant(sq__token_t *token, sq__wait_id_t wait_id);

/* Refuses this wait. Returns false if it was already withdrawn, or if it is claimed. */
bool sq__token_refuse(sq__token_t *token, sq__wait_id_t wait_id);

/* T. Records what this wait is in: a queue where it has a slot, or is about to take one; or a record of the cache (cache.h). Valid until the next prepare. */
void sq__token_wait_in(sq__token_t *token, const void *line);

/* What the last call above has recorded since the last prepare; NULL: nothing. By a thread that knows that both came before. */
const void *sq__token_line(const sq__token_t *token);

/* Refuses each open wait in this queue whose thread has taken its slot, except claimed ones. Any thread may call this. */
void sq__token_refuse_line(const void *line);

/* Claims this wait, at most once: the waiter can no longer withdraw it. Returns false if the wait is over. */
bool sq__token_claim(sq__token_t *token, sq__wait_id_t wait_id);

typedef enum sq__outcome {
    SQ__OPEN,     /* not decided yet */
    SQ__GRANTED,  /* the granter's writes are visible */
    SQ__REFUSED,  /* the refuser's writes are visible */
    SQ__WITHDRAWN /* the caller has withdrawn it: it will never be granted */
} sq__outcome_t;

/* T. Spins for at most `pauses` pauses. SQ__OPEN: not decided yet. */
sq__outcome_t sq__token_spin(sq__token_t *token, sq__wait_id_t wait_id, sq__spin_t kind, unsigned pauses);

/* T. Yields the processor once, if that pays at present. SQ__OPEN: not decided yet. */
sq__outcome_t sq__token_yield_once(sq__token_t *token, sq__wait_id_t wait_id, sq__spin_t kind);

/* T. Yields the processor repeatedly, at most until the deadline. SQ__OPEN: not decided yet. */
sq__outcome_t sq__token_yield(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline);

/* T. Sleeps until the wait is decided; withdraws it when the deadline passes first. Returns SQ__OPEN only after a wake-up. The only function that
 * sleeps. */
sq__outcome_t sq__token_sleep(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline);

/* The same, but when the deadline passes first, the wait stays open, and SQ__OPEN is returned. */
sq__outcome_t sq__token_timed_sleep(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline);

/* T. Withdraws the wait. Returns SQ__WITHDRAWN, the outcome if it was already decided, or SQ__OPEN if it is claimed. */
sq__outcome_t sq__token_withdraw(sq__token_t *token, sq__wait_id_t wait_id);

/* Ends this sleep of the token's thread, or its next one, without a decision. */
void sq__token_wake(sq__token_t *token);

/* T. Earlier wake-ups have no effect on later sleeps. Call it when no thread can wake the token up any more, before the token is used for
 * something else. */
void sq__token_forget_wake(sq__token_t *token);

/* True while this wait is neither granted, refused nor withdrawn. */
bool sq__token_is_open(sq__token_t *token, sq__wait_id_t wait_id);

/* True from its prepare, also once it is granted, until it is refused or withdrawn, or the token is prepared for another wait. */
bool sq__token_is_prepared(sq__token_t *token, sq__wait_id_t wait_id);

/* True: the wait is open, and claimed: its work has begun. */
bool sq__token_is_claimed(sq__token_t *token, sq__wait_id_t wait_id);

/* The same for a dump, which knows the token only from a copy of another thread's record. */
bool sq__token_seems_open(const sq__token_t *token, sq__wait_id_t wait_id);

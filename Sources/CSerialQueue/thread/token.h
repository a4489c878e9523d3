/* token.h: what a thread sleeps on until its turn comes.
 *
 * DESIGN. A token is a state word with a mutex and a condition of its own. Its word holds the number of the wait it is used
 * for, its `turn`, and how that wait stands:
 *
 *     { turn, OVER }               nobody waits: not yet used, withdrawn by the waiter, or refused by the queue
 *     { turn, WAITING }            prepared; the waiter spins, or has not begun to wait
 *     { turn, SLEEPING }           the waiter is at the condition: whoever ends the wait must wake it
 *     { turn, WAITING, CLAIMED }   the same two, but the wait can no longer be withdrawn: what it waits for is
 *     { turn, SLEEPING, CLAIMED }  being done on its behalf
 *     { turn, GRANTED }            the baton has been passed, or what was claimed is done
 *
 * OVER and GRANTED stay until the next prepare. Grant, refusal, claim and withdrawal are decided by one compare-and-swap on
 * the word, and all name the turn: one that comes late, for a wait that is over, fails, even when the token is used for
 * another wait by then.
 *
 * Tokens are never given back to the system: one that its thread no longer needs goes to a list, for the next thread. So a
 * grant may look at a token whose waiter has left, and may signal it, without harm: to the next waiter it is a spurious
 * wake-up. The memory is bounded by the largest number of threads that waited at one time.
 *
 * A waiter has three steps (Documentation/Performance.md has the figures). It spins briefly, for a baton that is on its way
 * from another processor. It yields some tens of times, for a baton whose holder needs this processor. Then it sleeps. Where
 * the first two do not pay they are left out (spin.h). */
#ifndef SQ__THREAD_TOKEN_H
#define SQ__THREAD_TOKEN_H

#include "thread/spin.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sq__token sq__token_t;
typedef uint64_t sq__wait_id_t;

/* A token that nobody uses, or NULL (no memory). Give it back with sq__token_recycle. */
sq__token_t *sq__token_acquire(void);
void sq__token_recycle(sq__token_t *token);
void sq__token_recycle_locked(sq__token_t *token); /* with the list locked */

/* Around a fork. In the child no token of before is used again: its lock may have been held by a late granter. */
void sq__token_lock_list(void);
void sq__token_unlock_list(bool in_child);

/* Begins a wait, before anybody can grant it. T: by the thread that will wait. */
sq__wait_id_t sq__token_prepare(sq__token_t *token);

/* Ends the wait of this turn with a yes: passes the baton to the waiter, or tells it that what it claimed is done. False: it
 * was withdrawn, and the caller still holds the baton. After true the caller touches nothing that the baton protects. */
bool sq__token_grant(sq__token_t *token, sq__wait_id_t wait_id);

/* Ends the wait with a no. False: it was withdrawn already, or it is claimed. */
bool sq__token_refuse(sq__token_t *token, sq__wait_id_t wait_id);

/* T. This wait has a place in `line`, or is about to take one. Until the next prepare. */
void sq__token_wait_in(sq__token_t *token, const void *line);

/* Refuses each open wait in the line, claimed ones excepted: all those whose thread has taken its place by then. Any
 * thread. */
void sq__token_refuse_line(const void *line);

/* Keeps the waiter from withdrawing. False: it has done so. */
bool sq__token_claim(sq__token_t *token, sq__wait_id_t wait_id);

typedef enum sq__outcome {
    SQ__OPEN,     /* not decided */
    SQ__GRANTED,  /* what the granter wrote is visible */
    SQ__REFUSED,  /* the same for the refuser */
    SQ__WITHDRAWN /* by the caller: it will never be granted */
} sq__outcome_t;

/* Looks for the outcome between at most `pauses` pauses. */
sq__outcome_t sq__token_spin(sq__token_t *token, sq__wait_id_t wait_id, sq__spin_t kind, unsigned pauses);

/* Looks for the outcome between yields; no longer than to the deadline. */
sq__outcome_t sq__token_yield(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline);

/* The one function that sleeps: until the outcome, which is SQ__WITHDRAWN when the deadline passed first. */
sq__outcome_t sq__token_sleep(sq__token_t *token, sq__wait_id_t wait_id, uint64_t deadline);

/* Gives up the wait: SQ__WITHDRAWN; the outcome if there is one already; or SQ__OPEN if it is claimed. */
sq__outcome_t sq__token_withdraw(sq__token_t *token, sq__wait_id_t wait_id);

/* True while the wait of this turn is neither granted, refused nor withdrawn. */
bool sq__token_is_open(sq__token_t *token, sq__wait_id_t wait_id);

#endif

/* token.h: what a thread sleeps on until its turn comes.
 *
 * DESIGN. A token is a state word with a mutex and a condition of its own. Its word holds the number of the wait it is used
 * for, its `turn`, and how that wait stands:
 *
 *     { turn, IDLE }      nobody waits: not yet used, or the wait was withdrawn
 *     { turn, WAITING }   prepared; the waiter spins, or has not begun to wait
 *     { turn, SLEEPING }  the waiter is at the condition: the grant must wake it
 *     { turn, GRANTED }   the baton has been passed; it stays so until the next prepare
 *
 * Grant and withdrawal are decided by one compare-and-swap on the word, and both name the turn: a grant that comes late,
 * for a wait that was withdrawn, fails, even when the token is used for another wait by then.
 *
 * Tokens are never given back to the system: one that its thread no longer needs goes to a list, for the next thread. So a
 * grant may look at a token whose waiter has left, and may signal it, without harm: to the next waiter it is a spurious
 * wake-up. The memory is bounded by the largest number of threads that waited at one time.
 *
 * The waiter comes in three steps, each for a reason (Documentation/Performance.md has the figures): it spins briefly, for
 * the baton that is on its way from another processor; it gives the processor away some tens of times, for the baton whose
 * holder needs this processor; it sleeps. */
#ifndef SQ__THREAD_TOKEN_H
#define SQ__THREAD_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sq__token sq__token_t;
typedef uint64_t sq__turn_t;

/* A token that nobody uses, or NULL (no memory). Give it back with sq__token_recycle. */
sq__token_t *sq__token_acquire(void);
void sq__token_recycle(sq__token_t *token);

/* Begins a wait, before anybody can grant it. T: by the thread that will wait. */
sq__turn_t sq__token_prepare(sq__token_t *token);

/* Passes the baton to the waiter of this turn. False: it was withdrawn, and the caller still holds the baton.
 * After true the caller no longer holds it and touches nothing that it protects. */
bool sq__token_grant(sq__token_t *token, sq__turn_t turn);

/* How long a waiter looks before it sleeps. */
typedef enum sq__patience {
    SQ__PATIENCE_SPIN,      /* spins: for a worker, which is woken late once the scheduler has charged it for yielding */
    SQ__PATIENCE_SPIN_YIELD /* spins, then yields: for a caller in sync */
} sq__patience_t;

/* Looks for the grant without sleeping. */
bool sq__token_spin(sq__token_t *token, sq__turn_t turn, sq__patience_t patience);

/* The one function that sleeps. Returns true when the turn was granted: what the granter wrote is visible. False when the
 * deadline passed first: the wait is withdrawn and will never be granted. */
bool sq__token_sleep(sq__token_t *token, sq__turn_t turn, uint64_t deadline);

/* Gives up the wait without sleeping. False: it was granted already, the caller holds the baton. */
bool sq__token_withdraw(sq__token_t *token, sq__turn_t turn);

#endif

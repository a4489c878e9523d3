#include "queue/wait.h"

#include "queue/deadlock.h"

#include <errno.h>

int sq__wait_begin(sq__wait_t *wait, sq_queue_t *queue) {
    sq__token_t *token = sq__self_token();
    if (token == NULL) {
        return ENOMEM;
    }
    *wait = (sq__wait_t){ .token = token, .turn = sq__token_prepare(token), .queue = queue };
    return 0;
}

void sq__wait_cancel(sq__wait_t *wait) { sq__self_wait_over(wait->token); }

/* The thread is running a task, so that others may be waiting for it: before it sleeps it looks for a cycle. */
static sq__outcome_t sleep_in_task(sq__wait_t *wait, sq_time_t deadline, bool *deadlock) {
    sq__edge_t edge;
    sq__outcome_t outcome = sq__deadlock_enter(&edge, wait);
    if (outcome == SQ__OPEN) {
        outcome = sq__token_sleep(wait->token, wait->turn, deadline);
    }
    *deadlock = sq__deadlock_leave(&edge);
    return outcome;
}

int sq__wait_end(sq__wait_t *wait, sq_time_t deadline) {
    bool deadlock = false;
    sq__outcome_t outcome = sq__token_spin(wait->token, wait->turn, SQ__PATIENCE_SPIN_YIELD, deadline);
    if (outcome == SQ__OPEN) {
        outcome = sq__self()->frame != NULL ? sleep_in_task(wait, deadline, &deadlock)
                                            : sq__token_sleep(wait->token, wait->turn, deadline);
    }
    sq__self_wait_over(wait->token);
    switch (outcome) {
    case SQ__GRANTED:
        return 0;
    case SQ__REFUSED:
        return deadlock ? EDEADLK : ESHUTDOWN;
    default:
        return deadlock ? EDEADLK : ETIMEDOUT;
    }
}

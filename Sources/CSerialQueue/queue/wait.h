/* wait.h: a thread waits for something that a queue will do.
 *
 * DESIGN. Every wait of the library's callers goes through here, in three steps: begin (the thread's token is prepared), the
 * caller makes the wait known to whoever will grant it, end (look, check for a deadlock, sleep). */
#ifndef SQ__QUEUE_WAIT_H
#define SQ__QUEUE_WAIT_H

#include "include/sq_time.h"
#include "queue/queue.h"
#include "thread/self.h"

/* On the waiting thread's stack. T, and fixed between begin and end. */
typedef struct sq__wait {
    sq__token_t *token;
    sq__turn_t turn;
    sq_queue_t *queue; /* what is waited for; once it is over, the queue may be freed */
    sq__pool_t *pool;  /* its pool, with a reference, if that is a manual one; else NULL */
} sq__wait_t;

/* Returns 0 or ENOMEM. */
int sq__wait_begin(sq__wait_t *wait, sq_queue_t *queue);

/* Instead of sq__wait_end, if nobody was told of the wait. */
void sq__wait_cancel(sq__wait_t *wait);

/* Returns 0 (granted: the caller sees what the granter wrote), ESHUTDOWN (refused), ETIMEDOUT or EDEADLK (given up: it will
 * never be granted), or ESTALE (meanwhile this has become the child of a fork). */
int sq__wait_end(sq__wait_t *wait, sq_time_t deadline);

#endif

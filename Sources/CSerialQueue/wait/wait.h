/* wait.h: a thread waits for something that another thread or a queue will do.
 *
 * DESIGN. Every wait of a caller of the library has three steps: begin (the thread's token is prepared); the caller makes the
 * wait known to the thread that will grant it; end (spin, check for a deadlock, sleep). */
#ifndef SQ__WAIT_WAIT_H
#define SQ__WAIT_WAIT_H

#include "include/sq_time.h"
#include "kernel/queue.h"
#include "thread/self.h"

/* What a thread waits for, if that is not just its turn in a queue. Valid until the wait has ended. */
typedef struct sq__subject {
    const char *kind;  /* in reports: "semaphore", .... */
    const char *label;
    const char *relation; /* to a queue that it needs: "has a task in"; NULL: it needs none */
    const void *object;
    /* Under the lock of the waits: the wait cannot end before a task of the queue `owner` ends. NULL: it cannot end before the
     * function of `object` ends, a once; if that is NULL too, any thread may end it at any time. */
    bool (*needs)(const struct sq__subject *subject, const void *owner);
} sq__subject_t;

/* On the waiting thread's stack. T, and fixed between begin and end. */
/* What a thread waits for in a queue. */
typedef enum sq__aim {
    SQ__AIM_TURN, /* its turn, or its call's: it has a place in the ring */
    SQ__AIM_ROOM, /* room, in a queue of limited capacity */
    SQ__AIM_END   /* the end of the queue */
} sq__aim_t;

typedef struct sq__wait {
    sq__token_t *token;
    sq__wait_id_t wait_id;
    bool is_next;      /* at most one thing is done before this: the thread yields before it sleeps. Where many wait, each
                        * yield would only go to another one that waits. A hint, set by the waiting thread */
    bool is_barrier;   /* for a turn in a concurrent queue: those behind it wait for it, too */
    sq__aim_t aim;
    sq_queue_t *queue; /* what is waited for; NULL: only the subject. Once the wait is over, the queue may be freed */
    sq__pool_t *pool;  /* its pool, with a reference, if that is a manual one; else NULL */
    const sq__subject_t *subject; /* NULL: the queue */
} sq__wait_t;

/* Returns 0 or ENOMEM. */
int sq__wait_begin(sq__wait_t *wait, sq_queue_t *queue);

/* The same for something else than a turn. `queue`: where the task in question is; NULL: unknown. */
int sq__wait_begin_for(sq__wait_t *wait, const sq__subject_t *subject, sq_queue_t *queue);

/* The queue's pool, with a reference, if that is a manual one; else NULL. */
sq__pool_t *sq__wait_manual_pool(const sq_queue_t *queue);

/* What is waited for, in reports. */
static inline const char *sq__wait_label(const sq__wait_t *wait) {
    return wait->subject != NULL ? wait->subject->label : wait->queue->label;
}

/* Instead of sq__wait_end, if nobody was told of the wait. */
void sq__wait_cancel(sq__wait_t *wait);

/* Returns 0 (granted: the caller sees what the granter wrote), ESHUTDOWN (refused), ETIMEDOUT or EDEADLK (given up: it will
 * never be granted), or ESTALE (meanwhile this has become the child of a fork). */
int sq__wait_end(sq__wait_t *wait, sq_time_t deadline);

/* The same for a moment, without a sleep. */
int sq__wait_briefly(sq__wait_t *wait);

#endif

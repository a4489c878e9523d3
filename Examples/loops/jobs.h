/* jobs.h: what the three host programs share: work on a pool whose results come back to the main thread. */
#ifndef JOBS_H
#define JOBS_H

#include <serial_queue.h>

/* Only the main thread uses it: the host's callbacks and the tasks of `main`. No lock, no atomic. */
typedef struct jobs {
    sq_pool_t *loop;   /* what the host polls and runs */
    sq_queue_t *main;  /* the main queue */
    sq_timer_t *timer; /* of the main queue */
    unsigned results, beats, ticks, elsewhere;
    unsigned long primes;
} jobs_t;

/* Makes the loop, and starts some work on the shared pool. */
void jobs_begin(jobs_t *jobs);

/* A callback of the host's, such as its own timer's. */
void jobs_tick(jobs_t *jobs);

/* Runs what is ready; the host's callback for the descriptor. */
void jobs_run(jobs_t *jobs);

/* All results are there, and both timers have fired: the host ends its loop. */
bool jobs_are_over(const jobs_t *jobs);

/* Releases everything and prints the results. Returns main's status. */
int jobs_end(jobs_t *jobs, const char *host);

#endif

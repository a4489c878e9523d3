/* failure.h: how a run fails. */
#ifndef SQ__EXPLORE_FAILURE_H
#define SQ__EXPLORE_FAILURE_H

#include "explore/run_state.h"

/* The calling thread's record; NULL: it does not belong to a run. */
sq__thread_t *sq__run_thread(void);

/* Fails the run, unless it has failed already. */
void sq__run_fail(sq__run_t *run, const char *message);

/* Something from outside took part. With the pool's lock. */
void sq__run_outside(sq__run_t *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

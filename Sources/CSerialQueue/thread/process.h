/* process.h: which process this is, as a number that the child of a fork counts up. What was made in another one has threads
 * that do not exist here, and locks that nobody may give back. */
#ifndef SQ__THREAD_PROCESS_H
#define SQ__THREAD_PROCESS_H

#include "platform/atomic.h"

#include <stdbool.h>
#include <stdint.h>

extern SQ__ATOMIC(uint32_t) sq__fork_process;

static inline uint32_t sq__process(void) { return sq__load_relaxed(&sq__fork_process); }

/* In the child of a fork, which has one thread: counts the number up. */
void sq__process_forked(void);

#endif

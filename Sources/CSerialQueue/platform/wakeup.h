/* wakeup.h: waking a thread, also from a signal handler.
 *
 * DESIGN. A program may close every descriptor that it does not know, and then open its own files under the same numbers. A pipe or an eventfd would
 * then wake nobody, and write into a file of the program. So this is a word in memory. On Linux its waiter sleeps on a futex. Other systems
 * have nothing without a descriptor that a handler may call: there the waiter looks every ten milliseconds. */
#pragma once

#include "platform/atomic.h"
#include "platform/system.h"

#include <stdbool.h>
#include <stdint.h>

/* All zero: not posted. One thread at a time waits. The child of a fork has a copy of its own. */
typedef struct sq__wakeup {
    SQ__ATOMIC(uint32_t) posted; /* A  0 or 1 */
} sq__wakeup_t;

/* Wakes the thread that waits, or else the next one that will. Several posts before it looks count as one. What was written before is visible to
 * it. Async-signal-safe; keeps errno. */
void sq__wakeup_post(sq__wakeup_t *wakeup);

/* Sleeps until it was posted. Returns false if the deadline, on the monotonic clock (SQ__NEVER: none), passed first. May return true too early. */
bool sq__wakeup_wait(sq__wakeup_t *wakeup, uint64_t deadline);

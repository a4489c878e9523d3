/* patience.h: how long a thread looks for work or a grant before it sleeps.
 *
 * DESIGN. Looking costs processor time, sleeping costs a wake-up of 2 to 25 microseconds. The numbers below are the ones at
 * which the measurements of Documentation/Performance.md turn; they are counts of pauses, not times. On a machine with
 * one processor nobody spins: whoever is waited for cannot run meanwhile. */
#ifndef SQ__THREAD_PATIENCE_H
#define SQ__THREAD_PATIENCE_H

#include "platform/atomic.h"
#include "platform/thread.h"

enum {
    SQ__WAITER_SPINS = 60,  /* a caller in sync, before it yields */
    SQ__WAITER_YIELDS = 40, /* a caller in sync, before it sleeps */
    SQ__WORKER_SPINS = 200, /* a worker without work, before it sleeps */
    SQ__LINGER_SPINS = 400  /* a runner that has caught up with its submitters, before it gives the baton back */
};

/* `wanted`, or 0 where spinning is of no use. */
unsigned sq__patience_spins(unsigned wanted);

#endif

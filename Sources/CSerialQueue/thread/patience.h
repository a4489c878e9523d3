/* patience.h: how long a thread looks for work or a grant before it sleeps.
 *
 * DESIGN. Looking costs processor time, sleeping costs a wake-up of 2 to 25 microseconds. The numbers below are the ones at
 * which the measurements of Documentation/Performance.md turn; they are counts of pauses, not times. On a machine with
 * one processor nobody spins: whoever is waited for cannot run meanwhile. Builds for tests and measurements set others. */
#ifndef SQ__THREAD_PATIENCE_H
#define SQ__THREAD_PATIENCE_H

#include "platform/atomic.h"
#include "platform/thread.h"

/* A caller in sync: spins, then yields. */
#ifndef SQ__WAITER_SPINS
#define SQ__WAITER_SPINS 60
#endif
#ifndef SQ__WAITER_YIELDS
#define SQ__WAITER_YIELDS 40
#endif
/* A worker without work, before it sleeps. */
#ifndef SQ__WORKER_SPINS
#define SQ__WORKER_SPINS 200
#endif
/* A runner that has caught up with its submitters, before it gives the baton back. */
#ifndef SQ__LINGER_SPINS
#define SQ__LINGER_SPINS 400
#endif

/* `wanted`, or 0 where spinning is of no use. */
unsigned sq__patience_spins(unsigned wanted);

#endif

/* patience.h: how long a thread looks for work or a grant before it sleeps.
 *
 * DESIGN. Looking costs processor time, sleeping costs a wake-up of 2 to 25 microseconds. The numbers below are the ones at
 * which the measurements of Documentation/Performance.md turn; they are counts of pauses, not times. On a machine with
 * one processor nobody spins: whoever is waited for cannot run meanwhile. Builds for tests and measurements set others.
 *
 * A worker looks only if it is eager. It is as long as its work comes without long breaks; after a long sleep it is not,
 * until a sleep turns out short. So a queue that gets a task now and then spends nothing on looking, and its worker stays
 * on the processor of its submitter, where it is woken fastest. */
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
/* A sleep that is shorter makes a worker eager. Nanoseconds. */
#ifndef SQ__SHORT_SLEEP
#define SQ__SHORT_SLEEP 50000
#endif
/* A worker without work, before it sleeps. */
#ifndef SQ__WORKER_SPINS
#define SQ__WORKER_SPINS 200
#endif
/* A runner that has caught up with its submitters, before it gives the baton back. */
#ifndef SQ__LINGER_SPINS
#define SQ__LINGER_SPINS 400
#endif

/* `wanted`, or 0 where spinning is of no use: for any thread, and for a worker. */
unsigned sq__patience_spins(unsigned wanted);
unsigned sq__patience_worker_spins(unsigned wanted);

/* Tells for how long the calling worker has slept. */
void sq__patience_slept(uint64_t nanoseconds);

#endif

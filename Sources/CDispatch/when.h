/* when.h: what libdispatch's times mean for the core. */
#ifndef SQ_DISPATCH_WHEN_H
#define SQ_DISPATCH_WHEN_H

#include <dispatch/dispatch.h>
#include <serial_queue.h>

/** Returns the core's deadline for a wait: SQ_NOW if the time has passed. */
sq_time_t sq__dispatch_deadline(dispatch_time_t when);
/** When a timer starts, on the clock of deadlines: in the past if it has passed, so that its firings keep their phase. */
sq_time_t sq__dispatch_start(dispatch_time_t when);

/** Returns how many nanoseconds there are until the time: 0 if it has passed. */
uint64_t sq__dispatch_delay(dispatch_time_t when);

/** Returns what a wait returns at its timeout, and sets errno. */
intptr_t sq__dispatch_timed_out(void);

/** Waits until the core's deadline, without anything to wait for. */
void sq__dispatch_pass(sq_time_t deadline);

#endif

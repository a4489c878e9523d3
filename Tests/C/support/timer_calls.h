/* timer_calls.h: moves a manual clock without running tasks, and counts the calls of alarms. */
#ifndef TIMER_CALLS_H
#define TIMER_CALLS_H

#include "alarm/alarm.h"
#include "pool/pool.h"
#include "timed.h"

/* Moves the clock to `until`, which calls the alarms that are due by then; runs no task. Returns how many calls there were, 10 at
 * most. Firings that are left out cost nothing: after the firing that waits or runs was submitted, the alarm is called once more, and
 * then not before that firing is over. */
static inline size_t calls_until(const bench_t *b, uint64_t until) {
    size_t calls = 0;
    while (calls < 10 && sq__alarms_advance(sq__pool_clock(b->pool), until)) {
        calls += 1;
    }
    return calls;
}

#endif

/* alarm.h: calls at a time to come.
 *
 * DESIGN. Alarms that share a clock are in one set. There are two kinds of set: one for the process, whose clock is the system's
 * monotonic one and whose thread sleeps until the earliest alarm is due; and those of manual pools, whose clock stands still
 * until somebody moves it, and who have no thread. Alarms that are due at the same time are called in the order in which they
 * were set, and all in the order in which they are due. An alarm is part of what it is for: setting one takes no memory and
 * cannot fail. Setting and cancelling cost O(log n) (heap.h).
 *
 * An alarm may have a leeway: it is due, but may be late until `latest`. The thread sleeps until the first moment that is the
 * latest for somebody, and then calls all that are due: those with a leeway go along with a wake-up that happens anyway. So
 * they are in two heaps, by the one time and by the other; alarms without a leeway are in one. Setting an alarm wakes the
 * thread only if it would sleep too long; cancelling never does: it may wake up once for nothing.
 *
 * The process's thread lives as long as somebody holds a lease on the set, and a tenth of a second longer, so that single
 * alarms now and then do not start a thread each. Who wants to set alarms takes a lease first: that can fail, setting cannot. */
#ifndef SQ__ALARM_ALARM_H
#define SQ__ALARM_ALARM_H

#include "alarm/heap.h"

typedef struct sq__alarms sq__alarms_t;
typedef struct sq__alarm sq__alarm_t;

/* L under the set's lock. All zero but for `call` before it is first set. */
struct sq__alarm {
    void (*call)(sq__alarm_t *alarm); /* with no lock held; it may set the alarm again, and free it */
    sq__heap_node_t due;              /* L  key: nanoseconds of the set's clock; SQ__NEVER: is not called */
    sq__heap_node_t latest;           /* L  the same and the leeway; in a heap only if there is one */
};

/* A lease on the process's set. Returns 0 or ENOMEM. */
int sq__alarms_shared(sq__alarms_t **alarms);

/* Gives up the lease: none of the holder's alarms is set any more. Legal from an alarm's call. No effect on other sets. */
void sq__alarms_let_go(sq__alarms_t *alarms);

/* A set with a clock of its own, which stands at 0; NULL: no memory. It is empty when it is destroyed. */
sq__alarms_t *sq__alarms_create(void);
void sq__alarms_destroy(sq__alarms_t *alarms);

/* Nanoseconds. */
uint64_t sq__alarms_now(sq__alarms_t *alarms);

/* Has alarm->call(alarm) called once the clock shows `due` or later; up to `leeway` later if that saves a wake-up. The alarm is
 * not set now. */
void sq__alarm_set(sq__alarms_t *alarms, sq__alarm_t *alarm, uint64_t due, uint64_t leeway);

/* The same for one that was set before, with the place that it had among those that are due at the same time. */
void sq__alarm_set_again(sq__alarms_t *alarms, sq__alarm_t *alarm, uint64_t due, uint64_t leeway);

/* True: it was set, and is not any more. False: it was not, or its call has begun. */
bool sq__alarm_cancel(sq__alarms_t *alarms, sq__alarm_t *alarm);

/* For a clock of its own: if an alarm is due by `time`, moves the clock there (not back), calls it and returns true; else moves
 * the clock to `time` (not back) and returns false. */
bool sq__alarms_advance(sq__alarms_t *alarms, uint64_t time);

/* Around a fork. In the child the process's set is empty, has no thread, and nobody holds a lease. */
void sq__alarms_lock(void);
void sq__alarms_unlock(bool in_child);

#endif

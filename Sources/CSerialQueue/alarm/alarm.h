/* alarm.h: calls at a future time.
 *
 * DESIGN. Alarms that share a clock are in one set. There are two kinds of set. The process has one: its clock is the system's
 * monotonic clock, and its thread sleeps until the earliest alarm is due. Each manual pool has one: its clock moves only when
 * it is advanced, and it has no thread. Alarms are called in the order of their due times; those that are due at the same time,
 * in the order in which they were set. A user takes a lease for each alarm before it sets it. That can fail, as it reserves the memory for the
 * alarm's entry in the set; setting the alarm cannot. Setting and cancelling cost O(log n) (heap.h).
 *
 * An alarm may have a leeway: its call may be late, until `latest`. The thread sleeps until the earliest `latest` of all alarms,
 * and then calls all that are due, so alarms with a leeway share a wake-up that happens anyway. They are in two heaps, one by
 * due time and one by latest time, without memory for which the leeway is ignored; alarms without a leeway are in one heap. Setting an alarm wakes
 * the thread only if it would sleep too long. Cancelling never wakes it: it may wake once for nothing.
 *
 * The process's thread lives while any user holds a lease on the set, and a tenth of a second longer, so that occasional alarms
 * do not start a thread each. The return of the last lease reads the clock and wakes the thread only if it does not sleep for that tenth already. */
#pragma once

#include "alarm/alarm_inline.h"
#include "include/sq_private.h" /* sq__alarms_now; sq__alarms_next: SQ__NEVER if no alarm is set */
#include "platform/mutex.h"

/* Takes a lease on the process's set, whose thread it starts if there is none. Returns 0 and *alarms; or ENOMEM, without a lease. */
int sq__alarms_shared(sq__alarms_t **alarms);

/* Takes a lease on a set with a clock of its own. Returns 0 or ENOMEM. */
int sq__alarms_lease(sq__alarms_t *alarms);

/* Returns a lease; in the child of a fork only one that was taken there. The caller's alarm is not set. May be called from an alarm's call. */
void sq__alarms_release(sq__alarms_t *alarms);

/* Calls alarm->call(alarm) once the clock has reached `due`; up to `leeway` later if that saves a wake-up. The alarm must not be
 * set already. */
void sq__alarm_set(sq__alarms_t *alarms, sq__alarm_t *alarm, uint64_t due, uint64_t leeway);

/* The same for an alarm that was set before: it keeps its position among alarms that are due at the same time. */
void sq__alarm_set_again(sq__alarms_t *alarms, sq__alarm_t *alarm, uint64_t due, uint64_t leeway);

/* Cancels the alarm: it is not called. Returns false if it was not set, or if its call has begun, which may still run or be about to. */
bool sq__alarm_cancel(sq__alarms_t *alarms, sq__alarm_t *alarm);

/* The same for an alarm that is not set again. If it returns true, it has also returned the lease, under the same lock. */
bool sq__alarm_cancel_and_release(sq__alarms_t *alarms, sq__alarm_t *alarm);

/* Calls `visit` for the next alarms, at most `most` (up to SQ__ALARMS_VISITED) of them, in the order in which they are due, under the set's lock. NULL:
 * the process's set. False: its patience with the lock ended. */
enum { SQ__ALARMS_VISITED = 16 };
typedef struct sq__alarms_visitor {
    void (*visit)(void *context, const sq__alarm_t *alarm, uint64_t due, uint64_t now);
    void *context;
    unsigned most;
    sq__patience_t *patience;
} sq__alarms_visitor_t;
bool sq__alarms_visit(sq__alarms_t *alarms, const sq__alarms_visitor_t *visitor);

/* Sets of alarms with a clock of their own, which moves only when it is advanced */

/* Creates a set with its own clock, which starts at 0; returns NULL without memory. No alarm of it is set when it is destroyed. */
sq__alarms_t *sq__alarms_create(void);
void sq__alarms_destroy(sq__alarms_t *alarms);

/* If an alarm is due by `time`, advances the clock to its due time, calls it, with no lock held, and returns true. Otherwise advances the clock to
 * `time` and returns false. The clock never moves back. */
bool sq__alarms_advance(sq__alarms_t *alarms, uint64_t time);

/* Calls `visit` for each alarm that is due at the time that sq__alarms_next returns, under the set's lock; the one that was set first comes first,
 * the others in no particular order. */
void sq__alarms_next_ties(sq__alarms_t *alarms, void (*visit)(void *context, sq__alarm_t *alarm), void *context);

/* Calls one of those alarms, with no lock held, and advances the clock to its due time. */
void sq__alarms_call(sq__alarms_t *alarms, sq__alarm_t *alarm);

#include "timer/timed_submit.h"

#include "include/sq_pool.h"
#include "observe/timings.h"
#include "observe/probes.h"
#include "kernel/ring.h"
#include "observe/call_sites.h"
#include "observe/trace_hooks.h"
#include "platform/clock.h"
#include "queue/queue_runner.h"

#include <errno.h>

/* How long until the next try. Nanoseconds. */
static const uint64_t pause = 1000000;

/* Takes a lease on the set of alarms that the queue's timers use: that of its manual pool, or the process's. Returns 0 or ENOMEM. */
static int lease(const sq_queue_t *queue, sq__alarms_t **alarms) {
    const sq__pool_t *pool = sq_queue_manual_pool(queue);
    if (pool != NULL) {
        *alarms = sq__pool_clock(pool);
        return 0;
    }
    return sq__alarms_shared(alarms);
}

int sq__timed_prepare(sq_queue_t *queue, sq__alarms_t **alarms) {
    sq__runner_t runner;
    if (sq__queue_is_stale(queue)) {
        return ESTALE;
    }
    sq__trace_hook_begin(queue);
    int error = sq__runner_start(queue, &runner);
    return error ? error : lease(queue, alarms);
}

uint64_t sq__timed_in(sq__alarms_t *alarms, uint64_t nanoseconds) {
    return sq__time_after(sq__alarms_now(alarms), nanoseconds);
}

int sq__timed_submit(sq_queue_t *queue, uint16_t kind, const sq__work_t *work, const void *site, bool *passes) {
    sq__reserved_t place;
    int error = sq__ring_reserve(queue, false, &place);
    if (error) {
        return error;
    }
    if (kind & SQ__CANCELLABLE) {
        sq__store_relaxed(work->cancellable.place, sq__ring_where(place));
    }
    sq__probe_submit(queue, kind & SQ__CANCELLABLE ? work->cancellable.pair : &work->pair);
    if (place.slot == NULL) {
        if (sq__is_sited(queue)) {
            sq__trace_hook_submit(queue, kind, SQ__IN_HANDOFF, site);
        }
        sq__timings_handoff(queue);
    }
    *passes = sq__ring_put(queue, place, kind, work, site) != SQ__PUT_QUEUED;
    return 0;
}

void sq__timed_try_again(sq__alarms_t *alarms, sq__alarm_t *alarm) {
    sq__alarm_set_again(alarms, alarm, sq__timed_in(alarms, pause), 0);
}

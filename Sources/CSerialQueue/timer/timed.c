#include "timer/timed.h"

#include "alarm/alarm.h"
#include "platform/clock.h"
#include "queue/queue.h"
#include "timer/timer.h"

/* How long until the next try. Nanoseconds. */
static const uint64_t pause = 1000000;

int sq__timed_prepare(sq_queue_t *queue, sq__alarms_t **alarms) {
    int error = sq__async_prepare(queue);
    if (error) {
        return error;
    }
    *alarms = sq__runner_clock(sq__queue_root_runner(queue));
    return *alarms != NULL ? sq__alarms_lease(*alarms) : sq__alarms_shared(alarms);
}

uint64_t sq__timed_in(sq__alarms_t *alarms, uint64_t nanoseconds) {
    return sq__time_after(sq__alarms_now(alarms), nanoseconds);
}

void sq__timed_try_again(sq__alarms_t *alarms, sq__alarm_t *alarm) {
    sq__alarm_set_again(alarms, alarm, sq__timed_in(alarms, pause), 0);
}

/* time.c: deadlines. */
#include "include/sq_time.h"

#include "platform/clock.h"

sq_time_t sq_deadline(uint64_t nanoseconds_from_now) {
    return sq__time_after(sq__clock_now(), nanoseconds_from_now);
}

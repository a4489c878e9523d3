#include "include/sq_time.h"

#include "platform/clock.h"

sq_time_t sq_deadline(uint64_t nanoseconds_from_now) {
    uint64_t now = sq__clock_now();
    return nanoseconds_from_now < SQ_FOREVER - now ? now + nanoseconds_from_now : SQ_FOREVER;
}

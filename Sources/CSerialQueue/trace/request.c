#include "trace/request.h"

#include "platform/atomic.h"
#include "platform/clock.h"
#include "platform/thread.h"
#include "platform/wakeup.h"

enum { NO_TRACE, STREAM, FLIGHT };

static sq__wakeup_t reader;              /* for the reader of whichever trace there is */
static SQ__ATOMIC(uint32_t) happening;   /* which kind of trace has a reader */
static SQ__ATOMIC(sq__requests_t) made, answered;

void sq__requests_wake_reader(void) { sq__wakeup_post(&reader); }

void sq__request(sq__requests_t what) {
    if (sq__load_relaxed(&happening) == FLIGHT) {
        (void)sq__add_relaxed(&made, what);
        sq__requests_wake_reader();
    }
}

void sq__request_at_end(uint64_t nanoseconds) {
    uint64_t limit = sq__time_after(sq__clock_now(), nanoseconds);
    if (sq__load_relaxed(&happening) == NO_TRACE) {
        return;
    }
    sq__requests_t wanted = sq__add_relaxed(&made, SQ__REQUEST_ASKED_FOR) + SQ__REQUEST_ASKED_FOR;
    sq__requests_wake_reader();
    /* [answered] acquire: the file. */
    while (sq__load_acquire(&answered) < wanted && sq__clock_now() < limit) {
        sq__thread_yield();
    }
}

void sq__requests_begin(bool is_flight) { sq__store_relaxed(&happening, is_flight ? FLIGHT : STREAM); }
void sq__requests_end(void) { sq__store_relaxed(&happening, NO_TRACE); }

sq__requests_t sq__requests_made(void) { return sq__load_relaxed(&made); }
void sq__requests_answer(sq__requests_t until) { sq__store_release(&answered, until); } /* [answered] release: the file */

void sq__requests_await(uint64_t nanoseconds) { (void)sq__wakeup_wait(&reader, sq__time_after(sq__clock_now(), nanoseconds)); }

#include "trace/request.h"

#include "platform/atomic.h"
#include "platform/clock.h"
#include "platform/event.h"
#include "platform/thread.h"

#include <errno.h>

enum { NO_TRACE, STREAM, FLIGHT };

static sq__event_fd_t wake_fd;           /* fixed while there is a trace */
static SQ__ATOMIC(uint32_t) happening;   /* which kind of trace has a reader */
static SQ__ATOMIC(sq__requests_t) made, answered;

/* Perhaps in a signal handler: keeps errno. */
void sq__requests_wake_reader(void) {
    int kept = errno;
    (void)sq__event_fd_signal(wake_fd);
    errno = kept;
}

void sq__request(sq__requests_t what) {
    if (sq__load_acquire(&happening) == FLIGHT) { /* [happening] acquire: the descriptor */
        (void)sq__add_relaxed(&made, what);
        sq__requests_wake_reader();
    }
}

void sq__request_at_end(uint64_t nanoseconds) {
    uint64_t limit = sq__time_after(sq__clock_now(), nanoseconds);
    if (sq__load_acquire(&happening) == NO_TRACE) { /* [happening] acquire: the descriptor */
        return;
    }
    sq__requests_t wanted = sq__add_relaxed(&made, SQ__REQUEST_ASKED_FOR) + SQ__REQUEST_ASKED_FOR;
    sq__requests_wake_reader();
    /* [answered] acquire: the file. */
    while (sq__load_acquire(&answered) < wanted && sq__clock_now() < limit) {
        sq__thread_yield();
    }
}

int sq__requests_prepare(void) { return sq__event_fd_open(&wake_fd); }

void sq__requests_begin(bool is_flight) { sq__store_release(&happening, is_flight ? FLIGHT : STREAM); } /* [happening] release: the descriptor */
void sq__requests_end(void) { sq__store_relaxed(&happening, NO_TRACE); }

sq__requests_t sq__requests_made(void) { return sq__load_relaxed(&made); }
void sq__requests_answer(sq__requests_t until) { sq__store_release(&answered, until); } /* [answered] release: the file */

void sq__requests_await(uint64_t nanoseconds) {
    if (sq__event_wait(wake_fd, sq__time_after(sq__clock_now(), nanoseconds))) {
        (void)sq__event_fd_clear(wake_fd); /* sq__event_clear would end a program that has closed it */
    }
}

#include "platform/wakeup.h"

#include "platform/clock.h"
#include "platform/quiet.h"

#include <time.h>

static bool take(sq__wakeup_t *wakeup) { return sq__exchange_acq_rel(&wakeup->posted, 0) != 0; } /* [wakeup] acquire: what was posted */

#if SQ__LINUX
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WAIT = 0, WAKE = 1, IN_THIS_PROCESS = 128 }; /* musl comes without linux/futex.h */

static void wake(sq__wakeup_t *wakeup) { (void)syscall(SYS_futex, &wakeup->posted, WAKE | IN_THIS_PROCESS, 1, NULL, NULL, 0); }

/* Does not sleep if it was posted. */
static void sleep_for(sq__wakeup_t *wakeup, uint64_t nanoseconds) {
    static const uint64_t longest = UINT64_C(3600) * 1000000000; /* then the caller waits again */
    nanoseconds = nanoseconds < longest ? nanoseconds : longest;
    const struct { long seconds, nanoseconds; } limit = { (long)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u) }; /* as the call has it */
    (void)syscall(SYS_futex, &wakeup->posted, WAIT | IN_THIS_PROCESS, 0, &limit, NULL, 0);
}
#else
static void wake(sq__wakeup_t *wakeup) { (void)wakeup; }

static void sleep_for(sq__wakeup_t *wakeup, uint64_t nanoseconds) {
    static const uint64_t longest = 10000000;
    (void)wakeup;
    nanosleep(&(struct timespec){ .tv_nsec = (long)(nanoseconds < longest ? nanoseconds : longest) }, NULL);
}
#endif

void sq__wakeup_post(sq__wakeup_t *wakeup) {
    sq__quiet_t quiet = sq__quiet_begin();
    (void)sq__exchange_acq_rel(&wakeup->posted, 1); /* [wakeup] release: what was posted; a store would hide what the post before it has published */
    wake(wakeup);
    sq__quiet_end(quiet);
}

bool sq__wakeup_wait(sq__wakeup_t *wakeup, uint64_t deadline) {
    sq__quiet_t quiet = sq__quiet_begin();
    uint64_t now = sq__clock_now();
    bool is_posted = take(wakeup);
    if (!is_posted && now < deadline) {
        sleep_for(wakeup, deadline - now);
        is_posted = take(wakeup);
    }
    sq__quiet_end(quiet);
    return is_posted || sq__clock_now() < deadline;
}

/* quiet.h: a part of a call that the calling thread does not notice: errno stays as it was, and the thread is not cancelled there, because a
 * caller has a lock, a descriptor or a reference. A cancellation stays pending. Each call of the system that is a cancellation point, and may be made
 * by a thread of the program, stands between these two: then no call of the library is one, and nothing above platform/ needs to know. */
#pragma once

#include "platform/system.h"

#include <errno.h>
#include <pthread.h>

typedef struct sq__quiet {
    int error, cancel_state;
} sq__quiet_t;

static inline sq__quiet_t sq__quiet_begin(void) {
    sq__quiet_t quiet = { .error = errno };
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &quiet.cancel_state);
    return quiet;
}

static inline void sq__quiet_end(sq__quiet_t quiet) {
    pthread_setcancelstate(quiet.cancel_state, NULL);
    errno = quiet.error;
}

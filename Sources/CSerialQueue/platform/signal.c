#include "platform/signal.h"

#include "platform/atomic.h"
#include "platform/clock.h"
#include "platform/mutex.h"
#include "platform/signal_handler.h"
#include "platform/thread.h"
#include "platform/wakeup.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>

/* Written before the handler is installed. */
static int awaited;
static void (*awaited_call)(void), (*replaced_call)(void);

static sq__thread_start_t start;
static bool has_thread;
static sq__wakeup_t wakeup, finished;
static SQ__ATOMIC(bool) asked, process_ends, has_finished;

static void handle(int number) {
    (void)number;
    sq__store_relaxed(&asked, true);
    sq__wakeup_post(&wakeup);
}

static bool is_handled_here(void) {
    struct sigaction present;
    return sigaction(awaited, NULL, &present) == 0 && !(present.sa_flags & SA_SIGINFO) && present.sa_handler == handle;
}

static void await_signals(void *unused) {
    enum { AFTER = 1000000000 }; /* nanoseconds: by then the program has installed its own handlers, as a rule */
    uint64_t look = sq__clock_now() + AFTER;
    (void)unused;
    sq__signal_accept(awaited);
    for (;;) {
        if (!sq__wakeup_wait(&wakeup, look)) {
            look = SQ__NEVER;
            if (!is_handled_here()) {
                replaced_call();
            }
        }
        bool is_last = sq__load_acquire(&process_ends); /* [finish] acquire: the handler has run for what this thread was sent before */
        if (sq__exchange_relaxed(&asked, false)) {
            awaited_call();
        }
        if (is_last) {
            sq__store_release(&has_finished, true); /* [finished] release: what `call` wrote */
            sq__wakeup_post(&finished);
        }
    }
}

static int start_thread(void) {
    int error = sq__thread_start(&start, await_signals, NULL, &(sq__thread_kind_t){ .name = "sq-dump" });
    has_thread = error == 0;
    return error;
}

int sq__signal_begin(int number, void (*call)(void), void (*replaced)(void)) {
    awaited = number;
    awaited_call = call;
    replaced_call = replaced;
    int error = sq__signal_take(number, handle);
    if (error == 0) {
        error = start_thread();
        if (error) {
            sq__signal_give_back(number, handle);
        } else {
            sq__signal_block(number);
        }
    }
    return error;
}

/* A signal that was sent before this call is still pending, and then this thread accepts it; or it has been taken by the other thread, which runs the
 * handler before it can see that the process ends. */
void sq__signal_finish(uint64_t nanoseconds) {
    uint64_t limit = sq__time_after(sq__clock_now(), nanoseconds);
    if (!has_thread || !is_handled_here()) { /* the handler of the program, which may be what ends it, runs on that thread */
        return;
    }
    sq__signal_accept(awaited);
    sq__store_release(&process_ends, true); /* [finish] release: the handler has run here */
    sq__wakeup_post(&wakeup);
    while (!sq__load_acquire(&has_finished) && sq__wakeup_wait(&finished, limit)) { /* [finished] acquire: what `call` wrote */
    }
}

void sq__signal_begin_again(void) {
    if (has_thread) {
        sq__store_relaxed(&asked, false); /* of the parent */
        (void)start_thread();
    }
}

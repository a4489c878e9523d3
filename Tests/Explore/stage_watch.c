/* stage_watch.c: watchers. Each is discarded once, and not called afterwards. */
#include "stage_inside.h"

#include <errno.h>
#include <string.h>

enum { WATCHERS = 16 };
static struct { bool given, gone; uint64_t cell; } watchers[WATCHERS];
static unsigned watcher_count;

void stage_watch_reset(void) {
    memset(watchers, 0, sizeof watchers);
    watcher_count = 0;
}

static void stalled(void *context, const sq_stall_t *stall) {
    unsigned i = (unsigned)(uintptr_t)context;
    if (watchers[i].gone) {
        ex_fail("watch: a watcher is called after it was discarded");
    }
    EX_TRACE("watcher %u is called: %s for %llu", i, stall->kind == SQ_STALL_RUNNING ? "running" : "waiting",
             (unsigned long long)stall->nanoseconds);
    ex_read(WORD(watchers[i].cell));
    ex_point();
    if (watchers[i].gone || stall->label[0] < 'A' || stall->label[0] >= 'A' + QUEUES) {
        ex_fail("watch: a watcher is discarded while it is called, or called without a queue");
    }
    ex_read(WORD(watchers[i].cell));
    ex_gate_open(9); /* for scenarios in which a task stalls until that is reported */
}

static void watcher_gone(void *context) {
    unsigned i = (unsigned)(uintptr_t)context;
    if (watchers[i].gone) {
        ex_fail("watch: a watcher is discarded twice");
    }
    ex_write(WORD(watchers[i].cell));
    watchers[i].gone = true;
}

void stage_watch(int queue, bool watched) {
    unsigned i = watcher_count;
    int error;
    if (watched) {
        watcher_count += 1;
        ex_caller = (const void *)stage_watch;
        ex_write(WORD(watchers[i].cell));
        const sq_watcher_t watcher = { .stalled = stalled, .context = (void *)(uintptr_t)i, .discard = watcher_gone };
        watchers[i].given = true;
        error = sq_queue_watch(stage_queues[queue], 4000000, &watcher);
        if (error) {
            watchers[i].given = false;
        }
    } else {
        error = sq_queue_watch(stage_queues[queue], 0, NULL);
    }
    if (error && !(stage_may_fail && error == ENOMEM)) {
        ex_fail("error: watch returned %s", strerror(error));
    }
}

void stage_watch_end(void) {
    for (unsigned i = 0; i < watcher_count; i += 1) {
        if (watchers[i].given != watchers[i].gone) {
            ex_fail("watch: a watcher was not discarded");
        }
    }
}

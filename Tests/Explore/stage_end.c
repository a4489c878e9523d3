/* stage_end.c: what must be true when all is over: counts, room, outcomes, memory. */
#include "stage_inside.h"

#include "thread/token.h"

#include <errno.h>

static void check_counts(int queue) {
    if (stage_expected->targets && queue == 0) {
        return; /* it also counts the batches and turns of the others */
    }
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    uint64_t ran = stage_warm_tasks(), all = ran;
    for (unsigned i = 0; i < stage_count; i += 1) {
        if (stage_submissions[i].queue == queue && !stage_submissions[i].is_inline) {
            ran += stage_submissions[i].ran > 0;
            all += 1;
        }
    }
    sq_queue_stats(stage_queues[queue], &stats);
    uint64_t accounted = stats.ran + stats.discarded + stats.withdrawn + stats.rejected;
    if (stats.ran != ran || stats.depth != 0 || accounted != all || stats.submitted != stats.ran + stats.discarded + stats.withdrawn) {
        ex_fail("counts of %c at rest: %llu ran (really %llu), depth %llu, %llu + %llu withdrawn + %llu rejected + discarded of %llu",
                'A' + queue, (unsigned long long)stats.ran, (unsigned long long)ran, (unsigned long long)stats.depth,
                (unsigned long long)stats.ran, (unsigned long long)stats.withdrawn, (unsigned long long)stats.rejected,
                (unsigned long long)all);
    }
}

/* All of a queue's room has come back: that many tasks are taken, and one more is not. */
static void check_room(int queue) {
    stage_suspend(queue);
    for (size_t i = 0; i < stage_expected->capacity; i += 1) {
        if (stage_submit(ASYNC, queue, SQ_NOW, NULL, NULL) != 0) {
            ex_fail("capacity: room was lost");
        }
    }
    if (stage_submit(ASYNC, queue, SQ_NOW, NULL, NULL) != EAGAIN) {
        ex_fail("capacity: there is more room than there was");
    }
    stage_resume(queue, false);
    stage_submit(SYNC, queue, SQ_FOREVER, NULL, NULL);
}

void stage_rest(unsigned queues) {
    bool faults = ex_setting.faults;
    ex_setting.faults = false;
    stage_take_over();
    for (int queue = 0; queue < (int)queues; queue += 1) {
        if (stage_closed[queue]) {
            stage_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
        } else {
            kind_t last = stage_expected->width > 1 ? SYNC_BARRIER : SYNC;
            bool is_closed = stage_submit(last, queue, SQ_FOREVER, NULL, NULL) == ESHUTDOWN; /* by a task */
            if (is_closed || stage_submit(last, queue, SQ_FOREVER, NULL, NULL) == ESHUTDOWN) {
                stage_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER);
            } else if (stage_expected->capacity > 0) {
                check_room(queue);
            }
        }
        bool pending = false;
        for (unsigned i = 0; i < stage_count; i += 1) {
            pending = pending || (stage_submissions[i].queue == queue && !stage_submissions[i].error && !stage_submissions[i].finished && !stage_submissions[i].discarded);
        }
        if (!pending) {
            check_counts(queue);
        }
        stage_release(queue);
    }
    ex_setting.faults = faults;
}

/* Ask for tokens until there are no more: what is left then of the memory was lost. */
static void count_memory(void) {
    unsigned tokens = 0;
    ex_no_memory = true;
    while (sq__token_acquire() != NULL) {
        tokens += 1;
    }
    ex_no_memory = false;
    if (ex_live_blocks() != tokens) {
        ex_fail("memory: %u blocks are left, %u of them tokens", ex_live_blocks(), tokens);
    }
}

void stage_end(void) {
    for (int i = 1; i < (int)ex_threads(); i += 1) {
        ex_await_exit(i);
    }
    for (unsigned i = 0; i < stage_count; i += 1) {
        const submission_t *one = &stage_submissions[i];
        if (!one->error && one->ran + one->discarded != 1) {
            ex_fail("outcome: %s %d was accepted, ran %d times, discarded %d", stage_kind_names[one->kind], one->id, one->ran, one->discarded);
        }
    }
    stage_watch_end();
    if (stage_expected->deadlocks >= 0 && stage_deadlocks != stage_expected->deadlocks) {
        ex_fail("deadlock: %d calls returned EDEADLK, not %d", stage_deadlocks, stage_expected->deadlocks);
    }
    count_memory();
    if (ex_open_events() > 0) {
        ex_fail("memory: a descriptor is still open");
    }
}

/* control.c: suspending, shutting down, watching and looking at a queue that others use. */
#include "storm.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

typedef struct suspension {
    target_t *target;
    uint64_t starts; /* when it began */
} suspension_t;

static void resume(suspension_t *suspension) {
    target_t *target = suspension->target;
    uint64_t started = target->starts - suspension->starts;
    /* What is on a target that has ended runs on. */
    MUST(!is_serial(target) || started <= 1 || target->is_shut, "%llu tasks started on the suspended queue %d", (unsigned long long)started, target->number);
    int error = sq_resume(target->queue);
    MUST(error == 0 || target->is_shut, "a resume returned %d", error);
    sq_queue_release(target->queue);
    free(suspension);
}

static void resume_later(void *context) {
    resume(context);
    left_to_helper -= 1;
}

/* Nothing in between waits: others may wait for this queue. */
void act_suspend(self_t *me, target_t *target) {
    int error = sq_suspend(target->queue);
    if (error != 0) {
        MUST(error == ESHUTDOWN && target->is_shut, "a suspend returned %d", error);
        return;
    }
    suspension_t *suspension = malloc(sizeof *suspension);
    MUST(suspension != NULL, "no memory for the storm itself");
    *suspension = (suspension_t){ target, target->starts };
    sq_queue_retain(target->queue);
    yield_for(&me->chance);
    if (below(&me->chance, 2)) {
        resume(suspension);
        return;
    }
    left_to_helper += 1;
    MUST(sq_async_after(helper, below(&me->chance, 2000) * MICROSECOND, resume_later, suspension) == 0, "the helper refuses a task");
}

void act_shutdown(self_t *me, target_t *target) {
    if (below(&me->chance, 8) > 0) {
        return;
    }
    bool drains = below(&me->chance, 2);
    target->is_shut = true;
    if (!drains) {
        target->discards = true;
    }
    uint64_t before = book_now();
    int error = sq_shutdown(target->queue, drains ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, soon(&me->chance));
    if (error == 0) {
        book_check_drained(target, before);
        MUST(sq_has_ended(target->queue), "a shutdown returned 0, but the queue has not ended");
    } else {
        MUST(error == ETIMEDOUT || (error == EDEADLK && may_deadlock(me)), "a shutdown returned %d", error);
    }
}

typedef struct watch {
    target_t *target;
    atomic_bool is_discarded;
} watch_t;

static void stalled(void *context, const sq_stall_t *stall) {
    watch_t *watch = context;
    char label[32];
    snprintf(label, sizeof label, "queue %d", watch->target->number);
    MUST(!watch->is_discarded, "a watcher is called after its discard");
    MUST(strcmp(stall->label, label) == 0, "a watcher of \"%s\" is called for \"%s\"", label, stall->label);
}

static void watch_ended(void *context) {
    watch_t *watch = context;
    MUST(!atomic_exchange(&watch->is_discarded, true), "a watcher is discarded twice");
    watch->target->watchers -= 1;
    free(watch);
}

void act_watch(self_t *me, target_t *target) {
    if (below(&me->chance, 3) == 0) {
        MUST(sq_queue_watch(target->queue, 0, NULL) == 0, "the end of a watching failed");
        return;
    }
    watch_t *watch = calloc(1, sizeof *watch);
    MUST(watch != NULL, "no memory for the storm itself");
    watch->target = target;
    target->watchers += 1;
    int error = sq_queue_watch(target->queue, (1 + below(&me->chance, 5000)) * MICROSECOND, &(sq_watcher_t){ stalled, watch, watch_ended });
    MUST(error == 0, "a watching returned %d", error);
}

static void look_at_histograms(target_t *target, chance_t *chance) {
    if (!target->is_measured) {
        if (below(chance, 2)) {
            MUST(sq_queue_histograms_start(target->queue) == 0, "histograms cannot be started");
        } else {
            sq_queue_histograms_stop(target->queue);
        }
    }
    sq_histogram_t waiting = SQ_HISTOGRAM_INIT, running = SQ_HISTOGRAM_INIT;
    MUST(sq_queue_histograms(target->queue, &waiting, &running) == 0, "histograms cannot be read");
}

static void dump_to_nowhere(void) {
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    MUST(nowhere >= 0, "no file for the storm itself");
    MUST(sq_dump(nowhere) == 0, "a dump failed");
    close(nowhere);
    totals.dumps += 1;
}

void act_look(self_t *me, target_t *target) {
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    MUST(sq_queue_stats(target->queue, &stats) == 0, "no statistics");
    MUST(sq_queue_width(target->queue) == target->width, "a queue has another width");
    MUST(sq_queue_depth(target->queue) <= RECORDS * 2, "a depth of %zu", sq_queue_depth(target->queue));
    look_at_histograms(target, &me->chance);
    if (takes_part(TRACE) && below(&me->chance, 4) == 0) {
        sq_trace_write();
    }
    if (takes_part(DUMP) && below(&me->chance, 8) == 0) {
        dump_to_nowhere();
    }
}

/* sources.c: timers. */
#include "cells.h"

static dispatch_source_t source;
static dispatch_semaphore_t over;
static int firings, limit;

static void fire(void *context) {
    (void)context;
    firings += 1;
    note("fire(%lu)", (unsigned long)dispatch_source_get_data(source));
    if (firings == limit) {
        dispatch_semaphore_signal(over);
    }
}

static void cancelled(void *context) {
    note("cancelled(%s)", (char *)context);
    dispatch_semaphore_signal(over);
}

static void registered(void *context) { note("registered(%s)", (char *)context); }

static void finalize(void *context) {
    note("final(%s)", (char *)context);
    dispatch_semaphore_signal(over);
}

/* A source whose handlers note; `most` firings end a wait for `over`. */
static void make(dispatch_queue_t queue, int most) {
    over = dispatch_semaphore_create(0);
    firings = 0;
    limit = most;
    source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
    dispatch_set_context(source, "context");
    dispatch_source_set_event_handler_f(source, fire);
    dispatch_source_set_cancel_handler_f(source, cancelled);
}

static void cancel_and_end(void) {
    dispatch_source_cancel(source);
    must(over);
    dispatch_release(source);
}

CELL("source/invalid", invalid) {
    note("%s", dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 1, 0, NULL) ? "is" : "none");
    note("%s", dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 2, NULL) ? "is" : "none");
    note("%s", dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0x80, NULL) ? "is" : "none");
}

CELL("source/properties", properties) {
    make(NULL, 1);
    note("%lu %lu %lu %ld", (unsigned long)dispatch_source_get_handle(source), (unsigned long)dispatch_source_get_mask(source),
         (unsigned long)dispatch_source_get_data(source), (long)dispatch_source_testcancel(source));
    dispatch_activate(source);
    dispatch_source_cancel(source);
    must(over);
    note("%ld", (long)dispatch_source_testcancel(source));
    dispatch_release(source);
    dispatch_source_t strict = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, DISPATCH_TIMER_STRICT, NULL);
    note("%lu", (unsigned long)dispatch_source_get_mask(strict));
    dispatch_activate(strict);
    dispatch_source_cancel(strict);
    dispatch_release(strict);
}

CELL("source/once", once) {
    make(NULL, 1);
    dispatch_source_set_timer(source, in_milliseconds(2), DISPATCH_TIME_FOREVER, 0);
    dispatch_activate(source);
    must(over);
    usleep(5000);
    note("%lu", (unsigned long)dispatch_source_get_data(source));
    cancel_and_end();
}

CELL("source/now", now) {
    make(NULL, 1);
    dispatch_source_set_timer(source, DISPATCH_TIME_NOW, DISPATCH_TIME_FOREVER, 0);
    dispatch_resume(source);
    must(over);
    cancel_and_end();
}

CELL("source/past", past) {
    make(NULL, 1);
    dispatch_source_set_timer(source, 1, DISPATCH_TIME_FOREVER, 0);
    dispatch_resume(source);
    must(over);
    cancel_and_end();
}

CELL("source/wall", wall) {
    make(NULL, 1);
    dispatch_source_set_timer(source, dispatch_walltime(NULL, 1000000), DISPATCH_TIME_FOREVER, 1000);
    dispatch_resume(source);
    must(over);
    cancel_and_end();
}

CELL("source/forever", forever) {
    make(NULL, 1);
    dispatch_source_set_timer(source, DISPATCH_TIME_FOREVER, 1000000, 0);
    dispatch_resume(source);
    usleep(5000);
    cancel_and_end();
}

CELL("source/never-set", never_set) {
    make(NULL, 1);
    dispatch_resume(source);
    usleep(2000);
    cancel_and_end();
}

CELL("source/registration", registration) {
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    make(queue, 1);
    dispatch_source_set_registration_handler_f(source, registered);
    dispatch_source_set_timer(source, in_milliseconds(2), DISPATCH_TIME_FOREVER, 0);
    dispatch_activate(source);
    must(over);
    cancel_and_end();
    dispatch_release(queue);
}

static void registered_late(void *context) {
    registered(context);
    dispatch_semaphore_signal(over);
}

CELL("source/registration-late", registration_late) {
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    make(queue, 1);
    dispatch_activate(source);
    usleep(2000);
    drain(queue);
    dispatch_source_set_registration_handler_f(source, registered_late);
    must(over);
    cancel_and_end();
    dispatch_release(queue);
}

/* Counts at least, as firings may be late. */
static void fire_and_cancel(void *context) {
    (void)context;
    firings += (int)dispatch_source_get_data(source);
    if (firings >= limit && !dispatch_source_testcancel(source)) {
        note("enough");
        dispatch_source_cancel(source);
    }
}

CELL("source/interval", interval) {
    make(NULL, 4);
    dispatch_source_set_event_handler_f(source, fire_and_cancel);
    dispatch_source_set_timer(source, DISPATCH_TIME_NOW, 1000000, 0);
    dispatch_resume(source);
    must(over);
    dispatch_release(source);
}

CELL("source/interval-zero", interval_zero) {
    make(NULL, 4);
    dispatch_source_set_event_handler_f(source, fire_and_cancel);
    dispatch_source_set_timer(source, DISPATCH_TIME_NOW, 0, 0);
    dispatch_resume(source);
    must(over);
    dispatch_release(source);
}

CELL("source/missed-while-suspended", missed) {
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    make(queue, 100);
    dispatch_source_set_event_handler_f(source, fire_and_cancel);
    dispatch_source_set_timer(source, in_milliseconds(1), 1000000, 0);
    limit = 10;
    dispatch_activate(source);
    dispatch_suspend(source);
    usleep(20000);
    dispatch_resume(source);
    must(over);
    dispatch_release(source);
    dispatch_release(queue);
}

CELL("source/missed-while-inactive", missed_inactive) {
    make(NULL, 100);
    dispatch_source_set_event_handler_f(source, fire_and_cancel);
    dispatch_source_set_timer(source, in_milliseconds(1), 1000000, 0);
    limit = 10;
    usleep(20000);
    dispatch_activate(source);
    must(over);
    dispatch_release(source);
}

static void start_in_the_past(dispatch_time_t start) {
    dispatch_time_t soon = in_milliseconds(90);
    make(NULL, 2);
    dispatch_source_set_timer(source, start, 100000000, 0);
    dispatch_resume(source);
    must(over);
    note("%s", dispatch_time(DISPATCH_TIME_NOW, 0) < soon ? "in phase" : "late");
    cancel_and_end();
}

/* The next firing is in 50 ms, not in 100. */
CELL("source/start-that-has-passed", passed) { start_in_the_past(in_milliseconds(-1050)); }

CELL("source/start-that-has-passed-on-the-wall-clock", passed_wall) { start_in_the_past(dispatch_walltime(NULL, -1050000000)); }

CELL("source/resumed-late", resumed_late) {
    make(NULL, 1);
    dispatch_source_set_timer(source, DISPATCH_TIME_NOW, 100000000, 0);
    usleep(250000);
    dispatch_resume(source);
    must(over);
    cancel_and_end();
}

CELL("source/suspended-does-not-fire", suspended) {
    make(NULL, 1);
    dispatch_source_set_timer(source, in_milliseconds(1), DISPATCH_TIME_FOREVER, 0);
    dispatch_activate(source);
    dispatch_suspend(source);
    dispatch_suspend(source);
    dispatch_resume(source);
    usleep(5000);
    note("resume");
    dispatch_resume(source);
    must(over);
    sort_notes(); /* it may fire before the suspension */
    cancel_and_end();
}

CELL("source/cancel-inactive", cancel_inactive) {
    make(NULL, 1);
    dispatch_source_set_timer(source, DISPATCH_TIME_NOW, DISPATCH_TIME_FOREVER, 0);
    dispatch_source_cancel(source);
    usleep(2000);
    note("activate");
    dispatch_activate(source);
    must(over);
    dispatch_release(source);
}

CELL("source/cancel-twice", cancel_twice) {
    make(NULL, 1);
    dispatch_activate(source);
    dispatch_source_cancel(source);
    dispatch_source_cancel(source);
    must(over);
    usleep(2000);
    dispatch_release(source);
}

CELL("source/set-again", set_again) {
    make(NULL, 1);
    dispatch_source_set_timer(source, in_milliseconds(100000), DISPATCH_TIME_FOREVER, 0);
    dispatch_activate(source);
    dispatch_source_set_timer(source, in_milliseconds(1), DISPATCH_TIME_FOREVER, 0);
    must(over);
    cancel_and_end();
}

CELL("source/set-from-handler", set_from_handler) {
    make(NULL, 2);
    dispatch_source_set_timer(source, in_milliseconds(1), DISPATCH_TIME_FOREVER, 0);
    dispatch_activate(source);
    usleep(5000);
    dispatch_source_set_timer(source, in_milliseconds(1), DISPATCH_TIME_FOREVER, 0);
    must(over);
    cancel_and_end();
}

CELL("source/set-after-cancel", set_after_cancel) {
    make(NULL, 1);
    dispatch_activate(source);
    dispatch_source_cancel(source);
    must(over);
    dispatch_source_set_timer(source, DISPATCH_TIME_NOW, DISPATCH_TIME_FOREVER, 0);
    usleep(3000);
    dispatch_release(source);
}

CELL("source/released-after-cancel", released_after_cancel) {
    make(NULL, 1);
    dispatch_set_finalizer_f(source, finalize);
    dispatch_activate(source);
    dispatch_source_cancel(source);
    dispatch_release(source);
    must(over);
    must(over);
}

CELL("source/released-uncancelled", released_uncancelled) {
    make(NULL, 1);
    dispatch_set_finalizer_f(source, finalize);
    dispatch_source_set_timer(source, in_milliseconds(100000), DISPATCH_TIME_FOREVER, 0);
    dispatch_activate(source);
    dispatch_release(source);
    must(over);
}

CELL("source/queue-suspended", queue_suspended) {
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    make(queue, 1);
    dispatch_suspend(queue);
    dispatch_source_set_timer(source, in_milliseconds(1), DISPATCH_TIME_FOREVER, 0);
    dispatch_activate(source);
    usleep(5000);
    note("resume");
    dispatch_resume(queue);
    must(over);
    cancel_and_end();
    dispatch_release(queue);
}

CELL("source/target-set", target_set) {
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    make(NULL, 1);
    dispatch_set_target_queue(source, queue);
    dispatch_source_set_timer(source, in_milliseconds(1), DISPATCH_TIME_FOREVER, 0);
    dispatch_activate(source);
    must(over);
    cancel_and_end();
    dispatch_release(queue);
}

#ifdef __BLOCKS__
CELL("source/blocks", blocks) {
    over = dispatch_semaphore_create(0);
    dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, NULL);
    dispatch_semaphore_t done = over;
    dispatch_source_set_registration_handler(timer, ^{ note("registered"); });
    dispatch_source_set_event_handler(timer, ^{ note("replaced"); });
    dispatch_source_set_event_handler(timer, ^{
        note("fire");
        dispatch_source_cancel(timer);
    });
    dispatch_source_set_cancel_handler(timer, ^{
        note("cancelled");
        dispatch_semaphore_signal(done);
    });
    dispatch_source_set_timer(timer, in_milliseconds(1), DISPATCH_TIME_FOREVER, 0);
    dispatch_resume(timer);
    must(done);
    dispatch_release(timer);
}
#endif

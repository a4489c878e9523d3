/* objects.c: contexts, finalizers, references; groups, semaphores, once and apply. */
#include "cells.h"
#include <errno.h>

static dispatch_semaphore_t over;

static void finalize(void *context) {
    note("final(%s)", (char *)context);
    dispatch_semaphore_signal(over);
}

static dispatch_object_t object_of(int kind) {
    return kind == 0   ? (dispatch_object_t){ ._dq = dispatch_queue_create("q", NULL) }
           : kind == 1 ? (dispatch_object_t){ ._dg = dispatch_group_create() }
           : kind == 2 ? (dispatch_object_t){ ._dsema = dispatch_semaphore_create(1) }
                       : (dispatch_object_t){ ._ds = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, NULL) };
}

static void context(int kind) {
    over = dispatch_semaphore_create(0);
    dispatch_object_t object = object_of(kind);
    note("%s", dispatch_get_context(object) ? "is" : "none");
    dispatch_set_context(object, "context");
    note("%s", (char *)dispatch_get_context(object));
    dispatch_set_finalizer_f(object, finalize);
    dispatch_retain(object);
    dispatch_release(object);
    note("kept");
    if (kind == 3) {
        dispatch_activate(object);
    }
    dispatch_release(object);
    must(over);
}
CELL("context/queue", context_queue) { context(0); }
CELL("context/group", context_group) { context(1); }
CELL("context/semaphore", context_semaphore) { context(2); }
CELL("context/source", context_source) { context(3); }

CELL("context/permanent", context_permanent) {
    dispatch_set_context(dispatch_get_global_queue(0, 0), "x");
    note("%s", dispatch_get_context(dispatch_get_global_queue(0, 0)) ? "is" : "none");
    dispatch_set_context(dispatch_get_main_queue(), "x");
    note("%s", dispatch_get_context(dispatch_get_main_queue()) ? "is" : "none");
    dispatch_retain(dispatch_get_global_queue(0, 0));
    dispatch_release(dispatch_get_main_queue());
    dispatch_release(dispatch_get_global_queue(0, 0));
    dispatch_release(dispatch_get_global_queue(0, 0));
    dispatch_suspend(dispatch_get_global_queue(0, 0));
    drain(dispatch_get_global_queue(0, 0));
    dispatch_resume(dispatch_get_global_queue(0, 0));
    dispatch_activate(dispatch_get_main_queue());
}

CELL("finalizer/without-context", no_context) {
    dispatch_queue_t target = dispatch_queue_create("t", NULL), queue = dispatch_queue_create_with_target("q", NULL, target);
    dispatch_set_finalizer_f(queue, finalize);
    dispatch_release(queue);
    drain(target);
    drain(target);
    dispatch_release(target);
}

static void final_label(void *semaphore) {
    note("%s", dispatch_queue_get_label(NULL));
    dispatch_semaphore_signal((dispatch_semaphore_t)semaphore);
}

CELL("finalizer/on-target", final_on_target) {
    over = dispatch_semaphore_create(0);
    dispatch_queue_t target = dispatch_queue_create("target", NULL), queue = dispatch_queue_create_with_target("q", NULL, target);
    dispatch_set_context(queue, over);
    dispatch_set_finalizer_f(queue, final_label);
    dispatch_async_f(queue, "task", note_word);
    dispatch_release(queue);
    must(over);
    dispatch_group_t group = dispatch_group_create();
    dispatch_set_target_queue(group, target);
    dispatch_set_context(group, over);
    dispatch_set_finalizer_f(group, final_label);
    dispatch_release(group);
    must(over);
    dispatch_release(target);
}

static void note_context(void *queue) { note("%s", (char *)dispatch_get_context((dispatch_queue_t)queue)); }
CELL("context/changed", context_changed) {
    over = dispatch_semaphore_create(0);
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    dispatch_set_context(queue, "a");
    dispatch_sync_f(queue, queue, note_context);
    dispatch_set_context(queue, "b");
    dispatch_sync_f(queue, queue, note_context);
    dispatch_set_finalizer_f(queue, finalize);
    dispatch_release(queue);
    must(over);
}

CELL("group/wait", group_wait) {
    dispatch_group_t group = dispatch_group_create();
    note("%ld", (long)dispatch_group_wait(group, DISPATCH_TIME_NOW));
    dispatch_group_enter(group);
    errno = 0;
    note("%d", dispatch_group_wait(group, DISPATCH_TIME_NOW) != 0);
    note("%d", dispatch_group_wait(group, in_milliseconds(2)) != 0);
    note("%d", dispatch_group_wait(group, dispatch_walltime(NULL, 2000000)) != 0);
    note("%d", dispatch_group_wait(group, 1) != 0);
    dispatch_group_enter(group);
    dispatch_group_leave(group);
    note("%d", dispatch_group_wait(group, DISPATCH_TIME_NOW) != 0);
    dispatch_group_leave(group);
    note("%ld", (long)dispatch_group_wait(group, DISPATCH_TIME_FOREVER));
    dispatch_release(group);
}

CELL("group/timeout-value", group_timeout) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_enter(group);
    note("%ld", (long)dispatch_group_wait(group, in_milliseconds(1)));
    note("%ld", (long)dispatch_group_wait(group, DISPATCH_TIME_NOW));
    dispatch_group_leave(group);
    dispatch_release(group);
}

CELL("group/notify-order", notify_order) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    dispatch_semaphore_t gate = dispatch_semaphore_create(0);
    dispatch_group_async_f(group, queue, gate, wait_for_it);
    dispatch_group_notify_f(group, queue, "first", note_word);
    dispatch_group_notify_f(group, queue, "second", note_word);
    dispatch_async_f(queue, "async", note_word);
    dispatch_semaphore_signal(gate);
    must_all(group);
    drain(queue);
    drain(queue);
    sort_notes();
    dispatch_release(group);
    dispatch_release(queue);
}

CELL("group/again", group_again) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_queue_t queue = dispatch_queue_create("q", DISPATCH_QUEUE_CONCURRENT);
    for (int i = 0; i < 3; i += 1) {
        dispatch_group_async_f(group, queue, "member", note_word);
        must_all(group);
        dispatch_group_notify_f(group, queue, "over", note_word);
        drain(queue);
    }
    dispatch_release(group);
    dispatch_release(queue);
}

CELL("group/released-while-entered", group_released) {
    over = dispatch_semaphore_create(0);
    dispatch_group_t group = dispatch_group_create();
    dispatch_set_context(group, "group");
    dispatch_set_finalizer_f(group, finalize);
    dispatch_group_enter(group);
    dispatch_group_notify_f(group, dispatch_get_global_queue(0, 0), over, signal_it);
    dispatch_release(group);
    note("released");
    dispatch_group_leave(group);
    must(over);
    must(over);
}

CELL("semaphore/values", semaphore_values) {
    for (int value = 0; value < 3; value += 1) {
        dispatch_semaphore_t semaphore = dispatch_semaphore_create(value);
        int taken = 0;
        while (dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW) == 0) {
            taken += 1;
        }
        note("%d", taken);
        for (int i = 0; i < value; i += 1) {
            note("%ld", (long)dispatch_semaphore_signal(semaphore));
        }
        dispatch_release(semaphore);
    }
}

CELL("semaphore/timeout", semaphore_timeout) {
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
    note("%ld", (long)dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW));
    note("%ld", (long)dispatch_semaphore_wait(semaphore, in_milliseconds(2)));
    note("%ld", (long)dispatch_semaphore_wait(semaphore, dispatch_walltime(NULL, 2000000)));
    note("%ld", (long)dispatch_semaphore_signal(semaphore));
    note("%ld", (long)dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER));
    dispatch_release(semaphore);
}

CELL("semaphore/signal-wakes", signal_wakes) {
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_async_f(group, dispatch_get_global_queue(0, 0), semaphore, wait_for_it);
    /* Until the thread waits, a signal would add to the value; it takes that back. */
    long woken = 0;
    while ((woken = (long)dispatch_semaphore_signal(semaphore)) == 0) {
        if (dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW) != 0) {
            woken = 1; /* the thread has taken it before it waited */
            break;
        }
        usleep(100);
    }
    note("%ld", woken);
    must_all(group);
    dispatch_release(group);
    dispatch_release(semaphore);
}

CELL("semaphore/negative", semaphore_negative) { note("%s", dispatch_semaphore_create(-1) ? "is" : "none"); }

static void once_body(void *word) {
    usleep(1000);
    note("%s", (char *)word);
}

static dispatch_once_t predicate;
static void call_once(void *context, size_t index) {
    (void)index;
    dispatch_once_f(&predicate, context, once_body);
}

CELL("once/threads", once_threads) {
    predicate = 0;
    dispatch_apply_f(8, dispatch_get_global_queue(0, 0), "once", call_once);
    call_once("again", 0);
    note("%d", predicate == ~0l);
}

static dispatch_once_t inner_predicate;
static void once_inner(void *word) {
    note("%s", (char *)word);
    dispatch_once_f(&inner_predicate, "inner", once_body);
}
CELL("once/nested", once_nested) {
    predicate = inner_predicate = 0;
    dispatch_once_f(&predicate, "outer", once_inner);
    dispatch_once_f(&inner_predicate, "again", once_body);
}

static void add(void *sum, size_t index) { __atomic_add_fetch((long *)sum, (long)index, __ATOMIC_RELAXED); }
static void apply_on(dispatch_queue_t queue) {
    long sum = 0;
    dispatch_apply_f(100, queue, &sum, add);
    note("%ld", sum);
    dispatch_apply_f(0, queue, &sum, add);
    dispatch_apply_f(1, queue, &sum, add);
    note("%ld", sum);
}
static void apply_inner(void *sum, size_t index) {
    (void)index;
    dispatch_apply_f(10, DISPATCH_APPLY_AUTO, sum, add);
}
CELL("apply/kinds", apply_kinds) {
    for (int i = 0; i < kind_count; i += 1) {
        dispatch_queue_t queue = kinds[i].make(0);
        apply_on(queue);
        dispatch_release(queue);
    }
    apply_on(DISPATCH_APPLY_AUTO);
}
CELL("apply/nested", apply_nested) {
    long sum = 0;
    dispatch_apply_f(10, DISPATCH_APPLY_AUTO, &sum, apply_inner);
    note("%ld", sum);
}
static void in_order(void *unused, size_t index) {
    (void)unused;
    note("%d", (int)index);
}
CELL("apply/serial-order", apply_order) {
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    dispatch_apply_f(5, queue, NULL, in_order);
    dispatch_release(queue);
}

/* queues.c: what can be asked of queues, their attributes, targets, contexts and values. */
#include "cells.h"
#include <sys/resource.h>
#include <unistd.h>

static void note_label(void *unused) {
    (void)unused;
    note("%s", dispatch_queue_get_label(NULL));
}

CELL("queue/label", label) {
    char text[] = "a label";
    dispatch_queue_t queue = dispatch_queue_create(text, NULL);
    text[0] = 'x';
    note("%s", dispatch_queue_get_label(queue));
    dispatch_queue_t none = dispatch_queue_create(NULL, NULL);
    note("[%s]", dispatch_queue_get_label(none));
    dispatch_release(queue);
    dispatch_release(none);
}

CELL("queue/labels-of-permanent", labels_of_permanent) {
    long ids[] = { 2, 0, -2, INT16_MIN, 0x21, 0x19, 0x15, 0x11, 0x09 };
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i += 1) {
        note("%s", dispatch_queue_get_label(dispatch_get_global_queue(ids[i], 0)));
        note("%s", dispatch_queue_get_label(dispatch_get_global_queue(ids[i], 2)));
    }
    note("%s", dispatch_queue_get_label(dispatch_get_main_queue()));
}

CELL("queue/label-outside", label_outside) { note_label(NULL); }
CELL("main/suspend-is-none", main_suspend) {
    dispatch_suspend(dispatch_get_main_queue());
    dispatch_resume(dispatch_get_main_queue());
    dispatch_resume(dispatch_get_main_queue());
    note("nothing");
}
CELL_ALONE("main/label-outside", main_label) { note_label(NULL); }
CELL_ALONE("main/label-in-sync", main_label_in_sync) {
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    dispatch_sync_f(queue, NULL, note_label);
    dispatch_sync_f(dispatch_get_global_queue(0, 0), NULL, note_label);
}

CELL("queue/global-identity", global_identity) {
    note("%d", dispatch_get_global_queue(0, 0) == dispatch_get_global_queue(0x15, 0));
    note("%d", dispatch_get_global_queue(2, 0) == dispatch_get_global_queue(0x19, 0));
    note("%d", dispatch_get_global_queue(0x21, 0) == dispatch_get_global_queue(0x19, 0));
    note("%d", dispatch_get_global_queue(-2, 0) == dispatch_get_global_queue(0x11, 0));
    note("%d", dispatch_get_global_queue(INT16_MIN, 0) == dispatch_get_global_queue(0x09, 0));
    note("%d", dispatch_get_global_queue(0, 2) == dispatch_get_global_queue(0, 0));
}

CELL("queue/global-invalid", global_invalid) {
    long ids[] = { 1, -1, 3, 7, 0x05, 0x20, 0x22, 1000 };
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i += 1) {
        note("%ld:%s", ids[i], dispatch_get_global_queue(ids[i], 0) ? "is" : "none");
    }
    note("flags1:%s", dispatch_get_global_queue(0, 1) ? "is" : "none");
    note("flags4:%s", dispatch_get_global_queue(0, 4) ? "is" : "none");
}

static void note_class(dispatch_queue_t queue) {
    int relative = 99;
    unsigned of_class = dispatch_queue_get_qos_class(queue, &relative);
    note("%x,%d", of_class, relative);
}

CELL("queue/classes", classes) {
    unsigned ids[] = { 0, 0x05, 0x09, 0x11, 0x15, 0x19, 0x21, 0x10, 0x30 };
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i += 1) {
        dispatch_queue_t queue = dispatch_queue_create("q", dispatch_queue_attr_make_with_qos_class(NULL, ids[i], -(int)i));
        note_class(queue);
        dispatch_release(queue);
    }
}

static void note_nice(void *semaphore) {
    note("%d", getpriority(PRIO_PROCESS, 0) - getpriority(PRIO_PROCESS, (id_t)getpid()) > 0);
    dispatch_semaphore_signal(semaphore);
}

CELL("queue/class-of-its-own-over-global-target", class_over_target) {
    dispatch_queue_attr_t attribute = dispatch_queue_attr_make_with_qos_class(NULL, 0x15, 0);
    dispatch_queue_t queue = dispatch_queue_create_with_target("q", attribute, dispatch_get_global_queue(0x09, 0));
    dispatch_semaphore_t done = dispatch_semaphore_create(0);
    dispatch_async_f(queue, done, note_nice);
    must(done);
    note_class(queue);
    dispatch_release(queue);
    dispatch_release(done);
}

CELL("queue/classes-invalid-priority", classes_invalid) {
    int values[] = { 0, -1, -15, -16, 1, 5 };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i += 1) {
        dispatch_queue_t queue = dispatch_queue_create("q", dispatch_queue_attr_make_with_qos_class(DISPATCH_QUEUE_CONCURRENT, 0x11, values[i]));
        note_class(queue);
        dispatch_release(queue);
    }
}

CELL("queue/class-of-default", class_of_default) {
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    note_class(queue);
    dispatch_release(queue);
    note_class(dispatch_get_global_queue(0, 0));
    note_class(dispatch_get_global_queue(2, 0));
    note_class(dispatch_get_global_queue(-2, 0));
    note_class(dispatch_get_global_queue(INT16_MIN, 0));
    note_class(dispatch_get_main_queue());
}

CELL("queue/class-with-target", class_with_target) {
    dispatch_queue_t queue = dispatch_queue_create_with_target("q", NULL, dispatch_get_global_queue(-2, 0));
    note_class(queue);
    dispatch_queue_t child = dispatch_queue_create_with_target("q", NULL, queue);
    note_class(child);
    dispatch_release(child);
    dispatch_release(queue);
}

CELL("queue/attributes", attributes) {
    note("%d", dispatch_queue_attr_make_with_qos_class(NULL, 0, 0) == NULL);
    note("%d", dispatch_queue_attr_make_with_qos_class(DISPATCH_QUEUE_CONCURRENT, 0, 0) == DISPATCH_QUEUE_CONCURRENT);
    note("%d", dispatch_queue_attr_make_initially_inactive(NULL) == DISPATCH_QUEUE_SERIAL_INACTIVE);
    note("%d", DISPATCH_QUEUE_SERIAL_INACTIVE == NULL);
    note("%d", DISPATCH_QUEUE_CONCURRENT_INACTIVE == DISPATCH_QUEUE_CONCURRENT);
    note("%d", dispatch_queue_attr_make_with_qos_class(NULL, 0x77, 0) == NULL);
    note("%d", dispatch_queue_attr_make_with_qos_class(NULL, 0x11, -3) == dispatch_queue_attr_make_with_qos_class(NULL, 0x11, -3));
    note("%d", dispatch_queue_attr_make_with_autorelease_frequency(NULL, DISPATCH_AUTORELEASE_FREQUENCY_INHERIT) == NULL);
}

static const char key, other_key;

static void note_value(void *unused) {
    (void)unused;
    char *value = dispatch_get_specific(&key), *other = dispatch_get_specific(&other_key);
    note("%s,%s", value ? value : "none", other ? other : "none");
}

CELL("specific/get", specific_get) {
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    note("%s", dispatch_queue_get_specific(queue, &key) ? "is" : "none");
    dispatch_queue_set_specific(queue, &key, "a", NULL);
    note("%s", (char *)dispatch_queue_get_specific(queue, &key));
    dispatch_sync_f(queue, NULL, note_value);
    dispatch_queue_set_specific(queue, &other_key, "b", NULL);
    dispatch_sync_f(queue, NULL, note_value);
    dispatch_queue_set_specific(queue, &key, NULL, NULL);
    dispatch_sync_f(queue, NULL, note_value);
    note_value(NULL);
    dispatch_release(queue);
}

static void sync_value(void *queue) { dispatch_sync_f((dispatch_queue_t)queue, NULL, note_value); }

CELL("specific/nested", specific_nested) {
    dispatch_queue_t a = dispatch_queue_create("a", NULL), b = dispatch_queue_create("b", NULL);
    dispatch_queue_set_specific(a, &key, "a", NULL);
    dispatch_queue_set_specific(b, &other_key, "b", NULL);
    dispatch_sync_f(a, b, sync_value);
    dispatch_queue_set_specific(b, &key, "b", NULL);
    dispatch_sync_f(a, b, sync_value);
    dispatch_release(a);
    dispatch_release(b);
}

CELL("specific/of-target", specific_of_target) {
    dispatch_queue_t target = dispatch_queue_create("t", NULL), queue = dispatch_queue_create_with_target("q", NULL, target);
    dispatch_queue_set_specific(target, &key, "target", NULL);
    dispatch_sync_f(queue, NULL, note_value);
    note("%s", dispatch_queue_get_specific(queue, &key) ? "is" : "none");
    dispatch_queue_set_specific(queue, &key, "queue", NULL);
    dispatch_sync_f(queue, NULL, note_value);
    dispatch_sync_f(target, NULL, note_value);
    dispatch_release(queue);
    dispatch_release(target);
}

CELL("specific/main", specific_main) {
    dispatch_queue_set_specific(dispatch_get_main_queue(), &key, "main", NULL);
    note("%s", (char *)dispatch_queue_get_specific(dispatch_get_main_queue(), &key));
    dispatch_async_and_wait_f(dispatch_get_main_queue(), NULL, note_value);
    dispatch_queue_set_specific(dispatch_get_main_queue(), &key, NULL, NULL);
}

CELL_ALONE("main/specific", main_specific) {
    dispatch_queue_set_specific(dispatch_get_main_queue(), &key, "main", NULL);
    note_value(NULL);
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    dispatch_sync_f(queue, NULL, note_value);
}

static dispatch_semaphore_t ended;
static void value_ends(void *value) {
    note("end(%s)", (char *)value);
    dispatch_semaphore_signal(ended);
}

CELL("specific/destructors", destructors) {
    ended = dispatch_semaphore_create(0);
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    dispatch_queue_set_specific(queue, &key, "first", value_ends);
    dispatch_queue_set_specific(queue, &key, "second", value_ends);
    must(ended);
    dispatch_sync_f(queue, NULL, note_value);
    dispatch_queue_set_specific(queue, &other_key, "other", value_ends);
    dispatch_queue_set_specific(queue, &other_key, NULL, NULL);
    must(ended);
    dispatch_release(queue);
    must(ended);
}

static int values[2];
static void ignore(void *unused) { (void)unused; }
static void replace(void *queue) {
    for (int i = 0; i < 20000; i += 1) {
        dispatch_queue_set_specific(queue, &key, &values[i % 2], NULL);
    }
    dispatch_semaphore_signal(ended);
}

CELL("specific/read-while-it-is-replaced", read_while_replaced) {
    ended = dispatch_semaphore_create(0);
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    dispatch_queue_set_specific(queue, &key, &values[0], NULL);
    dispatch_sync_f(queue, NULL, ignore);
    dispatch_async_f(dispatch_get_global_queue(0, 0), queue, replace);
    int others = 0;
    do {
        void *value = dispatch_queue_get_specific(queue, &key);
        others += value != &values[0] && value != &values[1];
    } while (dispatch_semaphore_wait(ended, DISPATCH_TIME_NOW) != 0);
    note("%d", others);
    dispatch_release(queue);
}

CELL("specific/destructor-of-unused", destructor_of_unused) {
    ended = dispatch_semaphore_create(0);
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    dispatch_queue_set_specific(queue, &key, "value", value_ends);
    dispatch_release(queue);
    must(ended);
}

CELL("specific/after-release", specific_after_release) {
    dispatch_semaphore_t gate = dispatch_semaphore_create(0);
    ended = dispatch_semaphore_create(0);
    dispatch_queue_t queue = dispatch_queue_create("q", NULL);
    dispatch_queue_set_specific(queue, &key, "value", value_ends);
    dispatch_async_f(queue, gate, wait_for_it);
    dispatch_async_f(queue, NULL, note_value);
    dispatch_release(queue);
    dispatch_semaphore_signal(gate);
    must(ended);
}

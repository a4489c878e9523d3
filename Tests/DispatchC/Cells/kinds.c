/* kinds.c: the kinds of queues. */
#include "cells.h"

static dispatch_queue_attr_t with(dispatch_queue_attr_t attribute, int inactive) {
    return inactive ? dispatch_queue_attr_make_initially_inactive(attribute) : attribute;
}

static dispatch_queue_t serial(int inactive) {
    return dispatch_queue_create("serial", with(NULL, inactive));
}

static dispatch_queue_t concurrent(int inactive) {
    return dispatch_queue_create("concurrent", with(DISPATCH_QUEUE_CONCURRENT, inactive));
}

static dispatch_queue_t serial_utility(int inactive) {
    return dispatch_queue_create("utility", dispatch_queue_attr_make_with_qos_class(with(NULL, inactive), 0x11, -3));
}

static dispatch_queue_t concurrent_background(int inactive) {
    return dispatch_queue_create("background", dispatch_queue_attr_make_with_qos_class(with(DISPATCH_QUEUE_CONCURRENT, inactive), 0x09, 0));
}

static dispatch_queue_t global(int inactive) {
    (void)inactive;
    return dispatch_get_global_queue(0, 0);
}

static dispatch_queue_t global_low(int inactive) {
    (void)inactive;
    return dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_LOW, 0);
}

static dispatch_queue_t global_overcommit(int inactive) {
    (void)inactive;
    return dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_HIGH, 2);
}

static dispatch_queue_t main_queue(int inactive) {
    (void)inactive;
    return dispatch_get_main_queue();
}

static dispatch_queue_t on(const char *label, dispatch_queue_attr_t attribute, int inactive, dispatch_queue_t target) {
    dispatch_queue_t queue = dispatch_queue_create_with_target(label, with(attribute, inactive), target);
    dispatch_release(target);
    return queue;
}

static dispatch_queue_t serial_on_global(int inactive) {
    return on("on-global", NULL, inactive, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_LOW, 0));
}

static dispatch_queue_t concurrent_on_global(int inactive) {
    return on("c-on-global", DISPATCH_QUEUE_CONCURRENT, inactive, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_LOW, 0));
}

static dispatch_queue_t serial_on_serial(int inactive) {
    return on("on-serial", NULL, inactive, dispatch_queue_create("target", NULL));
}

static dispatch_queue_t concurrent_on_serial(int inactive) {
    return on("c-on-serial", DISPATCH_QUEUE_CONCURRENT, inactive, dispatch_queue_create("target", NULL));
}

static dispatch_queue_t serial_on_concurrent(int inactive) {
    return on("on-concurrent", NULL, inactive, dispatch_queue_create("target", DISPATCH_QUEUE_CONCURRENT));
}

static dispatch_queue_t set_target(int inactive) {
    dispatch_queue_t queue = serial(inactive), target = dispatch_queue_create("target", NULL);
    dispatch_set_target_queue(queue, target);
    dispatch_release(target);
    return queue;
}

static dispatch_queue_t deep(int inactive) {
    dispatch_queue_t target = dispatch_queue_create_with_target("middle", NULL, dispatch_get_global_queue(0, 0));
    return on("deep", NULL, inactive, on("inner", NULL, 0, target));
}

static dispatch_queue_t on_main(int inactive) {
    return on("on-main", NULL, inactive, dispatch_get_main_queue());
}

const kind_t kinds[] = {
    { "serial", 1, 0, 0, serial },
    { "concurrent", 0, 0, 0, concurrent },
    { "serial-utility", 1, 0, 0, serial_utility },
    { "concurrent-background", 0, 0, 0, concurrent_background },
    { "global", 0, 1, 1, global },
    { "global-low", 0, 1, 1, global_low },
    { "global-overcommit", 0, 1, 1, global_overcommit },
    { "main-queue", 1, 1, 0, main_queue },
    { "serial-on-global", 1, 0, 0, serial_on_global },
    { "concurrent-on-global", 0, 0, 0, concurrent_on_global },
    { "serial-on-serial", 1, 0, 0, serial_on_serial },
    { "concurrent-on-serial", 1, 0, 0, concurrent_on_serial },
    { "serial-on-concurrent", 1, 0, 0, serial_on_concurrent },
    { "set-target", 1, 0, 0, set_target },
    { "deep", 1, 0, 0, deep },
    { "on-main", 1, 0, 0, on_main },
};
const int kind_count = sizeof kinds / sizeof kinds[0];

/* ends.c: what ends or hangs the process; each in one of its own. */
#include "cells.h"
#include <pthread.h>

static dispatch_queue_t a, b;

static void nothing(void *unused) { (void)unused; }
static void say(void *word) { note("%s", (char *)word); }
static dispatch_queue_t serial(const char *label) { return dispatch_queue_create(label, NULL); }

static void sync_a(void *unused) { (void)unused; dispatch_sync_f(a, "ran", say); }
static void sync_b(void *unused) { (void)unused; dispatch_sync_f(b, "ran", say); }
static void sync_b_then_a(void *unused) { (void)unused; dispatch_sync_f(b, NULL, sync_a); }
static void barrier_a(void *unused) { (void)unused; dispatch_barrier_sync_f(a, "ran", say); }
static void and_wait_a(void *unused) { (void)unused; dispatch_async_and_wait_f(a, "ran", say); }
static void note_index(void *word, size_t index) { note("%s%d", (char *)word, (int)index); }
static void apply_a(void *unused) { (void)unused; dispatch_apply_f(2, a, "ran", note_index); }

CELL_ALONE("ends/sync-on-itself", sync_on_itself) { a = serial("a"); dispatch_sync_f(a, NULL, sync_a); }
CELL_ALONE("ends/sync-on-itself-from-async", from_async) { a = serial("a"); dispatch_async_f(a, NULL, sync_a); drain(a); }
CELL_ALONE("ends/and-wait-on-itself", and_wait_on_itself) { a = serial("a"); dispatch_sync_f(a, NULL, and_wait_a); }
CELL_ALONE("ends/apply-on-itself", apply_on_itself) { a = serial("a"); dispatch_sync_f(a, NULL, apply_a); }
CELL_ALONE("ends/sync-cycle", sync_cycle) { a = serial("a"); b = serial("b"); dispatch_sync_f(a, NULL, sync_b_then_a); }
CELL_ALONE("ends/sync-on-itself-concurrent", sync_concurrent) {
    a = dispatch_queue_create("a", DISPATCH_QUEUE_CONCURRENT);
    dispatch_sync_f(a, NULL, sync_a);
}
CELL_ALONE("ends/barrier-in-task", barrier_in_task) { a = dispatch_queue_create("a", DISPATCH_QUEUE_CONCURRENT); dispatch_sync_f(a, NULL, barrier_a); }
CELL_ALONE("ends/sync-in-barrier", sync_in_barrier) { a = dispatch_queue_create("a", DISPATCH_QUEUE_CONCURRENT); dispatch_barrier_sync_f(a, NULL, sync_a); }
CELL_ALONE("ends/sync-on-target", sync_on_target) {
    a = serial("a");
    dispatch_sync_f(dispatch_queue_create_with_target("child", NULL, a), NULL, sync_a);
}
CELL_ALONE("ends/sync-on-child", sync_on_child) {
    b = serial("b");
    a = dispatch_queue_create_with_target("child", NULL, b);
    dispatch_sync_f(b, NULL, sync_a);
}

static dispatch_semaphore_t first, second;
static void a_then_b(void *unused) { dispatch_semaphore_signal(first); must(second); sync_b(unused); }
static void b_then_a(void *unused) { dispatch_semaphore_signal(second); must(first); sync_a(unused); }
CELL_ALONE("ends/two-threads-cycle", two_threads) {
    a = serial("a"), b = serial("b");
    first = dispatch_semaphore_create(0), second = dispatch_semaphore_create(0);
    dispatch_async_f(a, NULL, a_then_b);
    dispatch_async_f(b, NULL, b_then_a);
    drain(a);
}

CELL_ALONE("main/sync-on-main", main_sync) { dispatch_sync_f(dispatch_get_main_queue(), "ran", say); }
CELL_ALONE("main/sync-on-main-from-sync", main_sync_nested) { a = dispatch_get_main_queue(); dispatch_sync_f(serial("b"), NULL, sync_a); }
static dispatch_queue_t on_main(const char *label) { return dispatch_queue_create_with_target(label, NULL, dispatch_get_main_queue()); }
CELL_ALONE("main/sync-on-child-of-main", main_sync_child) { dispatch_sync_f(on_main("child"), "ran", say); }
CELL_ALONE("main/wait-for-member-of-child", main_wait_member) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_queue_t child = on_main("child");
    dispatch_sync_f(child, "ran", say);
    dispatch_group_async_f(group, child, "member", say);
    note("%ld", (long)dispatch_group_wait(group, DISPATCH_TIME_FOREVER));
}

/* The main thread waits for a task that waits for the main queue, which nothing has used before. */
static void sync_main(void *unused) { (void)unused; dispatch_sync_f(dispatch_get_main_queue(), "ran", say); }
static void signal_then_sync_main(void *unused) { dispatch_semaphore_signal(first); sync_main(unused); }
CELL_ALONE("main/cycle-by-sync", main_cycle_sync) {
    a = serial("a");
    dispatch_async_f(a, NULL, sync_main);
    dispatch_sync_f(a, "ran", say);
}
CELL_ALONE("main/cycle-by-barrier", main_cycle_barrier) {
    a = dispatch_queue_create("a", DISPATCH_QUEUE_CONCURRENT);
    dispatch_async_f(a, NULL, sync_main);
    dispatch_barrier_sync_f(a, "ran", say);
}
CELL_ALONE("main/cycle-by-group", main_cycle_group) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_async_f(group, serial("a"), NULL, sync_main);
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
}
static dispatch_once_t once;
static void once_with_main(void *unused) { (void)unused; dispatch_once_f(&once, NULL, signal_then_sync_main); }
CELL_ALONE("main/cycle-by-once", main_cycle_once) {
    first = dispatch_semaphore_create(0);
    dispatch_async_f(serial("a"), NULL, once_with_main);
    must(first);
    dispatch_once_f(&once, NULL, nothing);
}
static void main_waits_for_other(void *main_thread, size_t index) {
    (void)index;
    if (pthread_equal(*(pthread_t *)main_thread, pthread_self())) {
        must(first);
    } else {
        signal_then_sync_main(NULL);
    }
}
CELL_ALONE("main/cycle-by-apply", main_cycle_apply) {
    pthread_t main_thread = pthread_self();
    first = dispatch_semaphore_create(0);
    dispatch_apply_f(2, NULL, &main_thread, main_waits_for_other);
}
CELL_ALONE("main/wait-for-member-of-unused", main_wait_unused) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_async_f(group, dispatch_get_main_queue(), "member", say);
    note("%ld", (long)dispatch_group_wait(group, DISPATCH_TIME_FOREVER));
}
CELL_ALONE("main/async-is-not-run-by-another-sync", main_sync_of_another) {
    dispatch_async_f(dispatch_get_main_queue(), "early", say);
    dispatch_sync_f(serial("a"), "ran", say);
}
CELL_ALONE("main/assert", main_assert) { dispatch_assert_queue(dispatch_get_main_queue()); note("holds"); }
static void assert_main(void *unused) { (void)unused; dispatch_assert_queue(dispatch_get_main_queue()); note("holds"); }
CELL_ALONE("main/assert-in-sync", main_assert_in_sync) { dispatch_sync_f(serial("a"), NULL, assert_main); }
CELL_ALONE("ends/assert-main-elsewhere", assert_main_elsewhere) { assert_main(NULL); }
CELL_ALONE("ends/dispatch-main-elsewhere", main_elsewhere) { dispatch_main(); }

CELL_ALONE("ends/assert-fails", assert_fails) { dispatch_assert_queue(serial("a")); note("holds"); }
CELL_ALONE("ends/assert-not-holds", assert_not_holds) { dispatch_assert_queue_not(serial("a")); note("holds"); }
static void assert_a(void *unused) { (void)unused; dispatch_assert_queue(a); note("holds"); }
static void assert_not_a(void *unused) { (void)unused; dispatch_assert_queue_not(a); note("holds"); }
static void assert_barrier_a(void *unused) { (void)unused; dispatch_assert_queue_barrier(a); note("holds"); }
static void assert_from_b(void *unused) { (void)unused; dispatch_sync_f(b, NULL, assert_a); }
CELL_ALONE("ends/assert-not-fails", assert_not_fails) { a = serial("a"); dispatch_sync_f(a, NULL, assert_not_a); }
CELL_ALONE("ends/assert-barrier-fails", assert_barrier_fails) { a = dispatch_queue_create("a", DISPATCH_QUEUE_CONCURRENT); dispatch_sync_f(a, NULL, assert_barrier_a); }
CELL_ALONE("ends/assert-barrier-async-fails", assert_barrier_async_fails) {
    a = dispatch_queue_create("a", DISPATCH_QUEUE_CONCURRENT);
    dispatch_async_f(a, NULL, assert_barrier_a);
    drain(a);
}
CELL_ALONE("ends/assert-barrier-holds", assert_barrier_holds) {
    a = dispatch_queue_create("a", DISPATCH_QUEUE_CONCURRENT);
    dispatch_barrier_sync_f(a, NULL, assert_barrier_a);
    dispatch_barrier_async_f(a, NULL, assert_barrier_a);
    dispatch_barrier_async_and_wait_f(a, NULL, assert_barrier_a);
    a = serial("s");
    dispatch_sync_f(a, NULL, assert_barrier_a);
}
CELL_ALONE("ends/assert-outer-queue", assert_outer) { a = serial("a"), b = serial("b"); dispatch_sync_f(a, NULL, assert_from_b); }
CELL_ALONE("ends/assert-target", assert_target) {
    a = serial("a");
    dispatch_queue_t child = dispatch_queue_create_with_target("child", NULL, a);
    dispatch_sync_f(child, NULL, assert_a);
    dispatch_async_f(child, NULL, assert_a);
    drain(child);
}
CELL_ALONE("ends/assert-child-from-target", assert_child) {
    b = serial("b");
    a = dispatch_queue_create_with_target("child", NULL, b);
    dispatch_sync_f(b, NULL, assert_a);
}
CELL_ALONE("ends/assert-global", assert_global) {
    a = dispatch_get_global_queue(0, 0);
    dispatch_sync_f(a, NULL, assert_a);
    dispatch_async_and_wait_f(a, NULL, assert_a);
}
CELL_ALONE("ends/assert-global-from-child", assert_global_child) {
    a = dispatch_get_global_queue(-2, 0);
    dispatch_sync_f(dispatch_queue_create_with_target("child", NULL, a), NULL, assert_a);
}

CELL_ALONE("ends/leave-too-often", leave_too_often) { dispatch_group_leave(dispatch_group_create()); note("left"); }
CELL_ALONE("ends/resume-too-often", resume_too_often) { dispatch_resume(serial("a")); note("resumed"); }
CELL_ALONE("ends/resume-inactive", resume_inactive) {
    a = dispatch_queue_create("a", DISPATCH_QUEUE_SERIAL_INACTIVE);
    dispatch_resume(a);
    dispatch_sync_f(a, "ran", say);
}
CELL_ALONE("ends/resume-source-too-often", resume_source) {
    dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, NULL);
    dispatch_resume(timer);
    dispatch_resume(timer);
    note("resumed");
}
CELL_ALONE("ends/suspend-inactive", suspend_inactive) {
    a = dispatch_queue_create("a", DISPATCH_QUEUE_SERIAL_INACTIVE);
    dispatch_suspend(a);
    dispatch_async_f(a, "ran", say);
    dispatch_activate(a);
    usleep(5000);
    note("resume");
    dispatch_resume(a);
    drain(a);
}
CELL_ALONE("ends/release-suspended", release_suspended) { a = serial("a"); dispatch_suspend(a); dispatch_release(a); note("released"); }
CELL_ALONE("ends/release-inactive", release_inactive) { dispatch_release(dispatch_queue_create("a", DISPATCH_QUEUE_SERIAL_INACTIVE)); note("released"); }
CELL_ALONE("ends/release-inactive-source", release_inactive_source) {
    dispatch_release(dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, NULL));
    note("released");
}
CELL_ALONE("ends/release-suspended-source", release_suspended_source) {
    dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, NULL);
    dispatch_resume(timer);
    dispatch_suspend(timer);
    dispatch_release(timer);
    note("released");
}
CELL_ALONE("ends/release-semaphore-in-use", release_semaphore) {
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(1);
    must(semaphore);
    dispatch_release(semaphore);
    note("released");
}
CELL_ALONE("ends/once-recursive", once_recursive) {
    static dispatch_once_t predicate;
    extern void recurse(void *);
    dispatch_once_f(&predicate, &predicate, recurse);
}
void recurse(void *predicate) { dispatch_once_f((dispatch_once_t *)predicate, NULL, nothing); }

static dispatch_group_t group;
static void wait_group(void *unused) { (void)unused; dispatch_group_wait(group, DISPATCH_TIME_FOREVER); }
static void wait_group_briefly(void *unused) { (void)unused; note("%d", dispatch_group_wait(group, in_milliseconds(5)) != 0); }
static void wait_behind(dispatch_function_t wait) {
    group = dispatch_group_create();
    a = serial("a");
    dispatch_suspend(a);
    dispatch_async_f(a, NULL, wait);
    dispatch_group_async_f(group, a, "member", say);
    dispatch_resume(a);
    drain(a);
}
CELL_ALONE("ends/group-wait-behind-caller", group_wait_behind) { wait_behind(wait_group); }
CELL_ALONE("ends/group-wait-behind-caller-briefly", group_wait_briefly) { wait_behind(wait_group_briefly); }

CELL_ALONE("ends/target-itself", target_itself) { a = serial("a"); dispatch_set_target_queue(a, a); note("set"); }
CELL_ALONE("ends/target-cycle", target_cycle) {
    a = serial("a"), b = serial("b");
    dispatch_set_target_queue(a, b);
    dispatch_set_target_queue(b, a);
    note("set");
}
static void note_label(void *unused) { (void)unused; note("%s", dispatch_queue_get_label(NULL)); }
CELL_ALONE("ends/target-after-use", target_after_use) {
    a = serial("a"), b = serial("b");
    dispatch_sync_f(a, NULL, note_label);
    dispatch_set_target_queue(a, b);
    dispatch_sync_f(a, NULL, note_label);
}
CELL_ALONE("ends/target-inactive-after-async", target_inactive_after_async) {
    a = dispatch_queue_create("a", DISPATCH_QUEUE_SERIAL_INACTIVE), b = serial("b");
    dispatch_async_f(a, NULL, note_label);
    dispatch_set_target_queue(a, b);
    dispatch_activate(a);
    drain(a);
}
CELL_ALONE("ends/specific-of-global", specific_of_global) {
    static char key;
    dispatch_queue_set_specific(dispatch_get_global_queue(0, 0), &key, "x", NULL);
    note("%s", dispatch_queue_get_specific(dispatch_get_global_queue(0, 0), &key) ? "is" : "none");
}
CELL_ALONE("ends/retain-after-release", over_release) {
    a = serial("a");
    dispatch_semaphore_t gate = dispatch_semaphore_create(0);
    dispatch_async_f(a, gate, wait_for_it);
    dispatch_release(a);
    dispatch_release(a);
    note("released");
}

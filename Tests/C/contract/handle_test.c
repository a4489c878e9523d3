/* handle_test.c: calls with something that is not a queue: builds with SQ_DEBUG print a message and abort. */
#include "caller.h"
#include "child.h"
#include "inject.h"

#include <stdlib.h>

static const sq_task_t nothing = { do_nothing, NULL, NULL };
static sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
static void stalled(void *context, const sq_stall_t *stall) { (void)context, (void)stall; }
static const sq_watcher_t watcher = { stalled, NULL, NULL };

static void with_async(sq_queue_t *queue) { sq_async(queue, do_nothing, NULL); }
static void with_async_task(sq_queue_t *queue) { WHATEVER(sq_async_task(queue, &nothing)); }
static void with_async_until(sq_queue_t *queue) { WHATEVER(sq_async_until(queue, SQ_FOREVER, &nothing)); }
static void with_run_and_wait(sq_queue_t *queue) { WHATEVER(sq_run_and_wait(queue, SQ_FOREVER, do_nothing, NULL)); }
static void with_async_and_wait(sq_queue_t *queue) { WHATEVER(sq_async_and_wait(queue, SQ_FOREVER, do_nothing, NULL)); }
static void with_sync(sq_queue_t *queue) { sq_sync(queue, do_nothing, NULL); }
static void with_sync_until(sq_queue_t *queue) { WHATEVER(sq_sync_until(queue, SQ_NOW, do_nothing, NULL)); }
static void with_sync_or_run(sq_queue_t *queue) { sq_sync_or_run(queue, do_nothing, NULL); }
static void with_suspend(sq_queue_t *queue) { sq_suspend(queue); }
static void with_resume(sq_queue_t *queue) { sq_resume(queue); }
static void with_shutdown(sq_queue_t *queue) { sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER); }
static void with_has_ended(sq_queue_t *queue) { sq_has_ended(queue); }
static void with_queue_manual_pool(sq_queue_t *queue) { sq_queue_manual_pool(queue); }
static void with_queue_retain(sq_queue_t *queue) { sq_queue_retain(queue); }
static void with_queue_release(sq_queue_t *queue) { sq_queue_release(queue); }
static void with_queue_label(sq_queue_t *queue) { sq_queue_label(queue); }
static void with_queue_depth(sq_queue_t *queue) { sq_queue_depth(queue); }
static void with_queue_stats(sq_queue_t *queue) { sq_queue_stats(queue, &stats); }
static void with_queue_watch(sq_queue_t *queue) { sq_queue_watch(queue, 1000000000, &watcher); }

#define CALL(name) { "sq_" #name, with_##name }
static const struct {
    const char *name;
    void (*make)(sq_queue_t *);
} calls[] = {
    CALL(async), CALL(async_task), CALL(async_until), CALL(async_and_wait), CALL(run_and_wait), CALL(sync), CALL(sync_until),
    CALL(sync_or_run), CALL(suspend), CALL(resume), CALL(shutdown), CALL(has_ended), CALL(queue_manual_pool),
    CALL(queue_retain), CALL(queue_release), CALL(queue_label),
    CALL(queue_depth), CALL(queue_stats), CALL(queue_watch),
};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* PROGRAM --child KIND CALL */
int child_main(int count, char **words) {
    REQUIRE(count == 2);
    no_core_file();
    sq_queue_t *queue = NULL;
    if (strcmp(words[0], "zeroed") == 0) {
        queue = calloc(1, 4096);
    } else if (strcmp(words[0], "overwritten") == 0) {
        queue = malloc(4096);
        memset((void *)queue, 0x5A, 4096);
    } else if (strcmp(words[0], "freed") == 0) {
        queue = make_queue_of("com.example.freed", 0);
        sq_queue_release(queue);
    }
    calls[strtoul(words[1], NULL, 10)].make(queue);
    return 3;
}

/* The message may name the call or the function that it is made of: sq_async or sq_async_until. */
static void check_kind(const char *kind, const char *word) {
    for (size_t i = 0; i < CALLS; i += 1) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        ending_t ending = run_captured(kind, number);
        bool may_be_null = strcmp(kind, "null") == 0 && strcmp(calls[i].name, "sq_queue_release") == 0;
        if (may_be_null) {
            CHECK(WIFEXITED(ending.status) && WEXITSTATUS(ending.status) == 3); /* a NULL is ignored there */
            continue;
        }
        const char *const words[] = { "sq_", word };
        check_aborted(&ending, words, 2);
    }
}

static bool left_out(void) {
#ifdef SQ_DEBUG
    return false;
#else
    note("left out: this build is without SQ_DEBUG (make check runs the debug build, too)");
    return true;
#endif
}

TEST(a_call_with_NULL_is_reported) {
    if (!left_out()) {
        check_kind("null", "NULL");
    }
}

TEST(a_call_with_zeroed_memory_is_reported) {
    if (!left_out()) {
        check_kind("zeroed", "zeroed");
    }
}

TEST(a_call_with_overwritten_memory_is_reported) {
    if (!left_out()) {
        check_kind("overwritten", "not a queue");
    }
}

TEST(a_call_with_a_freed_queue_is_reported_with_its_label) {
    if (!left_out()) {
        check_kind("freed", "\"com.example.freed\"");
    }
}

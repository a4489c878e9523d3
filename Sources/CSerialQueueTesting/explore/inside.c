/* inside.c: what a test calls. */
#include "include/sq_explore.h"

#include "explore/explored_run.h"
#include "include/sq_explore_private.h"
#include "platform/fatal.h"

#include <stdio.h>
#include <string.h>

void sq_explore_fail(const char *message) {
    sq__thread_t *thread = sq__run_thread();
    if (thread == NULL) {
        sq__fatal("%s", message);
    }
    sq__run_fail(thread->run, message);
}

void sq_explore_fail_at(const char *condition, const char *file, int line) {
    const char *base = strrchr(file, '/');
    char message[512];
    snprintf(message, sizeof message, "%s (%s:%d)", condition, base != NULL ? base + 1 : file, line);
    sq_explore_fail(message);
}

void sq_explore_label(const char *label) {
    sq__thread_t *thread = sq__run_thread();
    if (thread != NULL) {
        sq__run_label(thread, label);
    }
}

size_t sq__explore_event(void) {
    const sq__thread_t *thread = sq__run_thread();
    return thread != NULL && thread->run->record.is_on && thread->queue != NULL ? thread->event : SIZE_MAX;
}

const char *sq__explore_function(uintptr_t address) {
    sq__thread_t *thread = sq__run_thread();
    return thread != NULL && thread->run->record.is_on ? sq__functions_name(&thread->run->functions, address) : "";
}

static sq__thread_t *thread_in(const sq_pool_t *pool) {
    sq__thread_t *thread = sq__run_thread();
    return thread != NULL && thread->run->pool == pool ? thread : NULL;
}

size_t sq_pool_choose(sq_pool_t *pool, size_t count) {
    sq__thread_t *thread = thread_in(pool);
    if (thread == NULL || count < 2) {
        return 0;
    }
    sq__run_t *run = thread->run;
    size_t answer = sq__choose(&run->chooser, count);
    if (run->record.is_on) {
        if (answer > 0) {
            sq__record_unusual(&run->record, sq__copy_text("the choice of 0"));
        }
        sq__record_add(&run->record, SQ__EVENT_HAPPENS, thread->column, "chooses %zu of 0 to %zu", answer, count - 1);
    }
    return answer;
}

void sq_pool_yield(sq_pool_t *pool) {
    sq__thread_t *thread = thread_in(pool);
    if (thread != NULL) {
        sq__run_pause(thread, "yields", NULL, NULL);
    }
}

bool sq_is_exploring(void) { return sq__run_thread() != NULL; }

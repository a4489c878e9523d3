#include "explore/run_state.h"

#include <stdarg.h>
#include <stdio.h>

sq__thread_t *sq__run_thread(void) { return (sq__thread_t *)sq__self()->explored; }

void sq__run_fail(sq__run_t *run, const char *message) {
    sq__thread_t *thread = sq__run_thread();
    if (run->has_failed) {
        return;
    }
    run->has_failed = true;
    run->failure = sq__copy_text(message);
    unsigned column = thread != NULL && thread->run == run ? thread->column : 0;
    sq__record_add(&run->record, SQ__EVENT_FAILS, column, "%s", message);
}

void sq__run_outside(sq__run_t *run, const char *format, ...) {
    va_list arguments;
    run->outside += 1;
    if (run->outside > 1) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(run->outside_note, sizeof run->outside_note, format, arguments);
    va_end(arguments);
}

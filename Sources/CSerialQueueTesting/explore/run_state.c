#include "explore/run_state.h"

#include "include/sq_version.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(number) #number
#define JOIN(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

/* An exploration reads and writes records of the core, whose layout is that of one release. glibc's loader refuses another one by the versions of
 * the symbols (scripts/version-script); this is for archives, and for other loaders. */
static __attribute__((constructor)) void refuse_another_release(void) {
    static const char release[] = JOIN(SQ_VERSION_MAJOR, SQ_VERSION_MINOR, SQ_VERSION_PATCH);
    if (strcmp(sq_version(), release) != 0) {
        fprintf(stderr, "libserialqueue-testing is of release %s, and the libserialqueue of this program is of release %s: take both from one release.\n",
                release, sq_version());
        abort();
    }
}

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

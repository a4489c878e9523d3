/* stage_dump.c: dumps. Each names queues by labels that exist, and has its end. It shows each thread that stands still in a task
 * while the dump looks: only the records of threads that continue may be wrong. */
#include "stage_inside.h"

#include "include/sq_inspect.h"

#include <stdio.h>
#include <string.h>

static char text[16384];
static size_t length;

void ex_dumped(const char *part, size_t bytes) {
    if (bytes > sizeof text - 1 - length) {
        ex_fail("dump: longer than expected");
    }
    memcpy(text + length, part, bytes);
    length += bytes;
    text[length] = '\0';
}

static void check_labels(void) {
    for (const char *at = text; (at = strstr(at, "queue \"")) != NULL; at += 1) {
        char label = at[7];
        if (((label < 'A' || label >= 'A' + QUEUES) && label != '?') || at[8] != '"') {
            ex_fail("dump: it names a queue that does not exist: %.40s", at);
        }
    }
}

static void check_shown(uint64_t since) {
    char line[40];
    for (unsigned i = 0; ex_setting.lists_threads && i < stage_count; i += 1) {
        const submission_t *one = &stage_submissions[i];
        snprintf(line, sizeof line, "\n  thread \"T%d\" (%d) runs ", one->runner, one->runner + 1);
        if (one->started && !one->finished && ex_stood_still(one->runner, since) && strstr(text, line) == NULL) {
            ex_fail("dump: T%d stands still in task %d, and is not shown", one->runner, one->id);
        }
    }
}

void stage_dump(void) {
    uint64_t since = ++ex_step;
    length = 0;
    ex_caller = (const void *)stage_dump;
    int error = sq_dump(1);
    if (error != 0 || strstr(text, "END OF THE DUMP") == NULL) {
        ex_fail("dump: returned %d, or has no end", error);
    }
    EX_TRACE("dumps");
    check_labels();
    check_shown(since);
}

/* stage_dump.c: dumps. Each names queues and pools by labels that there are, and ends as it should. */
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
        if (label < 'A' || label >= 'A' + QUEUES || at[8] != '"') {
            ex_fail("dump: a queue that there is not: %.40s", at);
        }
    }
}

void stage_dump(void) {
    length = 0;
    ex_caller = (const void *)stage_dump;
    int error = sq_dump(1);
    if (error != 0 || strstr(text, "END OF THE DUMP") == NULL) {
        ex_fail("dump: returned %d, or has no end", error);
    }
    EX_TRACE("dumps");
    check_labels();
}

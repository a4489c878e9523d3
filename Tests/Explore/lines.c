/* lines.c: cache lines that the core's threads share. Between ex_lines_begin and ex_lines_end, each access of the core is noted: which thread
 * has read or written which line. A line is shared if one thread writes it, and another one reads or writes it. */
#include "explore.h"

#include <string.h>

enum { LINES = 512, LINE = 64 };

static struct { uintptr_t line; uint32_t users, writers; } lines[LINES];
static unsigned count;
static bool is_noting;

void ex_lines_begin(void) {
    count = 0;
    is_noting = true;
}

void ex_lines_note(const void *address, ex_use_t use) {
    bool writes = use != EX_LOAD;
    uintptr_t line = (uintptr_t)address / LINE;
    if (!is_noting || ex_core_ignores(address)) {
        return;
    }
    unsigned i = 0;
    while (i < count && lines[i].line != line) {
        i += 1;
    }
    if (i == LINES) {
        ex_fail("the explorer itself: more than %d lines", LINES);
    }
    if (i == count) {
        count += 1;
        memset(&lines[i], 0, sizeof lines[i]);
        lines[i].line = line;
    }
    lines[i].users |= 1u << ex_current;
    lines[i].writers |= writes ? 1u << ex_current : 0;
    EX_TRACE("(%s line %u)", writes ? "writes" : "reads", i);
}

unsigned ex_lines_end(void) {
    unsigned shared = 0;
    is_noting = false;
    for (unsigned i = 0; i < count; i += 1) {
        shared += lines[i].writers != 0 && (lines[i].users & (lines[i].users - 1)) != 0;
    }
    return shared;
}

void ex_lines_reset(void) { is_noting = false; }

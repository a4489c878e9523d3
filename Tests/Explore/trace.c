/* trace.c: the steps of a run in words: who does what, and where in the source. */
#include "explore.h"

#include "kernel/segment.h"

#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINES = 6000 };

bool ex_tracing;
static struct line { uint64_t step; int thread; const void *caller; char text[140]; } lines[LINES];
static unsigned count;

bool ex_block_of(const void *address, unsigned *number, size_t *bytes, size_t *offset);

void ex_trace_begin(void) { count = 0; }

void ex_trace(const char *format, ...) {
    if (count == LINES) {
        return;
    }
    struct line *line = &lines[count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
    line->step = ex_step;
    line->thread = ex_current;
    line->caller = ex_caller;
}

#define FIELD(name) { offsetof(struct sq_queue, name), #name }
static const struct { size_t offset; const char *name; } fields[] = {
    FIELD(head), FIELD(control), FIELD(index), FIELD(entered), FIELD(ran), FIELD(discarded), FIELD(skipped), FIELD(highest),
    FIELD(handoff), FIELD(runner), FIELD(ready), FIELD(capacity), FIELD(cold), FIELD(state),
    FIELD(segments), FIELD(first), FIELD(spare), FIELD(withdrawn), FIELD(rejected), FIELD(references), FIELD(suspensions),
};

static void name_in_queue(char *text, size_t size, size_t offset) {
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i += 1) {
        if (fields[i].offset == offset) {
            snprintf(text, size, "%s", fields[i].name);
        }
    }
}

const char *ex_name_of(const void *address) {
    static char texts[4][80];
    static unsigned next;
    char *text = texts[next++ % 4];
    unsigned number;
    size_t bytes, offset;
    if (ex_block_of(address, &number, &bytes, &offset)) {
        snprintf(text, 80, "block %u (%zu bytes) + %zu", number, bytes, offset);
        if (bytes >= sizeof(struct sq_queue) + 1 && bytes < sizeof(struct sq_queue) + 16 && offset < sizeof(struct sq_queue)) {
            int used = snprintf(text, 80, "queue %u.", number);
            snprintf(text + used, 80 - (size_t)used, "+%zu", offset);
            name_in_queue(text + used, 80 - (size_t)used, offset);
        } else if (bytes == sizeof(struct sq__segment)) {
            snprintf(text, 80, "segment %u.next", number);
            if (offset >= offsetof(struct sq__segment, slots)) {
                size_t slot = (offset - offsetof(struct sq__segment, slots)) / sizeof(sq__slot_t);
                size_t in = (offset - offsetof(struct sq__segment, slots)) % sizeof(sq__slot_t);
                snprintf(text, 80, "segment %u.slots[%zu]%s", number, slot, in == 0 ? ".word" : "'s task");
            }
        } else if (bytes == 64) {
            snprintf(text, 80, "token %u%s", number, offset == 0 ? ".word" : offset == 8 ? ".lock" : "'s condition or list");
        }
    } else if ((size_t)((const char *)address - &ex_stacks[0][0]) < sizeof ex_stacks) {
        offset = (size_t)((const char *)address - &ex_stacks[0][0]);
        snprintf(text, 80, "T%zu's stack - %zu", offset / EX_STACK, EX_STACK - offset % EX_STACK);
    } else {
        snprintf(text, 80, "static %p", address);
    }
    return text;
}

/* Where each line stands in the source: addr2line is asked for all at once. */
void ex_trace_print(void) {
    static char places[LINES][48];
    char command[200], name[] = "/tmp/explore-XXXXXX";
    int file = mkstemp(name);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (out != NULL) {
        for (unsigned i = 0; i < count; i += 1) {
            fprintf(out, "%p\n", (const void *)((const char *)lines[i].caller - 1));
        }
        fclose(out);
        snprintf(command, sizeof command, "addr2line -s -e /proc/%d/exe < %s", (int)getpid(), name);
        FILE *in = popen(command, "r");
        for (unsigned i = 0; in != NULL && i < count && fgets(places[i], sizeof places[i], in) != NULL; i += 1) {
            places[i][strcspn(places[i], " \n")] = '\0';
        }
        if (in != NULL) {
            pclose(in);
        }
        unlink(name);
    }
    for (unsigned i = 0; i < count; i += 1) {
        if (i == 0 || lines[i].thread != lines[i - 1].thread) {
            printf("  T%d\n", lines[i].thread);
        }
        printf("  %5llu %*s%-20s %s\n", (unsigned long long)lines[i].step, 2 + 2 * lines[i].thread, "",
               strcmp(places[i], "??:0") ? places[i] : "", lines[i].text);
    }
}

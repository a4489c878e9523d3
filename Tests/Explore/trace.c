/* trace.c: prints the steps of a run: which thread does what, and where in the source. */
#include "explore.h"

#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINES = 6000 };

bool ex_tracing;
static struct line { uint64_t step; int thread; const void *caller; char text[300]; } lines[LINES];
static unsigned count;

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

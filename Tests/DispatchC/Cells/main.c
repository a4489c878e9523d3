/* main.c: `list` names the cells that need a process of their own; NAME runs one cell; without arguments all others run.
 *
 * They run on a thread of their own, and the main thread runs the main queue; cells that begin with "main/" run on the main thread. */
#include "cells.h"
#include <pthread.h>

struct cell {
    const char *name;
    cell_function_t run;
    int alone;
};

static struct cell cells[600];
static int count;
static const char *only;

void add_cell(const char *name, cell_function_t run, int alone) {
    if (count == (int)(sizeof cells / sizeof cells[0])) {
        abort();
    }
    cells[count++] = (struct cell){ name, run, alone };
}

static void *run(void *unused) {
    (void)unused;
    for (int i = 0; i < count; i += 1) {
        if (only ? strcmp(only, cells[i].name) == 0 : !cells[i].alone) {
            begin_cell(cells[i].name);
            cells[i].run();
            end_cell();
        }
    }
    run_matrix(only);
    fflush(NULL);
    _exit(0);
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    only = argc > 1 ? argv[1] : NULL;
    if (only != NULL && strcmp(only, "list") == 0) {
        for (int i = 0; i < count; i += 1) {
            if (cells[i].alone) {
                puts(cells[i].name);
            }
        }
        return 0;
    }
    if (only != NULL && strncmp(only, "main/", 5) == 0) {
        run(NULL);
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) != 0) {
        abort();
    }
    dispatch_main();
}

/* options.h: the command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct options {
    unsigned readers;
    unsigned long top;
    char **paths; /* the default files, or pointers into the command line */
    size_t path_count;
    bool owns_paths;
} options_t;

/* Reads the command line. Ends the program after --help with status 0, after a mistake with a sentence and status 2.
 * Without files, paths are the licence texts that every Debian system carries. */
options_t options_read(char *arguments[]);

void options_free(options_t *options);

#endif

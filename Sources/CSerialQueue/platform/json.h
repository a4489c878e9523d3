/* json.h: reports for programs: one JSON object on one line of standard error, while that is asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line is at most as long as what a pipe takes at once or not at all (PIPE_BUF): so lines of several threads never mix, and none is cut. */
enum { SQ__JSON_SIZE = 4096, SQ__JSON_STRING = 256 /* what is kept of a string, in bytes */ };

/* An object that grows; what finds no room is left out whole. */
typedef struct sq__json {
    size_t used, size;
    char *bytes; /* of that size, with a NUL behind what is used */
} sq__json_t;

/* While the library is loaded: reports are to be written. */
void sq__json_reports_start(void);
bool sq__json_reports_are_on(void);

/* Begins a report of this kind, and sq__json_write is to follow. False: no memory. */
bool sq__json_begin(sq__json_t *json, const char *kind);

/* Append. A member: behind others. The string: at most `most` bytes of it, printable. */
void sq__json_add(sq__json_t *json, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sq__json_string(sq__json_t *json, const char *name, const char *string, size_t most);
void sq__json_count(sq__json_t *json, const char *name, uint64_t count);
void sq__json_truth(sq__json_t *json, const char *name, bool is_true);
void sq__json_number(sq__json_t *json, const char *name, const void *queue); /* a queue's */

/* Ends the report, and writes the line in one write. */
void sq__json_write(sq__json_t *json);

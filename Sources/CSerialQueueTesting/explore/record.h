/* record.h: what happened in a run, for its timeline and for the comparison of two runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum sq__event_kind {
    SQ__EVENT_STARTS,    /* a task */
    SQ__EVENT_ENDS,
    SQ__EVENT_WAITS,
    SQ__EVENT_CONTINUES, /* after a wait, or after an interruption */
    SQ__EVENT_HAPPENS,   /* anything else */
    SQ__EVENT_FAILS
} sq__event_kind_t;

typedef struct sq__event {
    sq__event_kind_t kind;
    unsigned column;
    char *text;    /* NULL: there was no memory for it */
    char *usual;   /* after an unusual decision: what would have come instead; else NULL */
} sq__event_t;

typedef struct sq__column {
    const void *what; /* the queue; NULL: the test's own thread */
    char *label;
} sq__column_t;

/* All zero: empty, and switched off. */
typedef struct sq__record {
    bool is_on;
    sq__event_t *events;
    size_t event_count;
    sq__column_t *columns;
    size_t column_count;
    char *usual;     /* for the next event */
} sq__record_t;

/* sq__record_begin empties it, and switches it on or off; sq__record_free also frees its memory. */
void sq__record_begin(sq__record_t *record, bool is_on);
void sq__record_free(sq__record_t *record);

/* The column of this queue, which is added if it is new. NULL: the test's own thread. 0 also if the record is off, or without memory. */
unsigned sq__record_column(sq__record_t *record, const void *what, const char *label);

/* Adds an event. Returns its number. No effect if the record is off, or without memory: then the number is the next event's. */
size_t sq__record_add(sq__record_t *record, sq__event_kind_t kind, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Replaces the text of an event. No effect without memory, or if there is no event with this number. */
void sq__record_rename(sq__record_t *record, size_t event, const char *text);

/* The next event comes from an unusual decision: `usual` would have come instead; NULL: no memory. Takes over the string. */
void sq__record_unusual(sq__record_t *record, char *usual);

/* The first event in which two records differ; the length of both if they are equal. */
size_t sq__record_difference(const sq__record_t *one, const sq__record_t *other);

/* A copy, to be freed; NULL: no memory. */
char *sq__copy_text(const char *text);
char *sq__format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for one more element of an array that only this function makes and enlarges. Returns the array; NULL: no memory, the array stays
 * as it is. */
void *sq__grown(void *array, size_t count, size_t size);

/* dump_json.h: a dump for programs. */
#pragma once

#include "inspect/dump_text.h"

/* The last report of a deadlock, as it was found. */
typedef struct sq__dump_report {
    const char *text; /* NULL: none */
    uint64_t age;     /* nanoseconds */
    bool is_known;
} sq__dump_report_t;

/* Wants the symbols that sq__dump_json names: those of the threads, and the sites of the queues, if these are not very many. */
void sq__dump_json_want(sq__view_t *view);

/* Adds one object. Documentation/dump.schema.json has its form. After the sections of waits and running tasks were made: they mark queues. */
void sq__dump_json(sq__dump_text_t *text, const sq__view_t *view, const sq__dump_report_t *report, uint64_t began);

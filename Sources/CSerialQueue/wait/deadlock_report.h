/* deadlock_report.h: where a thread has its report of a deadlock, and a copy of the newest one of all threads.
 *
 * DESIGN. The functions that the text of a cycle is to name are looked up when the lock of the waits is released: that reads files. Until then the
 * report has their places in the text. */
#pragma once

#include "wait/deadlock_json.h"

enum { SQ__REPORT_SIZE = 1024, SQ__REPORT_SITES = 16 };

/* Only its thread uses it; while that waits, the thread that has the lock of the waits. */
typedef struct sq__deadlock_report {
    char text[SQ__REPORT_SIZE]; /* first: what sq_deadlock_report returns */
    size_t used;                /* bytes of it, while it is written (deadlock_text.c) */
    unsigned sites;
    struct { size_t at; const void *maker; } site[SQ__REPORT_SITES]; /* the call that belongs at this place of the text; in the order of the text */
    sq__deadlock_threads_t *threads; /* fixed: for programs, behind this. NULL: not asked for, or not yet when the thread got the report, before main */
} sq__deadlock_report_t;

/* The calling thread's, kept until it ends; NULL: no memory. */
sq__deadlock_report_t *sq__deadlock_report_own(void);

/* With no lock, by the thread of this report, NULL: none. Names the functions in it, keeps it as the newest, and writes it for programs, if that was
 * asked for. */
void sq__deadlock_report_finish(sq__deadlock_report_t *report);

/* report.h: a failure in words and as a picture.
 *
 *      step  test      alice         bob
 *         1            [ withdraw
 *         2            : waits for its turn in queue "account"
 *       * 3            :             [ deposit ]
 *
 * One row for each event, one column for each queue. A bar marks a task that runs, a colon one that waits, and a star an unusual
 * decision. */
#pragma once

#include "explore/search.h"

typedef struct sq__finding {
    const char *name;    /* the test's */
    const char *message;
    const char *tape;    /* as text */
    const char *notes;   /* lines of the test framework; "" */
} sq__finding_t;

/* The whole report, to be freed; NULL: no memory. */
char *sq__report_write(const sq__search_t *search, const sq__run_t *run, const sq__finding_t *finding);

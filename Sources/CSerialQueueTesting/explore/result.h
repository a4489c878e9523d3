/* result.h: sq_explored_t, of this version or of an older one, which ends before `complete_depth`. */
#pragma once

#include "explore/search.h"
#include "include/sq_explore.h"

/* Whether the result is NULL, or has the size of a version. */
bool sq__result_fits(const sq_explored_t *explored);

/* Replaces one of its texts by a copy, or by NULL, also without memory. */
void sq__result_set_text(char **text, const char *to);

/* Reports a message when there is no run to report: in the message and the report of a result. NULL: to stderr. */
void sq__result_say(sq_explored_t *explored, const char *message);

/* Fills in how much was run, and, if the result has these fields, how much there is, and the summary. After the last run. */
void sq__result_count(sq_explored_t *explored, const sq__search_t *search, const char *name);

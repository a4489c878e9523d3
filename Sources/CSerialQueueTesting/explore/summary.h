/* summary.h: an exploration without a failure in words: how much was run, which limit ended it, and what to raise. */
#pragma once

#include "explore/search.h"

/* To be freed; NULL: no memory. `name`: the test's. */
char *sq__summary_write(const sq__search_t *search, const char *name);

/* summary.h: an exploration without a failure in words: how much was run, which limit ended it, and what to raise. */
#pragma once

#include "explore/search.h"

/* The whole text, to be freed with sq__memory_free; NULL: no memory. `name`: the test's. No run has failed. */
char *sq__summary_write(const sq__search_t *search, const char *name);

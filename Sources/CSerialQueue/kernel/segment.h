/* segment.h: the segments of a ring. ring.h describes how they are used. */
#pragma once

#include "kernel/kernel_inline.h"

/* An empty segment: all words EMPTY. NULL: no memory. */
sq__segment_t *sq__segment_obtain(void);

/* Returns a segment, of which all but the first `used` slots are EMPTY, to the store. No other thread uses it any more. */
void sq__segment_free(sq__segment_t *segment, unsigned used);

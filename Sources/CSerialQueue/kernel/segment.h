/* segment.h: the segments of a ring. ring.h describes how they are used. */
#pragma once

#include "include/sq_types.h"
#include "memory/blocks.h"
#include "state/state.h"
#include "state/work.h"

typedef SQ__ATOMIC(uintptr_t) sq__word_t;

typedef struct sq__slot {
    sq__word_t word; /* SQ__EMPTY, SQ__BATON, or the kind of the work and perhaps a time; a link's is the address of a segment instead */
    sq__work_t work;
} sq__slot_t;

/* With this header, 126 slots are 4 KiB. */
struct sq__segment {
    _Alignas(SQ__LINE) sq__word_t next;
    uint32_t number; /* in the store */
    uint32_t used;   /* while it is in the store: all slots from this one on are EMPTY; 0 in new pages */
    _Alignas(SQ__LINE) sq__slot_t slots[SQ__SEGMENT_SLOTS];
};

_Static_assert(sizeof(sq__slot_t) <= SQ__LINE / 2 && SQ__SEGMENT_SLOTS % 2 == 0, "two slots share a cache line, and are cleared together");
_Static_assert(SQ__SEGMENT_SLOTS <= 0xFF, "the state word has eight bits for it");
_Static_assert(SQ__EMPTY == 0, "new pages are zero");
_Static_assert(sizeof(sq__segment_t) == SQ__SEGMENT_BYTES, "memory/blocks.h");
_Static_assert((SQ__SEGMENT_BYTES & (SQ__SEGMENT_BYTES - 1)) == 0, "memory/blocks.h");

/* An empty segment: all words EMPTY. NULL: no memory. */
sq__segment_t *sq__segment_obtain(void);

/* Returns a segment, of which all but the first `used` slots are EMPTY, to the store. */
void sq__segment_free(sq__segment_t *segment, unsigned used);

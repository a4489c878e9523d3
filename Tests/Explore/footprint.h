/* footprint.h: which steps depend on each other. */
#ifndef FOOTPRINT_H
#define FOOTPRINT_H

#include "reduce.h"

#include <string.h>

static inline bool depends(const ex_footprint_t *one, int i, const ex_footprint_t *other, int j) {
    return one->at[i].touch != EX_NOTHING && other->at[j].touch != EX_NOTHING && one->at[i].object == other->at[j].object
        && (one->at[i].touch != EX_READS || other->at[j].touch != EX_READS) && (one->at[i].touch != EX_AWAITS || other->at[j].touch != EX_AWAITS);
}

static inline bool are_dependent(const ex_footprint_t *one, const ex_footprint_t *other) {
    return depends(one, 0, other, 0) || depends(one, 0, other, 1) || depends(one, 1, other, 0) || depends(one, 1, other, 1);
}

static inline bool does(const ex_footprint_t *footprint, const void *object, ex_touch_t touch) {
    return (footprint->at[0].object == object && footprint->at[0].touch == touch)
        || (footprint->at[1].object == object && footprint->at[1].touch == touch);
}

/* What a compare-and-swap would do now. Only a write to its object changes that, and depends on it either way. */
static inline void look_again(ex_footprint_t *footprint) {
    if (footprint->compares > 0) {
        uint64_t now = 0;
        memcpy(&now, footprint->at[0].object, footprint->compares);
        footprint->at[0].touch = now == footprint->expected ? EX_WRITES : EX_READS;
    }
}

enum { BUCKETS = 256 };

/* Steps are found by the objects that they touch. 0: by none. */
static inline unsigned bucket_of(const ex_footprint_t *footprint, int i) {
    uintptr_t object = (uintptr_t)footprint->at[i].object;
    return footprint->at[i].touch != EX_NOTHING ? 1 + (unsigned)((object >> 2 ^ object >> 10) % (BUCKETS - 1)) : 0;
}

#endif

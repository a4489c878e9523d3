#include "explore/extent.h"

#include <math.h>
#include <string.h>

/* A schedule with this many unusual decisions, one more than so far, is about to be counted. */
static void begin_round(sq__extent_t *extent, size_t round) {
    extent->round = round;
    extent->through = extent->known;
    memmove(extent->sizes, extent->sizes + 1, 3 * sizeof extent->sizes[0]);
    extent->sizes[3] = 0;
}

void sq__extent_add(sq__extent_t *extent, const sq__tape_t *tape, size_t most) {
    size_t unusual = sq__tape_unusual(tape);
    uint64_t children = 0; /* with one unusual decision more */
    if (extent->runs == 0) {
        extent->known = extent->through = extent->sizes[2] = 1;
    }
    if (unusual > extent->round) {
        begin_round(extent, unusual);
    }
    for (size_t i = 0; i < tape->length; i += 1) {
        uint32_t others = tape->counts[i] - 1;
        children = tape->answers[i] != 0 ? 0 : children + others;
        extent->alternatives += others;
    }
    extent->decisions += (double)tape->length;
    extent->runs += 1;
    extent->sizes[3] += children;
    *(unusual < most ? &extent->known : &extent->beyond) += children;
}

/* N + 1 times the ratio of the numbers with N + 1 and with N unusual decisions, plus aN. */
static double product(const uint64_t *sizes, size_t number, double a) {
    return (double)(number + 1) * (double)sizes[1] / (double)sizes[0] + a * (double)number;
}

double sq__extent_estimate(const sq__extent_t *extent) {
    double estimate = (double)extent->known + (double)extent->beyond;
    if (extent->beyond == 0 && sq__extent_is_complete(extent)) {
        return estimate;
    }
    size_t depth = sq__extent_depth(extent), number = depth + 1;
    const uint64_t *sizes = &extent->sizes[depth == extent->round ? 2 : 1]; /* of `depth` and `number` */
    double a = extent->alternatives / extent->decisions, ad = product(sizes, depth, a), size = (double)sizes[1];
    if (depth > 0) {
        ad = (ad + product(sizes - 1, depth - 1, a)) / 2;
    }
    double sum = depth == extent->round ? estimate : (double)extent->through;
    for (; ad > a * (double)number && sum < (double)INFINITY; number += 1) {
        size *= (ad - a * (double)number) / (double)(number + 1);
        sum += size;
    }
    return sum > estimate ? sum : estimate;
}

#include "explore/summary.h"

#include <stdio.h>

typedef struct number {
    char text[24];
} number_t;

/* With two digits: 1234 is 1200; large ones as a power of ten. */
static number_t rounded(double value) {
    number_t number;
    double unit = 1;
    int digits = 1;
    for (; digits < 309 && value / unit >= 10; digits += 1) {
        unit *= 10;
    }
    if (digits > 308) {
        snprintf(number.text, sizeof number.text, "more than 10^308");
    } else if (digits > 9) {
        snprintf(number.text, sizeof number.text, "10^%d", digits - 1 + (value / unit >= 5));
    } else {
        unit = digits > 2 ? unit / 10 : 1;
        snprintf(number.text, sizeof number.text, "%.0f", (double)(uint64_t)(value / unit + 0.5) * unit);
    }
    return number;
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

/* As sq__summary_write, if all schedules within the limits were run. */
static char *write_complete(const sq__search_t *search, const char *name) {
    const sq__extent_t *extent = &search->extent;
    unsigned long long count = extent->runs, beyond = extent->beyond;
    if (beyond == 0) {
        return sq__format_text("%s passed\n"
                               "  schedules %llu, depth first: complete, there are no others\n", name, count);
    }
    return sq__format_text("%s passed\n"
                           "  schedules %llu, depth first: complete with at most %zu unusual decision%s\n"
                           "  left out  at least %llu with more; about %s schedules in all (an estimate)\n"
                           "  to raise  the limit of unusual decisions\n",
                           name, count, search->first.most, plural(search->first.most), beyond, rounded(sq__extent_estimate(extent)).text);
}

/* As sq__summary_write, after a depth-first search. */
static char *write_depth_first(const sq__search_t *search, const char *name) {
    const sq__extent_t *extent = &search->extent;
    size_t depth = sq__extent_depth(extent);
    if (sq__extent_is_complete(extent)) {
        return write_complete(search, name);
    }
    return sq__format_text("%s passed\n"
                           "  schedules %llu, depth first, of at least %llu: not complete; about %s in all (an estimate)\n"
                           "  complete  with at most %zu unusual decision%s\n"
                           "  to raise  %s, to %llu: complete with at most %zu\n"
                           "  why many  both orders of two tasks are run, even if they share nothing: the library cannot see your data\n",
                           name, (unsigned long long)extent->runs, (unsigned long long)extent->known,
                           rounded(sq__extent_estimate(extent)).text, depth, plural(depth),
                           search->is_limited ? "SQ_SCHEDULES in the environment" : "the number of schedules",
                           (unsigned long long)(sq__extent_has_round(extent) ? extent->known : extent->through), depth + 1);
}

char *sq__summary_write(const sq__search_t *search, const char *name) {
    unsigned long long runs = search->runs, seed = search->seed;
    if (search->is_replay) {
        return sq__format_text("%s passed\n  replayed  the schedule of the tape\n", name);
    }
    if (search->strategy == SQ_EXPLORE_DEPTH_FIRST) {
        return write_depth_first(search, name);
    }
    return sq__format_text("%s passed\n  schedules %llu (%s, seed %llu)\n", name, runs, search->strategy == SQ_EXPLORE_PCT ? "PCT" : "random",
                           seed);
}

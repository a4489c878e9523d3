#include "order.h"

#include <stdlib.h>

static size_t run_from(const trace_t *trace, const uint32_t *order, size_t at, size_t count) {
    for (at += 1; at < count && trace->events.at[order[at - 1]].time <= trace->events.at[order[at]].time;) {
        at += 1;
    }
    return at;
}

static void merge(const trace_t *trace, const uint32_t *from, uint32_t *into, size_t begin, size_t middle, size_t end) {
    size_t left = begin, right = middle;
    for (size_t at = begin; at < end; at += 1) {
        bool takes_left = right == end || (left < middle && trace->events.at[from[left]].time <= trace->events.at[from[right]].time);
        into[at] = takes_left ? from[left++] : from[right++];
    }
}

/* Merges neighboring runs that ascend, until there is one: the events of a thread are such runs already. */
uint32_t *order_by_time(const trace_t *trace) {
    size_t count = trace->events.count;
    uint32_t *order = list_zeroed(count, sizeof *order), *other = list_zeroed(count, sizeof *other);
    for (size_t i = 0; i < count; i += 1) {
        order[i] = (uint32_t)i;
    }
    for (size_t runs = 2; runs > 1;) {
        runs = 0;
        for (size_t begin = 0, end; begin < count; begin = end, runs += 1) {
            size_t middle = run_from(trace, order, begin, count);
            end = middle < count ? run_from(trace, order, middle, count) : count;
            merge(trace, order, other, begin, middle, end);
        }
        uint32_t *swapped = order;
        order = other;
        other = swapped;
    }
    free(other);
    return order;
}

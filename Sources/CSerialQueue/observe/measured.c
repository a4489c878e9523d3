/* measured.c: the queues with histograms, by their labels, for the sum of a label.
 *
 * DESIGN. One lock protects a table of labels. A label has the list of its queues, and each queue's record its place there, so that a queue is found
 * at its end in a table of any size. What a queue that is freed has counted is added to its label: a sum that is published as a counter must
 * not fall. A label is forgotten with the last of its queues. */
#include "observe/observe_inline.h"

#include "platform/memory.h"
#include "state/state_inline.h"
#include "thread/process.h"

#include <errno.h>
#include <string.h>

enum { CHAINS = 256 };

typedef struct series {
    struct series *next;
    size_t count, room;
    sq_queue_t **queues;
    sq_histogram_t *freed; /* by sq__measure_t: of queues that were freed; NULL: of none */
    char label[];
} series_t;

static sq__mutex_t lock = SQ__MUTEX_INIT;
static series_t *chains[CHAINS]; /* under the lock, as all that they lead to */

/* In the child of a fork: the parent's queues count no more. */
static void forget_all(void) { memset(chains, 0, sizeof chains); }

SQ__AROUND_FORK(SQ__RANK_MEASURED, .lock = &lock, .in_child = forget_all)

/* L. Points to the label's series, or to the NULL at the end of its chain. */
static series_t **find(const char *label) {
    uint32_t hash = 2166136261; /* FNV-1a */
    for (const char *byte = label; *byte != '\0'; byte += 1) {
        hash = (hash ^ (unsigned char)*byte) * 16777619;
    }
    series_t **link = &chains[(hash ^ hash >> 16) % CHAINS];
    while (*link != NULL && strcmp((*link)->label, label) != 0) {
        link = &(*link)->next;
    }
    return link;
}

static void dispose(series_t *series) {
    if (series != NULL) {
        sq__memory_free(series->queues);
        sq__memory_free(series->freed);
        sq__memory_free(series);
    }
}

/* L. Makes room for one more queue. False: no memory. */
static bool make_room(series_t *series) {
    if (series->count < series->room) {
        return true;
    }
    size_t room = series->room > 0 ? 2 * series->room : 1;
    sq_queue_t **queues = sq__memory(room * sizeof(sq_queue_t *));
    if (queues == NULL) {
        return false;
    }
    if (series->count > 0) {
        memcpy(queues, series->queues, series->count * sizeof(sq_queue_t *));
    }
    sq__memory_free(series->queues);
    series->queues = queues;
    series->room = room;
    return true;
}

/* L. The label's series with room for one more queue. NULL: no memory. */
static series_t *series_for(const char *label) {
    series_t **link = find(label), *made = *link;
    if (made == NULL) {
        size_t length = strlen(label);
        made = sq__memory_zeroed(sizeof *made + length + 1);
        if (made == NULL || !make_room(made)) {
            dispose(made);
            return NULL;
        }
        memcpy(made->label, label, length + 1);
        *link = made;
    }
    return make_room(made) ? made : NULL;
}

int sq__measured_add(sq_queue_t *queue, sq__timings_t *measured) {
    sq__mutex_lock(&lock);
    series_t *series = measured->place == 0 ? series_for(queue->label) : NULL;
    if (series != NULL) {
        series->queues[series->count++] = queue;
        measured->place = (uint32_t)series->count;
    }
    int error = measured->place == 0 ? ENOMEM : 0;
    sq__mutex_unlock(&lock);
    return error;
}

/* L. Adds what the queue has counted to that of the series. Without memory it is lost. */
static void keep_counts(series_t *series, const sq_queue_t *queue) {
    if (series->freed == NULL) {
        series->freed = sq__memory_zeroed(SQ__MEASURES * sizeof *series->freed);
    }
    for (sq__measure_t which = SQ__WAITING; series->freed != NULL && which < SQ__MEASURES; which += 1) {
        series->freed[which].size = sizeof *series->freed;
        sq__timings_add(queue, which, &series->freed[which]);
    }
}

void sq__measured_forget(const sq_queue_t *queue) {
    const sq__timings_t *measured = sq__extra(queue, SQ__EXTRA_TIMINGS);
    if (measured == NULL) {
        return;
    }
    sq__mutex_lock(&lock);
    series_t **link = find(queue->label), *series = *link, *empty = NULL;
    uint32_t place = measured->place;
    if (series != NULL && place > 0 && place <= series->count && series->queues[place - 1] == queue) { /* else: from before a fork */
        keep_counts(series, queue);
        sq_queue_t *last = series->queues[--series->count];
        series->queues[place - 1] = last;
        ((sq__timings_t *)sq__extra(last, SQ__EXTRA_TIMINGS))->place = place;
        if (series->count == 0) {
            *link = series->next;
            empty = series;
        }
    }
    sq__mutex_unlock(&lock);
    dispose(empty);
}

size_t sq__measured_sum(const char *label, sq_histogram_t *const sums[SQ__MEASURES]) {
    sq__mutex_lock(&lock);
    const series_t *series = *find(label);
    size_t count = series != NULL ? series->count : 0;
    for (sq__measure_t which = SQ__WAITING; series != NULL && which < SQ__MEASURES; which += 1) {
        if (sums[which] != NULL && series->freed != NULL) {
            *sums[which] = series->freed[which];
        }
        for (size_t i = 0; sums[which] != NULL && i < count; i += 1) {
            sq__timings_add(series->queues[i], which, sums[which]);
        }
    }
    sq__mutex_unlock(&lock);
    return count;
}

/* measured.c: the queues with histograms, by their labels, for the sum of a label.
 *
 * DESIGN. One lock protects a table of labels. A label has the list of its queues, and each queue's record its place there, so that a queue is found
 * at its end in a table of any size. What a queue that is freed has counted is added to its label: a sum that is published as a counter must
 * not fall. The memory for that is made when the label gets its second queue, so that freeing one cannot fail. A label is forgotten with the last of
 * its queues.
 *
 * A reading adds up a few queues, gives the lock back to the thread that waits for it, and continues from there. Before a queue's place changes or
 * ends meanwhile, its counts are added to each reading that would miss them; a reading that is past them has them. */
#include "observe/observe_inline.h"

#include "platform/list.h"
#include "platform/memory.h"
#include "state/state_inline.h"
#include "thread/process.h"

#include <errno.h>
#include <string.h>

enum { CHAINS = 256, AT_A_TIME = 32 };

/* On the stack of the thread that reads. */
typedef struct reading {
    struct reading *next, **link;
    struct series *series; /* NULL: it has ended */
    size_t past;           /* so many of its queues are added */
    sq__totals_t *totals;
} reading_t;

typedef struct series {
    struct series *next;
    size_t count, room;
    sq_queue_t **queues;
    sq__totals_t *freed; /* of queues that were freed; NULL: there was only one queue so far */
    reading_t *readings;
    char label[];
} series_t;

static sq__mutex_t turn = SQ__MUTEX_INIT, lock = SQ__MUTEX_INIT;
static series_t *chains[CHAINS]; /* under the lock, as all that they lead to */

/* The thread that waits for the lock has the turn: a reading that gives the lock back and takes it again comes after that thread. */
static void take(void) {
    sq__mutex_lock(&turn);
    sq__mutex_lock(&lock);
    sq__mutex_unlock(&turn);
}

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

/* In the child of a fork, with the lock: the parent's queues count no more. */
static void forget_all(void) {
    for (size_t i = 0; i < CHAINS; i += 1) {
        for (series_t *series = chains[i], *next; series != NULL; series = next) {
            next = series->next;
            dispose(series);
        }
        chains[i] = NULL;
    }
}

static __attribute__((constructor(200))) void around_fork(void) {
    sq__process_around_fork(SQ__RANK_MEASURED_TURN, (sq__fork_lock_t){ .lock = &turn });
    sq__process_around_fork(SQ__RANK_MEASURED, (sq__fork_lock_t){ .lock = &lock, .in_child = forget_all });
}

/* L. From the second queue on. False: no memory. */
static bool make_freed(series_t *series) {
    if (series->count > 0 && series->freed == NULL) {
        series->freed = sq__memory_zeroed(sizeof *series->freed);
    }
    return series->count == 0 || series->freed != NULL;
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
    return make_freed(made) && make_room(made) ? made : NULL;
}

int sq__measured_add(sq_queue_t *queue, sq__timings_t *measured) {
    take();
    series_t *series = measured->place == 0 ? series_for(queue->label) : NULL;
    if (series != NULL) {
        series->queues[series->count++] = queue;
        measured->place = (uint32_t)series->count;
    }
    int error = measured->place == 0 ? ENOMEM : 0;
    sq__mutex_unlock(&lock);
    return error;
}

/* L. The queue at this index is freed, and the last one comes into its place. */
static void remove_queue(series_t *series, size_t at) {
    sq_queue_t *queue = series->queues[at], *last = series->queues[--series->count];
    for (reading_t *reading = series->readings; reading != NULL; reading = reading->next) {
        if (at >= reading->past) {
            sq__timings_add(queue, reading->totals);
        } else if (series->count >= reading->past) {
            sq__timings_add(last, reading->totals);
        }
        reading->series = series->count > 0 ? series : NULL;
    }
    if (series->count > 0) {
        sq__timings_add(queue, series->freed);
    }
    series->queues[at] = last;
    ((sq__timings_t *)sq__extra(last, SQ__EXTRA_TIMINGS))->place = (uint32_t)at + 1;
}

void sq__measured_forget(const sq_queue_t *queue) {
    const sq__timings_t *measured = sq__extra(queue, SQ__EXTRA_TIMINGS);
    if (measured == NULL) {
        return;
    }
    take();
    series_t **link = find(queue->label), *series = *link, *empty = NULL;
    uint32_t place = measured->place;
    if (series != NULL && place > 0 && place <= series->count && series->queues[place - 1] == queue) { /* else: from before a fork */
        remove_queue(series, place - 1);
        if (series->count == 0) {
            *link = series->next;
            empty = series;
        }
    }
    sq__mutex_unlock(&lock);
    dispose(empty);
}

/* L. Adds what freed queues have counted, and lists the reading. */
static void begin(reading_t *reading) {
    if (reading->series->freed != NULL) {
        *reading->totals = *reading->series->freed;
    }
    SQ__LIST_PUT(reading->series->readings, reading);
}

size_t sq__measured_sum(const char *label, sq__totals_t *totals) {
    take();
    reading_t reading = { .series = *find(label), .totals = totals };
    size_t count = reading.series != NULL ? reading.series->count : 0;
    if (count > 0) {
        begin(&reading);
    }
    while (reading.series != NULL && reading.past < reading.series->count) {
        sq__timings_add(reading.series->queues[reading.past++], totals);
        if (reading.past % AT_A_TIME == 0) {
            sq__mutex_unlock(&lock);
            take();
        }
    }
    if (reading.series != NULL) {
        SQ__LIST_REMOVE(&reading);
    }
    sq__mutex_unlock(&lock);
    return count;
}

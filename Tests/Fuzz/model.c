#include "model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct delayed {
    uint64_t due;
    int queue, id;
} delayed_t;

model_queue_t model_queues[QUEUES];
fate_t model_fates[OPERATIONS];
uint64_t model_now;
static delayed_t delayed[OPERATIONS]; /* in the order in which they were started */
static size_t delayed_count;

void model_fails(int id, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "fuzz: operation %d: ", id);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    abort();
}

void model_reset(void) {
    memset(model_queues, 0, sizeof model_queues);
    memset(model_fates, 0, sizeof model_fates);
    model_now = 0;
    delayed_count = 0;
    model_reset_many();
    for (int i = 0; i < QUEUES; i += 1) {
        model_queues[i].references = 1;
        model_queues[i].running = -1;
    }
}

bool model_is_free(const model_queue_t *queue) {
    return queue->depth == 0 && queue->running < 0 && queue->suspensions == 0 && !queue->closed;
}

static bool discards(const model_queue_t *queue) { return queue->discards || queue->abandoned; }

bool model_can_run(const model_queue_t *queue) { return queue->suspensions == 0 || discards(queue); }

static bool is_caller(entry_t entry) { return entry.kind == SYNC_CALLER || entry.kind == CALL_CALLER; }

/* A caller that is refused may not have reported that yet. */
bool model_has_ended(const model_queue_t *queue) {
    size_t left = 0;
    for (size_t i = 0; i < queue->depth; i += 1) {
        left += !(discards(queue) && is_caller(queue->waiting[i]));
    }
    return queue->closed && left == 0 && queue->running < 0;
}

bool model_is_full(const model_queue_t *queue) {
    size_t tasks = 0;
    for (size_t i = 0; i < queue->depth; i += 1) {
        tasks += queue->waiting[i].kind == ASYNC_TASK;
    }
    return queue->capacity > 0 && tasks + queue->reserved >= queue->capacity;
}

void model_accept(model_queue_t *queue, int id, entry_kind_t kind) {
    queue->waiting[queue->depth] = (entry_t){ .id = id, .kind = kind };
    queue->depth += 1;
    if (queue->highest < queue->depth) {
        queue->highest = queue->depth;
    }
    model_fates[id] = WAITS;
}

static void leave(model_queue_t *queue, size_t place, fate_t fate) {
    model_fates[queue->waiting[place].id] = fate;
    if (queue->waiting[place].kind == ASYNC_TASK && queue->seeks) {
        queue->seeks = false;
        queue->reserved = 1;
    }
    bool is_refused = fate == DISCARDED && is_caller(queue->waiting[place]);
    queue->depth -= 1;
    memmove(&queue->waiting[place], &queue->waiting[place + 1], (queue->depth - place) * sizeof(entry_t));
    queue->ran += fate == RUNS;
    queue->discarded += fate == DISCARDED && !is_refused;
    queue->withdrawn += fate == WITHDRAWN || is_refused;
    queue->rejected += fate == REJECTED;
}

void model_take_back(model_queue_t *queue, int id, fate_t fate) {
    if (fate == DISCARDED && model_fates[id] == DISCARDED) {
        return; /* one behind it was discarded before its caller reported that */
    }
    if (fate == DISCARDED && !discards(queue)) {
        model_fails(id, "refused by a queue that does not discard");
    }
    for (size_t place = 0; place < queue->depth; place += 1) {
        if (queue->waiting[place].id == id) {
            leave(queue, place, fate);
            return;
        }
    }
    model_fails(id, "returned an error, but its fate is %d", model_fates[id]);
}

/* A queue without a reference that is suspended discards what waits: nobody could resume it. What is delayed keeps it until it
 * is due, which it never is once the queue is shut down. */
void model_look_for_abandonment(model_queue_t *queue) {
    int keepers = queue->references + queue->notices + (queue->closed ? 0 : queue->delayed);
    if (keepers == 0 && queue->suspensions > 0) {
        queue->abandoned = true;
        queue->suspensions = 0;
    }
}

static void expect_first(model_queue_t *queue, int id, const char *what) {
    if (model_fates[id] != WAITS) {
        model_fails(id, "%s, but its fate is %d already", what, model_fates[id]);
    }
    if (queue->running >= 0) {
        model_fails(id, "%s while task %d runs", what, queue->running);
    }
    while (discards(queue) && queue->depth > 0 && queue->waiting[0].id != id && is_caller(queue->waiting[0])) {
        leave(queue, 0, DISCARDED); /* its caller is about to return ESHUTDOWN */
    }
    if (queue->depth == 0 || queue->waiting[0].id != id) {
        model_fails(id, "%s before task %d, which was submitted earlier", what, queue->depth ? queue->waiting[0].id : -1);
    }
}

static bool is_pending(const delayed_t *task) { return model_fates[task->id] == DELAYED; }

/* The first of those that are due and not submitted, in the order of their times, then of their starts. A queue that is shut
 * down takes none. */
static delayed_t *first_due(void) {
    delayed_t *first = NULL;
    for (size_t i = 0; i < delayed_count; i += 1) {
        delayed_t *task = &delayed[i];
        if (is_pending(task) && task->due <= model_now && !model_queues[task->queue].closed
            && (first == NULL || task->due < first->due)) {
            first = task;
        }
    }
    return first;
}

void model_submits_due(int last) {
    delayed_t *task;
    while ((last < 0 || model_fates[last] == DELAYED) && (task = first_due()) != NULL) {
        model_queue_t *queue = &model_queues[task->queue];
        queue->delayed -= 1;
        model_accept(queue, task->id, DUE_TASK);
        model_look_for_abandonment(queue);
    }
}

void model_begins(model_queue_t *queue, int id) {
    if (model_fates[id] == DELAYED) {
        model_submits_due(id);
    }
    model_look_for_abandonment(queue);
    expect_first(queue, id, "begins");
    if (queue->suspensions > 0) {
        model_fails(id, "begins on a suspended queue");
    }
    if (discards(queue)) {
        model_fails(id, "begins, but was to be discarded");
    }
    leave(queue, 0, RUNS);
    queue->running = id;
}

void model_ends(model_queue_t *queue, int id) {
    if (queue->running != id) {
        model_fails(id, "ends, but task %d runs", queue->running);
    }
    queue->running = -1;
    model_fates[id] = RAN;
    model_look_for_abandonment(queue);
}

/* A discard function is a turn of the queue's as well. */
void model_is_discarded(model_queue_t *queue, int id) {
    if (model_fates[id] == DELAYED && !queue->closed) {
        model_submits_due(id);
    }
    model_look_for_abandonment(queue);
    if (!queue->closed && !discards(queue)) {
        model_submits_due(-1); /* the last of several that kept it alive has made it discard them all */
    }
    if (model_fates[id] == DELAYED) {
        if (!model_has_ended(queue) && !queue->abandoned) {
            model_fails(id, "discarded before it was due");
        }
        model_fates[id] = DISCARDED;
        queue->never_due += 1;
        queue->delayed -= 1;
        return;
    }
    expect_first(queue, id, "is discarded");
    if (!discards(queue)) {
        model_fails(id, "is discarded, but was to run");
    }
    leave(queue, 0, DISCARDED);
}

void model_delay(int queue, int id, uint64_t delay) {
    model_fates[id] = DELAYED;
    model_queues[queue].delayed += 1;
    delayed[delayed_count++] = (delayed_t){ .due = model_now + delay, .queue = queue, .id = id };
}

uint64_t model_next_due(void) {
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < delayed_count; i += 1) {
        if (is_pending(&delayed[i]) && delayed[i].due > model_now && delayed[i].due < next) {
            next = delayed[i].due;
        }
    }
    return next;
}


void model_release(model_queue_t *queue) {
    queue->references -= 1;
    model_look_for_abandonment(queue);
}

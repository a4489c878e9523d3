/* figures.c: how long the tasks of each queue waited and ran, and which functions they were. */
#include "json.h"
#include "report.h"

#include <stdlib.h>

/* The tasks that ran, by queue or by label: those of queue q are `tasks[first[q]]` to `tasks[first[q + 1] - 1]`. */
typedef struct by_queue {
    const uint32_t *leaders; /* by queue: for which queue its tasks count, itself, or the first one of its label */
    uint32_t *first, *tasks;
    LIST(uint32_t) order; /* of the leaders: by their first task, then those without one */
} by_queue_t;

static bool ran(const model_t *model, const task_t *task) { return !is_out(task) && !is_discarded(model, task); }

static void group(by_queue_t *by, const model_t *model, const uint32_t *leaders) {
    const trace_t *trace = model->trace;
    size_t queues = trace->queues.count;
    uint32_t *next = list_zeroed(queues, sizeof *next);
    *by = (by_queue_t){ .leaders = leaders, .first = list_zeroed(queues + 1, sizeof *by->first), .tasks = list_zeroed(model->tasks.count, sizeof *by->tasks) };
    for (size_t i = 0; i < model->tasks.count; i += 1) {
        const task_t *task = &model->tasks.at[i];
        uint32_t queue = leaders[queue_of_task(model, task)];
        if (ran(model, task) && by->first[queue + 1]++ == 0) {
            *LIST_ADD(&by->order) = queue;
        }
    }
    for (size_t i = 0; i < trace->described.count; i += 1) {
        uint32_t queue = trace->described.at[i];
        if (leaders[queue] == queue && by->first[queue + 1] == 0 && !trace->queues.at[queue].is_hidden) {
            *LIST_ADD(&by->order) = queue;
        }
    }
    for (size_t i = 0; i < queues; i += 1) {
        by->first[i + 1] += by->first[i];
        next[i] = by->first[i];
    }
    for (size_t i = 0; i < model->tasks.count; i += 1) {
        const task_t *task = &model->tasks.at[i];
        if (ran(model, task)) {
            by->tasks[next[leaders[queue_of_task(model, task)]]++] = (uint32_t)i;
        }
    }
    free(next);
}

static int by_size(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The smallest value that 50, 99 and 100 hundredths of them do not exceed. */
static void put_percentiles(uint64_t *values, size_t count) {
    static const size_t shares[] = { 50, 99, 100 };
    qsort(values, count, sizeof *values, by_size);
    for (size_t i = 0; i < 3; i += 1) {
        size_t at = (count * shares[i] + 99) / 100;
        json_number(count == 0 ? 0 : values[at == 0 ? 0 : at - 1]);
    }
}

/* What the tasks of one queue have in common: by their origin, in the order of their first tasks. */
typedef struct shared {
    uint32_t origin, longest_task;
    uint64_t count, whole, longest;
} shared_t;

typedef struct figures {
    uint64_t *values;
    uint32_t *slots, *stamps; /* by origin: its place in `list`, if the stamp is that of the queue */
    LIST(shared_t) list;
} figures_t;

static uint64_t length_of(const model_t *model, const task_t *task) { return time_at(model, task->end) - time_at(model, task->begin); }

static void collect_origins(figures_t *figures, model_t *model, const by_queue_t *by, uint32_t queue) {
    figures->list.count = 0;
    for (uint32_t i = by->first[queue]; i < by->first[queue + 1]; i += 1) {
        const task_t *task = &model->tasks.at[by->tasks[i]];
        uint32_t origin = origin_of_task(model, task);
        uint64_t length = length_of(model, task);
        if (figures->stamps[origin] != queue + 1) {
            figures->stamps[origin] = queue + 1;
            figures->slots[origin] = (uint32_t)figures->list.count;
            *LIST_ADD(&figures->list) = (shared_t){ origin, task->number, 0, 0, 0 };
        }
        shared_t *one = &figures->list.at[figures->slots[origin]];
        one->count += 1;
        one->whole += length;
        if (length > one->longest) {
            one->longest = length;
            one->longest_task = task->number;
        }
    }
}

static void put_queue_figures(figures_t *figures, const report_t *report, const by_queue_t *by, uint32_t queue) {
    model_t *model = report->model;
    uint32_t first = by->first[queue], count = by->first[queue + 1] - first;
    uint64_t whole = 0;
    json_open('[');
    json_number(report->queue_numbers[queue]);
    json_number(count);
    for (uint32_t i = 0; i < count; i += 1) {
        const task_t *task = &model->tasks.at[by->tasks[first + i]];
        figures->values[i] = task->submission == NONE ? 0 : time_at(model, task->begin) - time_at(model, task->submission);
    }
    put_percentiles(figures->values, count);
    for (uint32_t i = 0; i < count; i += 1) {
        figures->values[i] = length_of(model, &model->tasks.at[by->tasks[first + i]]);
        whole += figures->values[i];
    }
    put_percentiles(figures->values, count);
    json_number(whole);
    collect_origins(figures, model, by, queue);
    json_open('[');
    for (size_t i = 0; i < figures->list.count; i += 1) {
        const shared_t *one = &figures->list.at[i];
        json_open('[');
        json_number(one->origin);
        json_number(one->count);
        json_number(one->whole);
        json_number(one->longest);
        json_number(one->longest_task);
        json_close(']');
    }
    json_close(']');
    json_close(']');
}

static void put_all(const char *name, figures_t *figures, const report_t *report, const uint32_t *leaders) {
    by_queue_t by;
    group(&by, report->model, leaders);
    json_name(name);
    json_open('[');
    for (size_t i = 0; i < by.order.count; i += 1) {
        put_queue_figures(figures, report, &by, by.order.at[i]);
    }
    json_close(']');
    free(by.first);
    free(by.tasks);
    free(by.order.at);
}

void put_figures(const report_t *report) {
    model_t *model = report->model;
    const trace_t *trace = model->trace;
    figures_t figures = { .values = list_zeroed(model->tasks.count, sizeof *figures.values), .slots = list_zeroed(model->origins.count, 4), .stamps = list_zeroed(model->origins.count, 4) };
    uint32_t *leaders = list_zeroed(trace->queues.count, sizeof *leaders);
    for (size_t i = 0; i < trace->queues.count; i += 1) {
        leaders[i] = (uint32_t)i;
    }
    put_all("stats", &figures, report, leaders);
    uint32_t *first = list_zeroed(trace->texts.list.count, sizeof *first); /* by label: the first queue, plus one */
    for (size_t i = 0; i < trace->described.count; i += 1) {
        uint32_t queue = trace->described.at[i], label = trace->queues.at[queue].label;
        first[label] = first[label] == 0 ? queue + 1 : first[label];
        leaders[queue] = first[label] - 1;
    }
    for (size_t i = 0; i < model->origins.count; i += 1) {
        figures.stamps[i] = 0;
    }
    put_all("labels", &figures, report, leaders);
    free(leaders);
    free(first);
    free(figures.values);
    free(figures.slots);
    free(figures.stamps);
    free(figures.list.at);
}

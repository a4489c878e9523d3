/* numbers.c: the numbers that queues and threads have in the output. */
#include "report.h"

#include <stdlib.h>

typedef struct ranked {
    uint64_t id;
    uint32_t number;
    bool is_shown;
} ranked_t;

static int by_rank(const void *left, const void *right) {
    const ranked_t *a = left, *b = right;
    return a->is_shown != b->is_shown ? b->is_shown - a->is_shown : (a->id > b->id) - (a->id < b->id);
}

/* Returns how many are shown; they come first. */
static uint32_t rank(ranked_t *ranked, size_t count, uint32_t *numbers, uint32_t *others) {
    uint32_t shown = 0;
    qsort(ranked, count, sizeof *ranked, by_rank);
    for (size_t i = 0; i < count; i += 1) {
        numbers[ranked[i].number] = (uint32_t)i;
        others[i] = ranked[i].number;
        shown += ranked[i].is_shown;
    }
    return shown;
}

void report_make(report_t *report, model_t *model) {
    const trace_t *trace = model->trace;
    size_t queues = trace->queues.count, threads = trace->threads.count;
    ranked_t *ranked = list_zeroed(queues > threads ? queues : threads, sizeof *ranked);
    *report = (report_t){ .model = model, .queue_numbers = list_zeroed(queues, 4), .queues = list_zeroed(queues, 4), .thread_numbers = list_zeroed(threads, 4), .threads = list_zeroed(threads, 4) };
    for (size_t i = 0; i < threads; i += 1) {
        ranked[i] = (ranked_t){ trace->threads.at[i].track, (uint32_t)i, trace->threads.at[i].is_described };
    }
    report->threads_shown = rank(ranked, threads, report->thread_numbers, report->threads);
    for (size_t i = 0; i < queues; i += 1) {
        ranked[i] = (ranked_t){ trace->queues.at[i].id, (uint32_t)i, trace->queues.at[i].is_described };
    }
    for (size_t i = 0; i < model->tasks.count; i += 1) {
        const task_t *task = &model->tasks.at[i];
        ranked[event_at(model, task->begin)->queue].is_shown |= !is_out(task);
        if (!is_out(task) && task->end == NONE) {
            *LIST_ADD(&report->running) = (uint32_t)i;
        }
    }
    report->queues_shown = rank(ranked, queues, report->queue_numbers, report->queues);
    free(ranked);
}

/* report.h: what the reader prints: two lines of JSON. model.py and timeline.py read them. */
#pragma once

#include "model.h"

/* The numbers that queues and threads have in the output: first those that have a label or a task (`*_shown` of them), in ascending order of their
 * numbers in the trace. */
typedef struct report {
    model_t *model;
    uint32_t *queue_numbers, *thread_numbers; /* of those in the trace */
    uint32_t *queues, *threads;               /* the other way round */
    uint32_t queues_shown, threads_shown;
    LIST(uint32_t) running;                   /* tasks that have not ended */
} report_t;

void report_make(report_t *report, model_t *model);
void report_summary(report_t *report); /* the first line: all but what each task and wait needs */
void report_rows(report_t *report);    /* the second line: tasks, waits, shares, marks and so on, without braces */

/* Parts of the summary. */
void put_figures(const report_t *report);
void put_refusals(report_t *report);

/* One row. `is_of_page`: -1 for a queue or thread that the page does not show. */
void put_task(report_t *report, const task_t *task, uint32_t before, bool is_of_page);
void put_wait(report_t *report, const wait_t *wait, bool is_of_page);
void put_share(report_t *report, const share_t *share, bool is_of_page);

/* 0x80: discarded; 0x40: a barrier; else what it was submitted as. */
static inline uint32_t kind_of(const model_t *model, const task_t *task) {
    uint32_t kind = note_at(model, task->begin)->kind;
    return kind & 0x80 ? 0x80 : kind & 0x40 ? 0x40 : kind;
}
static inline bool is_discarded(const model_t *model, const task_t *task) { return kind_of(model, task) == 0x80; }
static inline uint32_t queue_of_task(const model_t *model, const task_t *task) { return event_at(model, task->begin)->queue; }
uint32_t target_of(model_t *model, const wait_t *wait);

/* refusals.c: the waits that were refused, because they would have closed a cycle, and the cycle. */
#include "json.h"
#include "report.h"

enum { MOST_REFUSALS = 20, MOST_STEPS = 16 };

/* Another thread that runs a task of this queue, or NONE. A thread runs its own task if no other one does. */
static uint32_t holder_of(const model_t *model, uint32_t queue, uint32_t own) {
    uint32_t found = NONE;
    for (uint32_t thread = 0; thread < model->trace->threads.count; thread += 1) {
        const stack_t *stack = &model->stacks[thread];
        for (size_t i = 0; i < stack->list.count; i += 1) {
            const inner_t *inner = &stack->list.at[i];
            bool holds = inner->what == TASK && event_at(model, model->tasks.at[inner->number].begin)->queue == queue;
            found = holds && (found == NONE || found == own) ? thread : found;
        }
    }
    return found;
}

static uint32_t innermost_wait(const stack_t *stack) {
    const inner_t *inner = stack->list.count > 0 ? &stack->list.at[stack->list.count - 1] : NULL;
    return inner != NULL && inner->what == A_WAIT ? inner->number : NONE;
}

void refusals_add(model_t *model, uint32_t wait) {
    uint32_t own = event_at(model, model->waits.at[wait].begin)->thread;
    model->refused += 1;
    if (model->refused > MOST_REFUSALS) {
        return;
    }
    for (unsigned steps = 0; wait != NONE && steps < MOST_STEPS; steps += 1) {
        uint32_t queue = event_at(model, model->waits.at[wait].begin)->queue;
        *LIST_ADD(&model->refusals) = (refusal_t){ wait, steps == 0 };
        uint32_t thread = model->trace->queues.at[queue].id == 0 ? NONE : holder_of(model, queue, own);
        wait = thread == NONE || thread == own ? NONE : innermost_wait(&model->stacks[thread]);
    }
}

/* [whether it was refused, its number, its row, the queue and the origin of the task in which it waited] of each; -1: there is no task. */
void put_refusals(report_t *report) {
    model_t *model = report->model;
    json_name("refused");
    json_number(model->refused);
    json_name("refusals");
    json_open('[');
    for (size_t i = 0; i < model->refusals.count; i += 1) {
        const wait_t *wait = &model->waits.at[model->refusals.at[i].wait];
        const task_t *task = wait->parent == NONE ? NULL : &model->tasks.at[wait->parent];
        json_open('[');
        json_number(model->refusals.at[i].is_first);
        json_number(model->refusals.at[i].wait);
        put_wait(report, wait, false);
        json_index(task == NULL ? NONE : report->queue_numbers[queue_of_task(model, task)]);
        json_index(task == NULL ? NONE : origin_of_task(model, task));
        json_close(']');
    }
    json_close(']');
}

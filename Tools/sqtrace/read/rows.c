/* rows.c: one row for each task, wait, and so on. Times are nanoseconds since the beginning. */
#include "json.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

static void put_time(const report_t *report, uint64_t time) { json_number(time - report->model->trace->begin); }

static void put_length(const report_t *report, uint32_t begin, uint32_t end) {
    json_number(time_at(report->model, end) - time_at(report->model, begin));
}

static uint32_t shown(uint32_t number, uint32_t count, bool is_of_page) { return is_of_page && number >= count ? NONE : number; }

static void put_thread(const report_t *report, uint32_t event, bool is_of_page) {
    uint32_t number = event == NONE ? NONE : report->thread_numbers[event_at(report->model, event)->thread];
    json_index(number == NONE ? NONE : shown(number, report->threads_shown, is_of_page));
}

static void put_queue(const report_t *report, uint32_t queue, bool is_of_page) {
    json_index(shown(report->queue_numbers[queue], report->queues_shown, is_of_page));
}

static uint32_t number_of(const model_t *model, uint32_t task) { return task == NONE ? NONE : model->tasks.at[task].number; }

void put_task(report_t *report, const task_t *task, uint32_t before, bool is_of_page) {
    model_t *model = report->model;
    json_open('[');
    put_queue(report, event_at(model, task->begin)->queue, is_of_page);
    put_thread(report, task->begin, is_of_page);
    put_time(report, time_at(model, task->begin));
    put_length(report, task->begin, task->end);
    json_number(origin_of_task(model, task));
    json_number(kind_of(model, task));
    if (task->submission == NONE) {
        json_index(NONE);
    } else {
        put_time(report, time_at(model, task->submission));
    }
    put_thread(report, task->submission, is_of_page);
    json_index(number_of(model, task->parent));
    json_index(before);
    json_index(task->submission == NONE ? NONE : wait_of(model, task->submission));
    json_number(task->end == NONE);
    json_close(']');
}

uint32_t target_of(model_t *model, const wait_t *wait) {
    static const char *const aims[] = { "its turn in ", "room in ", "the end of ", "a timer of " };
    static const char prefix[] = "wait for ";
    const note_t *note = note_at(model, wait->begin);
    texts_t *texts = &model->trace->texts;
    const queue_t *queue = &model->trace->queues.at[event_at(model, wait->begin)->queue];
    const struct text *what = &texts->list.at[note->name], *label = &texts->list.at[queue->label];
    size_t skipped = strncmp(what->at, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
    if (!queue->is_described || skipped == 0 || what->length - skipped != label->length || memcmp(what->at + skipped, label->at, label->length) != 0) {
        return text_number(texts, what->at + skipped, what->length - skipped);
    }
    const char *aim = note->aim < sizeof aims / sizeof aims[0] ? aims[note->aim] : "";
    size_t length = strlen(aim);
    char *text = list_zeroed(length + label->length, 1);
    memcpy(text, aim, length);
    memcpy(text + length, label->at, label->length);
    uint32_t number = text_number(texts, text, length + label->length);
    free(text);
    return number;
}

/* The first task that it waits for, as far as a trace can know. */
static uint32_t holder_of(const report_t *report, const wait_t *wait) {
    const model_t *model = report->model;
    const event_t *event = event_at(model, wait->begin);
    for (size_t i = 0; i < report->running.count && wait->end == NONE && model->trace->queues.at[event->queue].id != 0; i += 1) {
        const event_t *other = event_at(model, model->tasks.at[report->running.at[i]].begin);
        if (other->queue == event->queue && other->thread != event->thread) {
            return report->running.at[i];
        }
    }
    return NONE;
}

void put_wait(report_t *report, const wait_t *wait, bool is_of_page) {
    model_t *model = report->model;
    json_open('[');
    put_thread(report, wait->begin, is_of_page);
    put_queue(report, event_at(model, wait->begin)->queue, is_of_page);
    put_time(report, time_at(model, wait->begin));
    put_length(report, wait->begin, wait->end);
    json_number(target_of(model, wait));
    json_index(number_of(model, wait->task));
    json_number(wait->outcome);
    json_number(wait->end == NONE);
    json_index(number_of(model, holder_of(report, wait)));
    json_number(origin_of_note(model, note_at(model, wait->begin), NONE));
    json_number(note_at(model, wait->begin)->aim);
    json_close(']');
}

void put_share(report_t *report, const share_t *share, bool is_of_page) {
    model_t *model = report->model;
    json_open('[');
    put_thread(report, share->begin, is_of_page);
    put_time(report, time_at(model, share->begin));
    put_length(report, share->begin, share->end);
    json_number(origin_of_note(model, note_at(model, share->begin), NONE));
    json_number(share->end == NONE ? 0 : event_at(model, share->end)->flow);
    json_number(event_at(model, share->begin)->flow);
    json_number(share->end == NONE);
    json_close(']');
}

static void put_marks(const report_t *report) {
    const model_t *model = report->model;
    json_name("instants");
    json_open('[');
    for (size_t i = 0; i < model->marks.count; i += 1) {
        uint32_t event = model->marks.at[i].event;
        if (model->marks.at[i].is_fired) {
            continue;
        }
        json_open('[');
        put_time(report, time_at(model, event));
        put_thread(report, event, true);
        json_number(note_at(model, event)->name);
        put_queue(report, event_at(model, event)->queue, true);
        json_number(note_at(model, event)->category);
        json_close(']');
    }
    json_close(']');
}

static void put_withdrawn(const report_t *report) {
    const model_t *model = report->model;
    json_name("withdrawn");
    json_open('[');
    for (size_t i = 0; i < model->withdrawn.count; i += 1) {
        const withdrawn_t *one = &model->withdrawn.at[i];
        json_open('[');
        put_time(report, one->begin);
        json_number(one->end - one->begin);
        put_queue(report, one->queue, true);
        json_number(one->origin);
        json_close(']');
    }
    json_close(']');
}

static void put_suspensions(const report_t *report) {
    const model_t *model = report->model;
    json_name("suspensions");
    json_open('[');
    for (size_t i = 0; i < model->suspensions.count; i += 1) {
        const suspension_t *one = &model->suspensions.at[i];
        json_open('[');
        put_queue(report, one->queue, true);
        put_time(report, one->begin);
        json_number(one->end - one->begin);
        json_number(one->is_open);
        json_close(']');
    }
    json_close(']');
}

void report_rows(report_t *report) {
    model_t *model = report->model;
    uint32_t *last = list_zeroed(model->trace->queues.count, sizeof *last);
    memset(last, 0xFF, model->trace->queues.count * sizeof *last);
    json_name("tasks");
    json_open('[');
    for (size_t i = 0; i < model->tasks.count; i += 1) {
        const task_t *task = &model->tasks.at[i];
        if (!is_out(task)) {
            uint32_t queue = event_at(model, task->begin)->queue;
            put_task(report, task, last[queue], true);
            last[queue] = task->number;
        }
    }
    json_close(']');
    json_name("waits");
    json_open('[');
    for (size_t i = 0; i < model->waits.count; i += 1) {
        put_wait(report, &model->waits.at[i], true);
    }
    json_close(']');
    json_name("shares");
    json_open('[');
    for (size_t i = 0; i < model->shares.count; i += 1) {
        if (model->shares.at[i].number != NONE) {
            put_share(report, &model->shares.at[i], true);
        }
    }
    json_close(']');
    put_marks(report);
    put_withdrawn(report);
    put_suspensions(report);
    json_line();
    free(last);
}

/* summary.c: what was unfinished at the end, names and counts; figures.c has the figures of the queues. */
#include "json.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* What waited at the end */

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* One row for all that wait in one queue and were submitted at one site, the oldest first. */
static void put_waiting(const report_t *report) {
    model_t *model = report->model;
    LIST(uint32_t) all = { NULL, 0, 0 };
    LIST(struct group { uint64_t count, oldest; }) groups = { NULL, 0, 0 };
    records_t keys = { .size = 12 };
    for (size_t i = 0; i < model->unstarted.room; i += 1) {
        if (model->unstarted.slots[i].value != 0) {
            *LIST_ADD(&all) = model->unstarted.slots[i].value - 1;
        }
    }
    for (size_t i = 0; i < model->grants.count; i += 1) {
        uint32_t submission = model->grants.at[i].submission, wait = submission == NONE ? NONE : wait_of(model, submission);
        if (submission != NONE && (wait == NONE || model->waits.at[wait].end == NONE)) {
            *LIST_ADD(&all) = submission;
        }
    }
    if (all.count > 0) {
        qsort(all.at, all.count, sizeof *all.at, by_number);
    }
    for (size_t i = 0; i < all.count; i += 1) {
        const event_t *event = event_at(model, all.at[i]);
        const note_t *note = note_at(model, all.at[i]);
        uint32_t key[3] = { report->queue_numbers[event->queue], origin_of_note(model, &(note_t){ .site = note->site }, NONE), note->category == WAIT };
        uint32_t number = record_number(&keys, key);
        if (number == groups.count) {
            *LIST_ADD(&groups) = (struct group){ 0, event->time };
        }
        groups.at[number].count += 1;
        groups.at[number].oldest = event->time < groups.at[number].oldest ? event->time : groups.at[number].oldest;
    }
    json_name("waiting");
    json_open('[');
    for (size_t i = 0; i < groups.count; i += 1) {
        const uint32_t *key = (const uint32_t *)(const void *)keys.at + 3 * i;
        json_open('[');
        json_number(key[0]);
        json_number(key[1]);
        json_number(key[2]);
        json_number(groups.at[i].count);
        json_number(groups.at[i].oldest - model->trace->begin);
        json_close(']');
    }
    json_close(']');
    free(all.at);
    free(groups.at);
    free(keys.at);
    map_clear(&keys.numbers);
}

static void put_open(report_t *report) {
    model_t *model = report->model;
    json_name("openTasks");
    json_open('[');
    for (size_t i = 0; i < report->running.count; i += 1) {
        const task_t *task = &model->tasks.at[report->running.at[i]];
        json_open('[');
        json_number(task->number);
        put_task(report, task, NONE, false);
        json_close(']');
    }
    json_close(']');
    json_name("openWaits");
    json_open('[');
    for (size_t i = 0; i < model->waits.count; i += 1) {
        if (model->waits.at[i].end == NONE) {
            json_open('[');
            json_number(i);
            put_wait(report, &model->waits.at[i], false);
            json_close(']');
        }
    }
    json_close(']');
    json_name("openShares");
    json_open('[');
    for (size_t i = 0; i < model->shares.count; i += 1) {
        if (model->shares.at[i].end == NONE) {
            json_open('[');
            json_number(model->shares.at[i].number);
            put_share(report, &model->shares.at[i], false);
            json_close(']');
        }
    }
    json_close(']');
}

/* Of each thread that was in something at the end: what, innermost last. */
static void put_stacks(const report_t *report) {
    const model_t *model = report->model;
    json_name("stacks");
    json_open('[');
    for (size_t i = 0; i < model->trace->threads.count; i += 1) {
        const stack_t *stack = &model->stacks[report->threads[i]];
        if (stack->list.count == 0) {
            continue;
        }
        json_open('[');
        json_number(i);
        for (size_t k = 0; k < stack->list.count; k += 1) {
            inner_t one = stack->list.at[k];
            uint32_t number = one.what == TASK ? model->tasks.at[one.number].number : one.what == SHARE ? model->shares.at[one.number].number : one.number;
            json_open('[');
            json_number((uint64_t)one.what);
            json_index(number);
            json_close(']');
        }
        json_close(']');
    }
    json_close(']');
}

/* The rest */

static void put_names(const report_t *report) {
    const trace_t *trace = report->model->trace;
    json_name("queues");
    json_open('[');
    for (size_t i = 0; i < trace->queues.count; i += 1) {
        const queue_t *queue = &trace->queues.at[report->queues[i]];
        json_open('[');
        json_number(queue->id);
        json_index(queue->is_described ? queue->label : NONE);
        json_number(queue->handle);
        json_close(']');
    }
    json_close(']');
    json_name("threads");
    json_open('[');
    for (size_t i = 0; i < trace->threads.count; i += 1) {
        const thread_t *thread = &trace->threads.at[report->threads[i]];
        json_open('[');
        json_number(thread->is_described ? thread->id : thread->track & UINT32_MAX);
        json_number(thread->name);
        json_close(']');
    }
    json_close(']');
    json_name("origins");
    json_open('[');
    for (size_t i = 0; i < report->model->origins.count; i += 1) {
        const uint32_t *origin = (const uint32_t *)(const void *)report->model->origins.at + 5 * i;
        json_open('[');
        for (size_t k = 0; k < 5; k += 1) {
            json_number(origin[k]);
        }
        json_close(']');
    }
    json_close(']');
    json_name("texts");
    json_open('[');
    for (size_t i = 0; i < trace->texts.list.count; i += 1) {
        json_text(trace->texts.list.at[i].at, trace->texts.list.at[i].length);
    }
    json_close(']');
}

static void put_field(const char *name, uint64_t value) {
    json_name(name);
    json_number(value);
}

static void put_remarks(const report_t *report) {
    const trace_t *trace = report->model->trace;
    json_name("remarks");
    json_open('[');
    for (size_t i = 0; i < trace->remarks.count; i += 1) {
        json_open('[');
        json_number(trace->remarks.at[i].time);
        json_number(trace->remarks.at[i].text);
        json_close(']');
    }
    json_close(']');
    json_name("dropped");
    json_open('[');
    for (size_t i = 0; i < trace->dropped.count; i += 1) {
        uint32_t thread = map_find(&trace->tracks, TRACKS_OF_THREADS << 32 | trace->dropped.at[i].thread);
        json_open('[');
        json_index(thread == NONE ? NONE : report->thread_numbers[thread]);
        json_number(trace->dropped.at[i].thread);
        json_number(trace->dropped.at[i].events);
        json_number(trace->dropped.at[i].buffer);
        json_close(']');
    }
    json_close(']');
}

static void put_counts(const report_t *report) {
    model_t *model = report->model;
    uint64_t tasks = 0, alone = 0;
    uint32_t *discarded = list_zeroed(model->trace->queues.count, sizeof *discarded);
    for (size_t i = 0; i < model->tasks.count; i += 1) {
        const task_t *task = &model->tasks.at[i];
        uint32_t kind = kind_of(model, task);
        if (!is_out(task)) {
            tasks += !is_discarded(model, task);
            discarded[queue_of_task(model, task)] += is_discarded(model, task);
            alone += task->submission == NONE && kind != 9 && kind != 15; /* sync, operation */
        }
    }
    put_field("count", tasks);
    put_field("alone", alone);
    json_name("discarded");
    json_open('[');
    for (size_t i = 0; i < model->trace->queues.count; i += 1) {
        if (discarded[i] > 0) {
            json_open('[');
            json_number(report->queue_numbers[i]);
            json_number(discarded[i]);
            json_close(']');
        }
    }
    json_close(']');
    free(discarded);
}

/* [origin, thread, what it ran, how long, whether it still runs] of each share. */
static void put_applies(const report_t *report) {
    model_t *model = report->model;
    json_name("applies");
    json_open('[');
    for (size_t i = 0; i < model->shares.count; i += 1) {
        const share_t *share = &model->shares.at[i];
        if (share->number != NONE) {
            json_open('[');
            json_number(origin_of_note(model, note_at(model, share->begin), NONE));
            json_number(report->thread_numbers[event_at(model, share->begin)->thread]);
            json_number(share->end == NONE ? 0 : event_at(model, share->end)->flow);
            json_number(time_at(model, share->end) - time_at(model, share->begin));
            json_number(share->end == NONE);
            json_close(']');
        }
    }
    json_close(']');
}

/* Gives each text and origin that the rows name its number. */
static void number_all(model_t *model) {
    for (size_t i = 0; i < model->tasks.count; i += 1) {
        (void)origin_of_task(model, &model->tasks.at[i]);
    }
    for (size_t i = 0; i < model->waits.count; i += 1) {
        (void)target_of(model, &model->waits.at[i]);
        (void)origin_of_note(model, note_at(model, model->waits.at[i].begin), NONE);
    }
}

void report_summary(report_t *report) {
    const trace_t *trace = report->model->trace;
    number_all(report->model);
    json_open('{');
    put_field("process", trace->process);
    put_field("isCut", trace->is_cut);
    put_field("hasEnd", trace->has_end);
    put_field("begin", trace->begin);
    put_field("finish", trace->finish);
    put_field("queuesShown", report->queues_shown);
    put_field("threadsShown", report->threads_shown);
    put_figures(report);
    put_counts(report);
    put_waiting(report);
    put_open(report);
    put_refusals(report);
    put_stacks(report);
    put_applies(report);
    put_remarks(report);
    json_name("suspended");
    json_open('[');
    for (size_t i = 0; i < report->model->suspensions.count; i += 1) {
        const suspension_t *one = &report->model->suspensions.at[i];
        if (one->is_open) {
            json_open('[');
            json_number(report->queue_numbers[one->queue]);
            json_number(one->begin - trace->begin);
            json_close(']');
        }
    }
    json_close(']');
    put_names(report);
    json_close('}');
    json_line();
}

/* model.h: the tasks and waits of a trace. They are kept as numbers of events: of a task 24 bytes. NONE: there is none. */
#pragma once

#include "events.h"

typedef struct task {
    uint32_t begin, end;   /* events; `end` NONE: it still ran when the trace ended */
    uint32_t submission;   /* the event: a submission, or the wait of its caller */
    uint32_t parent;       /* the task in which it was submitted, or in which it runs */
    uint32_t number;       /* without those that are left out; of these NONE */
    bool did_not_run;      /* a firing of a timer that was cancelled while it waited */
    bool is_of_parts;      /* its parts are tasks */
} task_t;

typedef struct wait {
    uint32_t begin, end;
    uint32_t task;         /* that it waited for */
    uint32_t parent;
    uint32_t outcome;      /* a text: why it ended without what it waited for */
} wait_t;

/* What one thread runs of an apply. */
typedef struct share {
    uint32_t begin, end, number; /* `number` NONE: it came too late to run anything */
} share_t;

typedef struct withdrawn {
    uint64_t begin, end;
    uint32_t queue, origin;
} withdrawn_t;

typedef struct suspension {
    uint64_t begin, end;
    uint32_t queue;
    bool is_open;
} suspension_t;

/* A wait of a cycle. `is_first`: the one that was refused; those after it are what it would have waited for. */
typedef struct refusal {
    uint32_t wait;
    bool is_first;
} refusal_t;

/* What gives a task its name. Numbers of texts: sites are those of the task's own start and of its submission. */
typedef struct origin {
    uint32_t label, function, context, own_site, submission_site;
} origin_t;

/* What a thread is in: innermost last. */
typedef struct inner {
    enum { UNKNOWN, TASK, A_WAIT, SHARE } what;
    uint32_t number;
} inner_t;
typedef struct stack {
    LIST(inner_t) list;
    uint32_t due; /* the timer's mark whose task this thread submits next */
} stack_t;

typedef struct of_queue {
    uint32_t suspension, unstarted; /* the open one; how many submissions wait */
} of_queue_t;

/* What was taken from a place in a queue before it started. */
typedef struct granted {
    uint32_t submission, thread, next;
} granted_t;

typedef struct model {
    trace_t *trace;
    records_t origins;
    LIST(task_t) tasks;
    LIST(wait_t) waits;
    LIST(share_t) shares;
    LIST(struct mark { uint32_t event; bool is_fired; }) marks;
    LIST(withdrawn_t) withdrawn;
    LIST(suspension_t) suspensions;
    LIST(refusal_t) refusals; /* of the first ones */
    size_t refused;           /* how many waits, in all */
    stack_t *stacks;       /* by thread */
    of_queue_t *of_queues; /* by queue */
    map_t unstarted, granted, fires; /* flow: submission; flow: first of `grants`; submission: mark of its timer */
    LIST(granted_t) grants;
} model_t;

void model_make(model_t *model, trace_t *trace);

/* refusals.c: this wait was refused now. */
void refusals_add(model_t *model, uint32_t wait);

static inline const event_t *event_at(const model_t *model, uint32_t event) { return &model->trace->events.at[event]; }
static inline const note_t *note_at(const model_t *model, uint32_t event) { return note_of(model->trace, event_at(model, event)); }
static inline uint64_t time_at(const model_t *model, uint32_t event) { return event == NONE ? model->trace->finish : event_at(model, event)->time; }

/* The wait that this submission is, or NONE. */
static inline uint32_t wait_of(const model_t *model, uint32_t submission) {
    return note_at(model, submission)->category == WAIT ? event_at(model, submission)->number : NONE;
}
uint32_t origin_of_task(model_t *model, const task_t *task);
uint32_t origin_of_note(model_t *model, const note_t *note, uint32_t submission);
static inline bool is_out(const task_t *task) { return task->did_not_run || task->is_of_parts; }

/* DESIGN. A task is known by its flow: the place where it waited in its queue. No other has that place until the task is taken from it: by its start,
 * or by a grant before it. So the newest submission with a flow belongs to the next grant or start with it. */
#include "model.h"
#include "order.h"

#include <stdlib.h>

enum { KIND_OPERATION = 15 };

uint32_t origin_of_note(model_t *model, const note_t *note, uint32_t submission) {
    origin_t origin = { note->label, note->function, note->context, note->site, submission == NONE ? 0 : note_at(model, submission)->site };
    return record_number(&model->origins, &origin);
}

uint32_t origin_of_task(model_t *model, const task_t *task) { return origin_of_note(model, note_at(model, task->begin), task->submission); }

/* The innermost task of the thread. */
static uint32_t inside_of(const stack_t *stack) {
    for (size_t i = stack->list.count; i > 0; i -= 1) {
        if (stack->list.at[i - 1].what == TASK) {
            return stack->list.at[i - 1].number;
        }
    }
    return NONE;
}

static void push(stack_t *stack, int what, size_t number) { *LIST_ADD(&stack->list) = (inner_t){ what, (uint32_t)number }; }

/* Submissions */

static void add_unstarted(model_t *model, uint64_t flow, uint32_t submission) {
    uint32_t before = map_find(&model->unstarted, flow);
    if (before != NONE) {
        model->of_queues[event_at(model, before)->queue].unstarted -= 1;
    }
    map_set(&model->unstarted, flow, submission);
    model->of_queues[event_at(model, submission)->queue].unstarted += 1;
}

static uint32_t take_unstarted(model_t *model, uint64_t flow) {
    uint32_t submission = map_take(&model->unstarted, flow);
    if (submission != NONE) {
        model->of_queues[event_at(model, submission)->queue].unstarted -= 1;
    }
    return submission;
}

static void add_grant(model_t *model, uint64_t flow, uint32_t submission, uint32_t thread) {
    uint32_t next = map_find(&model->granted, flow);
    *LIST_ADD(&model->grants) = (granted_t){ submission, thread, next };
    map_set(&model->granted, flow, (uint32_t)(model->grants.count - 1));
}

/* Removes the grant of this flow that comes after `before`, or is the first one. Its slot is used again only if it is the last one. */
static void remove_grant(model_t *model, uint64_t flow, uint32_t before, uint32_t grant) {
    uint32_t next = model->grants.at[grant].next;
    if (before != NONE) {
        model->grants.at[before].next = next;
    } else if (next != NONE) {
        map_set(&model->granted, flow, next);
    } else {
        map_take(&model->granted, flow);
    }
    model->grants.at[grant].submission = NONE;
    while (model->grants.count > 0 && model->grants.at[model->grants.count - 1].submission == NONE) {
        model->grants.count -= 1;
    }
}

/* Whether a grant is that of a task which starts on this thread; NONE: any thread. The order in which they are tried: a thread's own task, which it
 * takes just before it starts it; its wait; a call that it runs for another thread. */
static bool fits(const model_t *model, const granted_t *grant, uint32_t thread, int attempt) {
    bool is_wait = wait_of(model, grant->submission) != NONE;
    switch (attempt) {
    case 0: return !is_wait && grant->thread == thread;
    case 1: return is_wait && event_at(model, grant->submission)->thread == thread;
    default: return thread == NONE || grant->thread == thread;
    }
}

/* What was taken from this place for a task that starts on this thread, or what waits there. */
static uint32_t take(model_t *model, uint64_t flow, uint32_t thread) {
    for (int attempt = 0; attempt < 3; attempt += 1) {
        uint32_t before = NONE;
        for (uint32_t at = map_find(&model->granted, flow); at != NONE; before = at, at = model->grants.at[at].next) {
            if (fits(model, &model->grants.at[at], thread, attempt)) {
                uint32_t submission = model->grants.at[at].submission;
                remove_grant(model, flow, before, at);
                return submission;
            }
        }
    }
    return take_unstarted(model, flow);
}

/* The wait ended without its turn. */
static void forget(model_t *model, uint32_t submission) {
    uint64_t flow = event_at(model, submission)->flow;
    if (flow == 0) {
        return;
    }
    if (map_find(&model->unstarted, flow) == submission) {
        take_unstarted(model, flow);
    }
    uint32_t before = NONE;
    for (uint32_t at = map_find(&model->granted, flow), next; at != NONE; at = next) {
        next = model->grants.at[at].next;
        if (model->grants.at[at].submission == submission) {
            remove_grant(model, flow, before, at);
        } else {
            before = at;
        }
    }
}

/* What the queue had is gone with it. */
static void forget_queue(model_t *model, uint32_t queue) {
    LIST(uint64_t) flows = { NULL, 0, 0 };
    for (size_t i = 0; i < model->unstarted.room && model->of_queues[queue].unstarted > 0; i += 1) {
        const struct map_slot *slot = &model->unstarted.slots[i];
        if (slot->value != 0 && event_at(model, slot->value - 1)->queue == queue) {
            *LIST_ADD(&flows) = slot->key;
        }
    }
    for (size_t i = 0; i < flows.count; i += 1) {
        take_unstarted(model, flows.at[i]);
    }
    free(flows.at);
}

/* Events */

static void start(model_t *model, uint32_t number, event_t *event, uint32_t inside) {
    uint32_t kind = note_of(model->trace, event)->kind;
    task_t task = { number, NONE, NONE, inside, 0, false, false };
    if ((kind & 0xC0) == 0 && kind == KIND_OPERATION && inside != NONE) {
        model->tasks.at[inside].is_of_parts = true;
        task.parent = model->tasks.at[inside].parent;
    }
    uint32_t submission = event->flow == 0 ? NONE : take(model, event->flow, event->thread);
    if (submission != NONE) {
        uint32_t wait = wait_of(model, submission), mark = map_take(&model->fires, submission);
        uint32_t parent = wait != NONE ? model->waits.at[wait].parent : event_at(model, submission)->number - 1;
        task.submission = submission;
        task.parent = parent != NONE ? parent : inside;
        if (mark != NONE) {
            model->marks.at[mark].is_fired = true;
        }
        if (wait != NONE) {
            model->waits.at[wait].task = (uint32_t)model->tasks.count;
        }
    }
    *LIST_ADD(&model->tasks) = task;
}

static void begin(model_t *model, uint32_t number, event_t *event, stack_t *stack, uint32_t inside) {
    switch (note_of(model->trace, event)->category) {
    case RUN:
        start(model, number, event, inside);
        push(stack, TASK, model->tasks.count - 1);
        break;
    case WAIT:
        event->number = (uint32_t)model->waits.count;
        *LIST_ADD(&model->waits) = (wait_t){ number, NONE, NONE, inside, 0 };
        push(stack, A_WAIT, event->number);
        if (event->flow != 0) {
            add_unstarted(model, event->flow, number);
        }
        break;
    case APPLY:
        *LIST_ADD(&model->shares) = (share_t){ number, NONE, 0 };
        push(stack, SHARE, model->shares.count - 1);
        break;
    default:
        push(stack, UNKNOWN, 0); /* of a later version */
        break;
    }
}

static void end(model_t *model, uint32_t number, const event_t *event, stack_t *stack) {
    uint32_t outcome = note_of(model->trace, event)->outcome;
    inner_t ended = stack->list.at[--stack->list.count];
    if (ended.what == SHARE) {
        model->shares.at[ended.number].end = number;
    } else if (ended.what == A_WAIT) {
        model->waits.at[ended.number].end = number;
        model->waits.at[ended.number].outcome = outcome;
        if (outcome != 0) {
            forget(model, model->waits.at[ended.number].begin);
        }
        if (outcome == REFUSED) {
            refusals_add(model, ended.number);
        }
    } else if (ended.what == TASK) {
        model->tasks.at[ended.number].end = number;
        model->tasks.at[ended.number].did_not_run = outcome != 0;
    }
}

/* Whether the wait that was refused says what this mark says. */
static bool is_said(const model_t *model, const event_t *event) {
    const note_t *note = note_of(model->trace, event);
    const wait_t *last = model->waits.count > 0 ? &model->waits.at[model->waits.count - 1] : NULL;
    return note->category == MARK && note->name == DEADLOCK && last != NULL && last->outcome != 0 && event_at(model, last->begin)->thread == event->thread;
}

static void withdraw(model_t *model, const event_t *event) {
    uint32_t taken = event->flow == 0 ? NONE : take(model, event->flow, NONE);
    if (taken != NONE) {
        note_t note = *note_of(model->trace, event);
        note.site = 0;
        *LIST_ADD(&model->withdrawn) = (withdrawn_t){ time_at(model, taken), event->time, event_at(model, taken)->queue, origin_of_note(model, &note, taken) };
    }
}

static void instant(model_t *model, uint32_t number, event_t *event, stack_t *stack, uint32_t inside) {
    const note_t *note = note_of(model->trace, event);
    of_queue_t *queue = &model->of_queues[event->queue];
    uint32_t grant;
    switch (note->category) {
    case SUBMIT:
        event->number = inside + 1;
        if (event->flow != 0) {
            if (stack->due != NONE) {
                map_set(&model->fires, number, stack->due);
            }
            stack->due = NONE;
            add_unstarted(model, event->flow, number);
        }
        return;
    case GRANT:
        grant = event->flow == 0 ? NONE : take_unstarted(model, event->flow);
        if (grant != NONE) {
            add_grant(model, event->flow, grant, event->thread);
        }
        return;
    case WITHDRAWN:
        withdraw(model, event);
        return;
    case SUSPEND:
        if (queue->suspension == NONE) {
            queue->suspension = (uint32_t)model->suspensions.count;
            *LIST_ADD(&model->suspensions) = (suspension_t){ event->time, model->trace->finish, event->queue, true };
        }
        return;
    case RESUME:
    case ENDED:
        if (queue->suspension != NONE && (note->category == ENDED || event->flow == 0)) {
            model->suspensions.at[queue->suspension].end = event->time;
            model->suspensions.at[queue->suspension].is_open = false;
            queue->suspension = NONE;
        }
        if (note->category == RESUME) {
            return;
        }
        forget_queue(model, event->queue);
        break;
    default:
        if (is_said(model, event)) {
            return;
        }
        break;
    }
    *LIST_ADD(&model->marks) = (struct mark){ number, false };
    if (note->category == TIMER) {
        stack->due = (uint32_t)(model->marks.count - 1);
    }
}

/* What did not run, although its turn came, was cancelled; what consists of other tasks is left out. */
static void leave_out(model_t *model) {
    uint32_t number = 0;
    for (size_t i = 0; i < model->tasks.count; i += 1) {
        task_t *task = &model->tasks.at[i];
        task->number = is_out(task) ? NONE : number++;
        if (task->did_not_run) {
            uint64_t since = time_at(model, task->submission == NONE ? task->begin : task->submission);
            *LIST_ADD(&model->withdrawn) = (withdrawn_t){ since, time_at(model, task->begin), event_at(model, task->begin)->queue, origin_of_task(model, task) };
        }
        while (task->parent != NONE && is_out(&model->tasks.at[task->parent])) {
            task->parent = model->tasks.at[task->parent].parent;
        }
    }
    number = 0;
    for (size_t i = 0; i < model->shares.count; i += 1) {
        share_t *share = &model->shares.at[i];
        share->number = share->end == NONE || event_at(model, share->end)->flow != 0 ? number++ : NONE;
    }
}

void model_make(model_t *model, trace_t *trace) {
    model->trace = trace;
    model->origins.size = sizeof(origin_t);
    model->stacks = list_zeroed(trace->threads.count, sizeof *model->stacks);
    model->of_queues = list_zeroed(trace->queues.count, sizeof *model->of_queues);
    for (size_t i = 0; i < trace->threads.count; i += 1) {
        model->stacks[i].due = NONE;
    }
    for (size_t i = 0; i < trace->queues.count; i += 1) {
        model->of_queues[i].suspension = NONE;
    }
    uint32_t *order = order_by_time(trace);
    for (size_t i = 0; i < trace->events.count; i += 1) {
        event_t *event = &trace->events.at[order[i]];
        stack_t *stack = &model->stacks[event->thread];
        uint32_t inside = inside_of(stack), type = note_of(trace, event)->type;
        if (trace->queues.at[event->queue].is_hidden) {
            if (type == BEGIN) {
                push(stack, UNKNOWN, 0);
            }
        } else if (type == INSTANT) {
            instant(model, order[i], event, stack, inside);
        } else if (type == BEGIN) {
            begin(model, order[i], event, stack, inside);
        } else if (type == END && stack->list.count > 0) {
            end(model, order[i], event, stack);
        }
    }
    free(order);
    leave_out(model);
}

#include "queue/run.h"

#include "queue/bound.h"
#include "queue/fork.h"
#include "queue/owner.h"
#include "queue/ring.h"
#include "queue/shutdown.h"
#include "queue/stats.h"

/* The holder samples the depth before it takes a task. Looking at the state word before every task would take its cache line
 * from the submitters: with a long backlog every sixteenth has to do. */
static bool is_time_to_sample(unsigned tasks) { return tasks < 16 || tasks % 16 == 0; }

static sq_task_t take_task(sq_queue_t *queue) {
    sq_function_t run = sq__load_relaxed(&queue->handoff);
    sq_task_t task;
    if (run != NULL) {
        sq__store_relaxed(&queue->handoff, NULL);
        task = (sq_task_t){ .run = run, .context = queue->handoff_context, .discard = queue->handoff_discard };
    } else {
        task = sq__ring_take_task(queue);
    }
    if (__builtin_expect(queue->bound != NULL, 0)) {
        sq__bound_give_room(queue->bound);
    }
    return task;
}

/* The frame of the queue is on the stack already. */
static void call(sq_queue_t *queue, uint32_t control, sq_function_t function, void *context) {
    if (__builtin_expect(control & SQ__WATCHED, 0)) {
        sq__watch_begin(queue, function);
        function(context);
        sq__watch_end(queue);
    } else {
        function(context);
    }
}

static void run_task(sq_queue_t *queue, uint32_t control) {
    sq_task_t task = take_task(queue);
    if (__builtin_expect(!(control & SQ__DISCARD), 1)) {
        sq__count(&queue->ran, 1);
        call(queue, control, task.run, task.context);
    } else {
        sq__count(&queue->discarded, 1);
        if (task.discard != NULL) {
            call(queue, control, task.discard, task.context);
        }
    }
}

static void run_call(sq_queue_t *queue, uint32_t control) {
    sq__waiter_t waiter = sq__ring_take_waiter(queue);
    if (control & SQ__DISCARD) {
        bool refused = sq__token_refuse(waiter.token, waiter.turn);
        sq__count(refused ? &queue->discarded : &queue->skipped, 1);
    } else if (sq__token_claim(waiter.token, waiter.turn)) {
        sq__count(&queue->ran, 1);
        call(queue, control, waiter.call->run, waiter.call->context);
        sq__token_grant(waiter.token, waiter.turn);
    } else {
        sq__count(&queue->skipped, 1);
    }
}

bool sq__run_tasks(void *argument) {
    SQ__NOBODY_UNWINDS_THROUGH;
    sq_queue_t *queue = argument;
    sq__self_t *self = sq__self();
    sq__frame_t frame = { .owner = queue, .parent = self->frame };
    sq__next_t next;
    self->frame = &frame; /* once for all tasks: they all are this queue's */
    for (unsigned tasks = 0; (next = sq__owner_next(queue, true)) == SQ__NEXT_TASK; tasks += 1) {
        if (is_time_to_sample(tasks)) {
            sq__stats_sample_depth(queue);
        }
        uint32_t control = sq__load_acquire(&queue->control); /* [watch] acquire: the note */
        if (sq__load_relaxed(&queue->handoff) == NULL && sq__ring_peek(queue) == SQ__CALL) {
            run_call(queue, control);
        } else {
            run_task(queue, control);
        }
        if (__builtin_expect(sq__fork_is_stale(queue), 0)) {
            return false; /* a task forked, and this is the child: its only thread has nobody to run tasks for */
        }
    }
    self->frame = frame.parent;
    if (next == SQ__NEXT_END) {
        sq__shutdown_end(queue, true);
        return false;
    }
    return true;
}

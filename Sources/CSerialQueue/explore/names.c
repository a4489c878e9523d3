#include "explore/names.h"

#include "kernel/ring.h"
#include "kernel/run.h"
#include "kernel/wrapper.h"
#include "platform/container.h"
#include "platform/memory.h"
#include "timer/delayed.h"
#include "timer/timer.h"

/* Not one of the library that calls it. */
static sq_function_t user_function(uintptr_t kind, uint32_t control, const sq__work_t *work) {
    bool is_call = kind == SQ__AWAITED || kind == SQ__EITHER;
    const void *context = is_call ? work->waiter.call->task.context : work->task.context; /* whatever the kind: behind its function */
    return sq__wrapper_unwrap(sq__run_function_of(kind, control, work), context);
}

/* The queue's baton is reserved for the thread that takes its entry. */
sq_function_t sq__next_function(sq_queue_t *queue) {
    uintptr_t kind = sq__next_kind(queue);
    switch (kind) {
    case SQ__TASK:
    case SQ__DUE:
    case SQ__BARRIER:
    case SQ__PAIR:
    case SQ__BARRIER_PAIR:
    case SQ__BARRIER_JOB:
    case SQ__MEMBER:
    case SQ__BARRIER_MEMBER:
        return user_function(kind, sq__load_relaxed(&queue->control), sq__next_work(queue));
    case SQ__AWAITED:
    case SQ__EITHER: {
        const sq__waiter_t *waiter = &sq__next_work(queue)->waiter;
        /* The call is on the stack of a thread that waits; no other thread has control, so that stays as it is. */
        return sq__token_is_open(waiter->token, waiter->wait_id) ? user_function(kind, 0, sq__next_work(queue)) : NULL;
    }
    case SQ__CLAIM:
        return user_function(SQ__PAIR, 0, sq__next_work(queue)->claim.pair);
    default:
        return NULL;
    }
}

const char *sq__name_function(sq__run_t *run, sq_function_t function) {
    const char *name = function != NULL ? sq__functions_name(&run->functions, (uintptr_t)function) : "";
    return name[0] == '$' && name[1] == 's' ? "" : name; /* Swift's own, which runs any closure */
}

char *sq__name_task(sq__run_t *run, const sq_queue_t *queue, sq_function_t function, const char *name) {
    if (name[0] == '\0') {
        name = sq__name_function(run, function);
    }
    return name[0] != '\0' ? sq__format_text("\"%s\" of queue \"%s\"", name, queue->label)
                           : sq__format_text("\"%s\"", queue->label);
}

char *sq__name_thread(const sq__thread_t *thread) {
    return thread->queue != NULL ? sq__name_task(thread->run, thread->queue, thread->function, thread->name)
                                 : sq__copy_text("the test");
}

/* Why the queue does not give what is waited for. */
static const char *state_of(const sq__run_t *run, const sq_queue_t *queue) {
    for (const sq__thread_t *thread = run->waiting; thread != NULL; thread = thread->next_waiting) {
        if (thread->queue == queue) {
            return ", whose task waits, too";
        }
    }
    return sq__load_relaxed(&queue->state) & SQ__SUSPENDED ? ", which is suspended" : "";
}

char *sq__name_wait(const sq__thread_t *thread) {
    static const char *const aims[] = { [SQ__AIM_TURN] = "its turn in", [SQ__AIM_ROOM] = "room in", [SQ__AIM_END] = "the end of",
                                        [SQ__AIM_TASK] = "a timer of" };
    const sq__wait_t *wait = thread->wait;
    if (wait == NULL) {
        return sq__copy_text("others");
    }
    if (wait->subject != NULL) {
        return sq__format_text("%s \"%s\"", wait->subject->kind, wait->subject->label);
    }
    return sq__format_text("%s queue \"%s\"%s", aims[wait->aim], wait->queue->label, state_of(thread->run, wait->queue));
}

const sq_queue_t *sq__queue_of_alarm(const sq__alarm_t *alarm) {
    uint64_t interval;
    const sq_queue_t *queue = sq__timer_queue(alarm, &interval);
    return queue != NULL ? queue : sq__delayed_queue(alarm);
}

char *sq__name_way(sq__run_t *run, const sq__way_t *way) {
    sq_queue_t *queue = SQ__CONTAINER((sq__ready_t *)(uintptr_t)way->what, sq_queue_t, ready);
    const sq_queue_t *queue_of_timer;
    char *name = NULL, *text = NULL;
    switch (way->kind) {
    case SQ__WAY_ENTRY:
        if (sq__name_function(run, sq__next_function(queue))[0] == '\0') {
            return sq__format_text("the next step of \"%s\"", queue->label);
        }
        return sq__name_task(run, queue, sq__next_function(queue), "");
    case SQ__WAY_THREAD:
        name = sq__name_thread(way->what);
        text = name != NULL ? sq__format_text("the rest of %s", name) : NULL;
        break;
    case SQ__WAY_EXPIRY:
        name = sq__name_wait(way->what);
        text = name != NULL ? sq__format_text("the deadline of the wait for %s", name) : NULL;
        break;
    case SQ__WAY_BACK:
        return sq__copy_text("the rest of the test");
    default: /* a timer */
        queue_of_timer = sq__queue_of_alarm(way->what);
        return queue_of_timer != NULL ? sq__format_text("the timer of queue \"%s\"", queue_of_timer->label)
                                      : sq__copy_text("a timer");
    }
    sq__memory_free(name);
    return text;
}

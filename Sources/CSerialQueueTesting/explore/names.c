#include "explore/names.h"

#include "kernel/kernel_inline.h"
#include "observe/observe.h"
#include "platform/container.h"
#include "platform/memory.h"
#include "timer/timer.h"

static SQ__ATOMIC(sq__closure_namer_t) name_closure;

void sq__explore_name_closures_by(sq__closure_namer_t name) { sq__store_relaxed(&name_closure, name); }

/* The user's function behind those of the library that call it; one that calls closures of another language stays. */
static sq__called_t called_by(sq_function_t function, const void *context) {
    sq__called_t called = { .function = function, .context = context };
    for (const sq__wrapper_t *wrapper; (wrapper = sq__wrapper_of(called.function)) != NULL && wrapper->run != SQ__NOT_THERE;) {
        const char *record = called.context;
        called.label = wrapper->label != SQ__NOT_THERE ? record + wrapper->label : called.label;
        called.what = wrapper->name;
        called.function = (sq_function_t)sq__wrapper_word(record, wrapper->run);
        called.context = (const void *)sq__wrapper_word(record, wrapper->context != SQ__NOT_THERE ? wrapper->context : wrapper->code);
    }
    return called;
}

static sq__called_t called_by_pair(const sq__pair_t *pair) {
    return called_by((sq_function_t)(void (*)(void))pair->call, pair->first);
}

/* The queue's baton is reserved for the thread that takes its entry. */
sq__called_t sq__next_called(sq_queue_t *queue) {
    uintptr_t kind = sq__next_kind(queue);
    const sq__work_t *work = kind != SQ__EMPTY ? sq__next_work(queue) : NULL;
    switch (kind & ~(uintptr_t)SQ__BARRIER) {
    case SQ__TASK:
    case SQ__DUE:
    case SQ__NOTIFICATION:
        return called_by(work->task.run, work->task.context);
    case SQ__CLEANUP: {
        sq__called_t called = called_by(work->task.run, work->task.context);
        called.what = "the end of a timer";
        return called;
    }
    case SQ__MEMBER:
        return called_by(work->member.run, work->member.context);
    case SQ__PAIR:
    case SQ__JOB:
        return called_by_pair(&work->pair);
    case SQ__AWAITED:
    case SQ__RUN_ANYWHERE: {
        const sq__waiter_t *waiter = &work->waiter;
        /* The call is on the stack of a thread that waits; no other thread has control, so that stays as it is. */
        return sq__token_is_open(waiter->token, waiter->wait_id) ? called_by(waiter->call->task.run, waiter->call->task.context)
                                                                 : (sq__called_t){ .function = NULL };
    }
    case SQ__CANCELLABLE:
        return called_by_pair(work->cancellable.pair);
    default:
        return (sq__called_t){ .function = NULL };
    }
}

static bool is_swift(const char *symbol) { return symbol[0] == '$' && symbol[1] == 's'; }

/* "" if the function says nothing. */
static const char *name_of_function(sq__run_t *run, sq__called_t called) {
    if (called.function == NULL) {
        return "";
    }
    const char *name = sq__functions_name(&run->functions, (uintptr_t)called.function);
    sq__closure_namer_t by = sq__load_relaxed(&name_closure);
    if (is_swift(name) && by != NULL) {
        by(name, called.context, run->closure, sizeof run->closure);
        return run->closure;
    }
    return is_swift(name) || sq__wrapper_of(called.function) != NULL ? "" : name; /* not what runs any closure */
}

const char *sq__name_called(sq__run_t *run, sq__called_t called) {
    if (called.label != NULL && called.label[0] != '\0') {
        return called.label;
    }
    const char *name = name_of_function(run, called);
    return name[0] == '\0' && called.what != NULL ? called.what : name;
}

/* As sq__name_thread. `name`: the label of the task; "": it is found. */
static char *name_task(sq__run_t *run, const sq_queue_t *queue, sq__called_t called, const char *name) {
    if (name[0] == '\0') {
        name = sq__name_called(run, called);
    }
    return name[0] != '\0' ? sq__format_text("\"%s\" of queue \"%s\"", name, queue->label)
                           : sq__format_text("\"%s\"", queue->label);
}

char *sq__name_thread(const sq__thread_t *thread) {
    return thread->queue != NULL ? name_task(thread->run, thread->queue, thread->called, thread->name)
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
    sq__called_t called;
    switch (way->kind) {
    case SQ__WAY_ENTRY:
        called = sq__next_called(queue);
        if (sq__name_called(run, called)[0] == '\0') {
            return sq__format_text("the next step of \"%s\"", queue->label);
        }
        return name_task(run, queue, called, "");
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

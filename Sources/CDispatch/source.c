/* source.c: timers.
 *
 * A source has a queue of the core, its order, whose target is the source's queue: it is suspended while the source is, its tasks are the handlers,
 * and its timer is the source's. It is made when the source begins; its end is the source's. */
#include "block.h"
#include "fail.h"
#include "object.h"
#include "queue.h"
#include "when.h"
#include <errno.h>
#include <stdlib.h>

const struct dispatch_source_type_s _dispatch_source_type_timer = { "timer" };

/* A function that is called with the source's context, or a block, or neither. */
struct handler {
    dispatch_function_t function;
    void *block;
};

enum { EVENT, CANCEL, REGISTRATION, HANDLERS };
/* A flag of masks that libdispatch takes, too. */
enum { BACKGROUND = 0x2 };

struct dispatch_source_s {
    struct dispatch_object_s object;      /* its target is the queue of the handlers */
    uintptr_t handle;                     /* I */
    uintptr_t mask;                       /* I */
    sq__dispatch_activation_t activation; /* L */
    struct handler handlers[HANDLERS];    /* L */
    sq_queue_t *order;                    /* L: NULL until the source begins, then fixed */
    sq_timer_t *timer;                    /* L: the same */
    bool has_times;                       /* L: the three below are set */
    sq_time_t start;                      /* L: SQ_FOREVER: it does not fire */
    uint64_t interval;                    /* L: 0: once */
    uint64_t leeway;                      /* L */
    _Atomic uintptr_t data;               /* A: of the last firing */
    _Atomic bool cancelled;               /* A */
};

/* Under this key the order has its source, whose end is the value's release. */
static const char source_key;

static const sq__dispatch_kind_t kind;

static bool is_cancelled(dispatch_source_t source) {
    return atomic_load_explicit(&source->cancelled, memory_order_acquire);
}

dispatch_source_t dispatch_source_create(dispatch_source_type_t type, uintptr_t handle, uintptr_t mask, dispatch_queue_t queue) {
    if (type != DISPATCH_SOURCE_TYPE_TIMER || mask > (DISPATCH_TIMER_STRICT | BACKGROUND)) {
        return NULL;
    }
    dispatch_source_t source = sq__dispatch_allocate("dispatch_source_create", sizeof *source);
    sq__dispatch_begin(&source->object, &kind);
    source->handle = handle;
    source->mask = mask;
    source->activation.is_inactive = true;
    sq__dispatch_exchange_target(&source->object, queue);
    return source;
}

static void release_handler(struct handler handler) {
    if (handler.block != NULL) {
        sq__dispatch_release_block(handler.block);
    }
}

static void set_handler(dispatch_source_t source, int which, struct handler handler) {
    pthread_mutex_lock(&sq__dispatch_lock);
    struct handler before = source->handlers[which];
    source->handlers[which] = handler;
    pthread_mutex_unlock(&sq__dispatch_lock);
    release_handler(before);
}

/* Calls a handler; `takes`: for the last time. The copy keeps the block, which may replace itself. */
static void call_handler(dispatch_source_t source, int which, bool takes) {
    pthread_mutex_lock(&sq__dispatch_lock);
    struct handler handler = source->handlers[which];
    if (takes) {
        source->handlers[which] = (struct handler){ NULL, NULL };
    } else if (handler.block != NULL) {
        handler.block = sq__dispatch_copy_block(handler.block);
    }
    pthread_mutex_unlock(&sq__dispatch_lock);
    if (handler.block != NULL) {
        sq__dispatch_call_and_release_block(handler.block);
    } else if (handler.function != NULL) {
        handler.function(dispatch_get_context((dispatch_object_t){ ._ds = source }));
    }
}

/* The last thing that the order does, or the end of a source that never began. */
static void end(void *object) {
    dispatch_source_t source = object;
    for (int i = 0; i < HANDLERS; i += 1) {
        release_handler(source->handlers[i]);
    }
    sq__dispatch_finalize(&source->object);
    free(source);
}

static void end_source(void *object) {
    dispatch_source_t source = object;
    sq_queue_t *order = source->order;
    if (order == NULL) {
        end(source);
        return;
    }
    atomic_store_explicit(&source->cancelled, true, memory_order_release);
    sq_timer_release(source->timer);
    sq_queue_release(order);
}

static void fire(void *context) {
    dispatch_source_t source = context;
    if (!is_cancelled(source)) {
        atomic_store_explicit(&source->data, (uintptr_t)sq_timer_intervals(source->timer), memory_order_relaxed);
        call_handler(source, EVENT, false);
    }
}

static void finish(void *context) {
    set_handler(context, EVENT, (struct handler){ NULL, NULL });
    set_handler(context, REGISTRATION, (struct handler){ NULL, NULL });
    call_handler(context, CANCEL, true);
}

static void announce(void *context) {
    if (!is_cancelled(context)) {
        call_handler(context, REGISTRATION, true);
    }
}

/* Under the lock. */
static void start_timer(dispatch_source_t source) {
    if (!source->has_times || is_cancelled(source)) {
        return;
    }
    if (source->start == SQ_FOREVER) {
        sq_timer_cancel(source->timer);
        return;
    }
    /* At, not after: a start that has passed keeps its phase, and the data counts what was missed since. */
    int error = sq_timer_start_at(source->timer, source->start, source->interval, source->leeway);
    sq__dispatch_check("dispatch_source_set_timer", error, source->object.target);
}

/* One that is set after the source has begun is called at once. */
static void set_registration(dispatch_source_t source, struct handler handler) {
    set_handler(source, REGISTRATION, handler);
    pthread_mutex_lock(&sq__dispatch_lock);
    int error = source->order != NULL ? sq_async(source->order, announce, source) : 0;
    pthread_mutex_unlock(&sq__dispatch_lock);
    sq__dispatch_check("dispatch_source_set_registration_handler", error, source->object.target);
}

static void begin(void *object) {
    dispatch_source_t source = object;
    dispatch_queue_t queue = source->object.target != NULL ? source->object.target : sq__dispatch_default_queue();
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.target = sq__dispatch_use_locked(queue);
    sq_queue_t *order = sq_queue_create(sq__dispatch_label(queue), &options);
    int error = order == NULL ? errno : sq_queue_set_value(order, &sq__dispatch_key, queue, NULL);
    error = error ? error : sq_queue_set_value(order, &source_key, source, end);
    sq__dispatch_check("dispatch_activate", error, queue);
    /* One for the source that is still inactive. */
    for (unsigned i = 0; i < source->activation.suspensions + 1; i += 1) {
        sq_suspend(order);
    }
    source->timer = sq_timer_create(order, &(sq_task_t){ fire, source, NULL });
    sq__dispatch_check("dispatch_activate", source->timer == NULL ? errno : 0, queue);
    source->order = order;
    sq__dispatch_check("dispatch_activate", sq_async(order, is_cancelled(source) ? finish : announce, source), queue);
    start_timer(source);
}

static void set_target(void *object, dispatch_queue_t target) {
    dispatch_source_t source = object;
    pthread_mutex_lock(&sq__dispatch_lock);
    bool has_begun = source->order != NULL && target != source->object.target;
    dispatch_queue_t before = has_begun ? NULL : sq__dispatch_exchange_target(&source->object, target);
    pthread_mutex_unlock(&sq__dispatch_lock);
    if (has_begun) {
        sq__dispatch_fail("dispatch_set_target_queue", "the source has begun: set its target before.");
    }
    sq__dispatch_drop(before);
}

static sq__dispatch_activation_t *activation_of(void *object) { return &((dispatch_source_t)object)->activation; }

static sq_queue_t *core_of(void *object) { return ((dispatch_source_t)object)->order; }

static const char *label_of(void *object) { return sq__dispatch_label(((dispatch_source_t)object)->object.target); }

static const sq__dispatch_kind_t kind = {
    .name = "a source of queue", .end = end_source, .set_target = set_target, .activation = activation_of, .core = core_of, .begin = begin,
    .label = label_of
};

void dispatch_source_set_timer(dispatch_source_t source, dispatch_time_t start, uint64_t interval, uint64_t leeway) {
    pthread_mutex_lock(&sq__dispatch_lock);
    source->has_times = true;
    source->start = sq__dispatch_start(start);
    source->interval = interval == DISPATCH_TIME_FOREVER ? 0 : interval == 0 ? 1 : interval;
    source->leeway = leeway == DISPATCH_TIME_FOREVER ? 0 : leeway;
    if (source->order != NULL) {
        start_timer(source);
    }
    pthread_mutex_unlock(&sq__dispatch_lock);
}

void dispatch_source_cancel(dispatch_source_t source) {
    pthread_mutex_lock(&sq__dispatch_lock);
    bool is_first = !atomic_exchange_explicit(&source->cancelled, true, memory_order_acq_rel);
    int error = 0;
    if (is_first && source->order != NULL) {
        sq_timer_cancel(source->timer);
        error = sq_async(source->order, finish, source);
    }
    pthread_mutex_unlock(&sq__dispatch_lock);
    sq__dispatch_check("dispatch_source_cancel", error, source->object.target);
}

intptr_t dispatch_source_testcancel(dispatch_source_t source) {
    return is_cancelled(source);
}

uintptr_t dispatch_source_get_handle(dispatch_source_t source) {
    return source->handle;
}

uintptr_t dispatch_source_get_mask(dispatch_source_t source) {
    return source->mask;
}

uintptr_t dispatch_source_get_data(dispatch_source_t source) {
    return atomic_load_explicit(&source->data, memory_order_relaxed);
}

void dispatch_source_set_event_handler_f(dispatch_source_t source, dispatch_function_t handler) {
    set_handler(source, EVENT, (struct handler){ handler, NULL });
}

void dispatch_source_set_cancel_handler_f(dispatch_source_t source, dispatch_function_t handler) {
    set_handler(source, CANCEL, (struct handler){ handler, NULL });
}

void dispatch_source_set_registration_handler_f(dispatch_source_t source, dispatch_function_t handler) {
    set_registration(source, (struct handler){ handler, NULL });
}

/* The calls that take a block, which may be NULL. */
static struct handler handler_of(const void *block) {
    return (struct handler){ NULL, block == NULL ? NULL : sq__dispatch_copy_block(block) };
}

void sq_dispatch_source_set_event_handler(dispatch_source_t source, void *block) {
    set_handler(source, EVENT, handler_of(block));
}

void sq_dispatch_source_set_cancel_handler(dispatch_source_t source, void *block) {
    set_handler(source, CANCEL, handler_of(block));
}

void sq_dispatch_source_set_registration_handler(dispatch_source_t source, void *block) {
    set_registration(source, handler_of(block));
}

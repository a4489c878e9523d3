/* source.h: timers. Sources of other types stay with libdispatch. Include <dispatch/dispatch.h>. */
#ifndef SQ_DISPATCH_SOURCE_H
#define SQ_DISPATCH_SOURCE_H

#include <dispatch/queue.h>

SQ_DISPATCH_BEGIN

/** A source of events: a timer. */
DISPATCH_DECL(dispatch_source);
/** What a source watches. */
typedef const struct dispatch_source_type_s *dispatch_source_type_t;
/** A type of sources. Opaque. */
struct dispatch_source_type_s {
    const char *name; /**< for messages */
};

/** The type itself; DISPATCH_SOURCE_TYPE_TIMER is its address. */
extern const struct dispatch_source_type_s _dispatch_source_type_timer SQ_DISPATCH_SYMBOL(dispatch_source_type_timer);
/** A timer. */
#define DISPATCH_SOURCE_TYPE_TIMER (&_dispatch_source_type_timer)
/** For the mask of a timer: its leeway is observed strictly. No effect. */
#define DISPATCH_TIMER_STRICT 0x1
/** The mask of a timer. */
typedef unsigned long dispatch_source_timer_flags_t;

/**
 * Creates an inactive source whose handlers run on a queue; NULL: the default global one.
 *
 * @param handle Without an effect.
 * @param mask 0, or DISPATCH_TIMER_STRICT.
 * @return The source; NULL: the mask is not one of a timer.
 */
dispatch_source_t dispatch_source_create(dispatch_source_type_t type, uintptr_t handle, uintptr_t mask, dispatch_queue_t queue)
    SQ_DISPATCH_SYMBOL(dispatch_source_create) DISPATCH_WARN_RESULT;

/** Sets the function that each firing calls with the source's context. NULL: none. */
void dispatch_source_set_event_handler_f(dispatch_source_t source, dispatch_function_t handler) SQ_DISPATCH_SYMBOL(dispatch_source_set_event_handler_f);

/** Sets the function that is called once after the cancellation. */
void dispatch_source_set_cancel_handler_f(dispatch_source_t source, dispatch_function_t handler) SQ_DISPATCH_SYMBOL(dispatch_source_set_cancel_handler_f);

/** Sets the function that is called once when the source has begun. */
void dispatch_source_set_registration_handler_f(dispatch_source_t source, dispatch_function_t handler)
    SQ_DISPATCH_SYMBOL(dispatch_source_set_registration_handler_f);

/** Cancels the source: no event handler begins after it, except one that is about to. */
void dispatch_source_cancel(dispatch_source_t source) SQ_DISPATCH_SYMBOL(dispatch_source_cancel);

/** Returns nonzero if the source was cancelled. */
intptr_t dispatch_source_testcancel(dispatch_source_t source) SQ_DISPATCH_SYMBOL(dispatch_source_testcancel) DISPATCH_WARN_RESULT;

/** Returns the handle that the source was created with. */
uintptr_t dispatch_source_get_handle(dispatch_source_t source) SQ_DISPATCH_SYMBOL(dispatch_source_get_handle) DISPATCH_WARN_RESULT;

/** Returns the mask that the source was created with. */
uintptr_t dispatch_source_get_mask(dispatch_source_t source) SQ_DISPATCH_SYMBOL(dispatch_source_get_mask) DISPATCH_WARN_RESULT;

/** Returns, how many intervals the last firing stands for. */
uintptr_t dispatch_source_get_data(dispatch_source_t source) SQ_DISPATCH_SYMBOL(dispatch_source_get_data) DISPATCH_WARN_RESULT;

/**
 * Sets when the timer fires.
 *
 * @param start The first firing. DISPATCH_TIME_FOREVER: none.
 * @param interval Nanoseconds. DISPATCH_TIME_FOREVER: it fires once.
 * @param leeway By how many nanoseconds a firing may be late.
 */
void dispatch_source_set_timer(dispatch_source_t source, dispatch_time_t start, uint64_t interval, uint64_t leeway)
    SQ_DISPATCH_SYMBOL(dispatch_source_set_timer);

#ifdef __BLOCKS__
/** As dispatch_source_set_event_handler_f, with a block, which is copied. */
void dispatch_source_set_event_handler(dispatch_source_t source, dispatch_block_t handler) SQ_DISPATCH_SYMBOL(dispatch_source_set_event_handler);

/** As dispatch_source_set_cancel_handler_f, with a block, which is copied. */
void dispatch_source_set_cancel_handler(dispatch_source_t source, dispatch_block_t handler) SQ_DISPATCH_SYMBOL(dispatch_source_set_cancel_handler);

/** As dispatch_source_set_registration_handler_f, with a block, which is copied. */
void dispatch_source_set_registration_handler(dispatch_source_t source, dispatch_block_t handler)
    SQ_DISPATCH_SYMBOL(dispatch_source_set_registration_handler);
#endif

SQ_DISPATCH_END
#endif

/* queue.h: queues, and submitting to them. Include <dispatch/dispatch.h>. */
#ifndef SQ_DISPATCH_QUEUE_H
#define SQ_DISPATCH_QUEUE_H

#include <dispatch/object.h>

SQ_DISPATCH_BEGIN

/** A global queue. */
typedef dispatch_queue_t dispatch_queue_global_t;
/** A queue that runs one task at a time. */
typedef dispatch_queue_t dispatch_queue_serial_t;
/** The main queue. */
typedef dispatch_queue_t dispatch_queue_main_t;
/** A queue that runs several tasks at a time. */
typedef dispatch_queue_t dispatch_queue_concurrent_t;

/** How a queue is created. NULL: a serial one. */
DISPATCH_DECL(dispatch_queue_attr);

/** The main queue itself; dispatch_get_main_queue returns its address. */
extern struct dispatch_queue_s _dispatch_main_q SQ_DISPATCH_SYMBOL(dispatch_main_q);
/** The attribute itself; DISPATCH_QUEUE_CONCURRENT is its address. */
extern struct dispatch_queue_attr_s _dispatch_queue_attr_concurrent SQ_DISPATCH_SYMBOL(dispatch_queue_attr_concurrent);

/** The attribute of a serial queue. */
#define DISPATCH_QUEUE_SERIAL NULL
/** The attribute of a concurrent queue. */
#define DISPATCH_QUEUE_CONCURRENT ((dispatch_queue_attr_t)&_dispatch_queue_attr_concurrent)
/** The attribute of a serial queue that dispatch_activate starts. */
#define DISPATCH_QUEUE_SERIAL_INACTIVE dispatch_queue_attr_make_initially_inactive(DISPATCH_QUEUE_SERIAL)
/** The attribute of a concurrent queue that dispatch_activate starts. */
#define DISPATCH_QUEUE_CONCURRENT_INACTIVE dispatch_queue_attr_make_initially_inactive(DISPATCH_QUEUE_CONCURRENT)
/** The attribute of a serial queue; there are no autorelease pools here. */
#define DISPATCH_QUEUE_SERIAL_WITH_AUTORELEASE_POOL \
    dispatch_queue_attr_make_with_autorelease_frequency(DISPATCH_QUEUE_SERIAL, DISPATCH_AUTORELEASE_FREQUENCY_WORK_ITEM)
/** The attribute of a concurrent queue; there are no autorelease pools here. */
#define DISPATCH_QUEUE_CONCURRENT_WITH_AUTORELEASE_POOL \
    dispatch_queue_attr_make_with_autorelease_frequency(DISPATCH_QUEUE_CONCURRENT, DISPATCH_AUTORELEASE_FREQUENCY_WORK_ITEM)

/** Without an effect: there are no autorelease pools here. */
enum {
    DISPATCH_AUTORELEASE_FREQUENCY_INHERIT = 0,
    DISPATCH_AUTORELEASE_FREQUENCY_WORK_ITEM = 1,
    DISPATCH_AUTORELEASE_FREQUENCY_NEVER = 2
};
/** One of DISPATCH_AUTORELEASE_FREQUENCY_…. */
typedef unsigned long dispatch_autorelease_frequency_t;

/** The global queue of class user-initiated. */
#define DISPATCH_QUEUE_PRIORITY_HIGH 2
/** The global queue of the default class. */
#define DISPATCH_QUEUE_PRIORITY_DEFAULT 0
/** The global queue of class utility. */
#define DISPATCH_QUEUE_PRIORITY_LOW (-2)
/** The global queue of class background. */
#define DISPATCH_QUEUE_PRIORITY_BACKGROUND INT16_MIN
/** One of DISPATCH_QUEUE_PRIORITY_…. */
typedef long dispatch_queue_priority_t;

#ifndef QOS_CLASS_DEFAULT
/* As macros, so that they can also be defined by another header in the same way. */
#define QOS_CLASS_USER_INTERACTIVE 0x21
#define QOS_CLASS_USER_INITIATED 0x19
#define QOS_CLASS_DEFAULT 0x15
#define QOS_CLASS_UTILITY 0x11
#define QOS_CLASS_BACKGROUND 0x09
#define QOS_CLASS_UNSPECIFIED 0x00
#endif
/** The lowest relative priority within a class. */
#define QOS_MIN_RELATIVE_PRIORITY (-15)
/** One of QOS_CLASS_…. It chooses the pool of threads, which has a nice value of its own: 5 for utility, 10 for background. */
typedef unsigned int dispatch_qos_class_t;

/** For dispatch_set_target_queue: the default. */
#define DISPATCH_TARGET_QUEUE_DEFAULT NULL
/** For dispatch_queue_get_label: the queue that the caller runs on. */
#define DISPATCH_CURRENT_QUEUE_LABEL NULL
/** For dispatch_apply: a queue that suits the caller. */
#define DISPATCH_APPLY_AUTO ((dispatch_queue_t)0)

/** Returns the attribute with "inactive" added. */
dispatch_queue_attr_t dispatch_queue_attr_make_initially_inactive(dispatch_queue_attr_t attr)
    SQ_DISPATCH_SYMBOL(dispatch_queue_attr_make_initially_inactive) DISPATCH_WARN_RESULT;

/** Returns the attribute; the frequency has no effect. */
dispatch_queue_attr_t dispatch_queue_attr_make_with_autorelease_frequency(dispatch_queue_attr_t attr, dispatch_autorelease_frequency_t frequency)
    SQ_DISPATCH_SYMBOL(dispatch_queue_attr_make_with_autorelease_frequency) DISPATCH_WARN_RESULT;

/** Returns the attribute with a class; the same attribute if there is no such class, or the priority is not in -15…0. */
dispatch_queue_attr_t dispatch_queue_attr_make_with_qos_class(dispatch_queue_attr_t attr, dispatch_qos_class_t qos_class, int relative_priority)
    SQ_DISPATCH_SYMBOL(dispatch_queue_attr_make_with_qos_class) DISPATCH_WARN_RESULT;

/**
 * Creates a queue.
 *
 * A serial queue has a thread whenever it has something to run, however many other queues compute or block. A concurrent queue shares the threads
 * of its class with the global queue: about one per processor, and more, up to 64, while tasks block. So does a serial queue with a global queue as its target.
 *
 * @param label Copied; NULL: none. It names the queue in messages, dumps and traces.
 * @return The queue, with one reference. Without memory the process ends.
 */
dispatch_queue_t dispatch_queue_create(const char *label, dispatch_queue_attr_t attr) SQ_DISPATCH_SYMBOL(dispatch_queue_create) DISPATCH_WARN_RESULT;

/** Creates a queue with a target, as dispatch_queue_create and dispatch_set_target_queue do. */
dispatch_queue_t dispatch_queue_create_with_target(const char *label, dispatch_queue_attr_t attr, dispatch_queue_t target)
    SQ_DISPATCH_SYMBOL(dispatch_queue_create_with_target) DISPATCH_WARN_RESULT;

/** Returns the label of a queue, or with NULL of the one that the caller runs on; "" if it has none. */
const char *dispatch_queue_get_label(dispatch_queue_t queue) SQ_DISPATCH_SYMBOL(dispatch_queue_get_label) DISPATCH_WARN_RESULT;

/** Returns the class that the queue was created with, and stores the relative priority unless the pointer is NULL. */
dispatch_qos_class_t dispatch_queue_get_qos_class(dispatch_queue_t queue, int *relative_priority)
    SQ_DISPATCH_SYMBOL(dispatch_queue_get_qos_class) DISPATCH_WARN_RESULT;

/** Returns the queue that the caller runs on: the main queue on the main thread, otherwise at last the default global queue. */
dispatch_queue_t dispatch_get_current_queue(void) SQ_DISPATCH_SYMBOL(dispatch_get_current_queue) DISPATCH_WARN_RESULT;

/** Returns the main queue. dispatch_main runs its tasks. */
static inline dispatch_queue_main_t dispatch_get_main_queue(void) { return &_dispatch_main_q; }

/**
 * Returns the global queue of a priority or class. A barrier on it is none.
 *
 * @param flags 0, or 2: the same, with another identity.
 * @return The queue; NULL: no such priority, class or flag.
 */
dispatch_queue_global_t dispatch_get_global_queue(intptr_t identifier, uintptr_t flags) SQ_DISPATCH_SYMBOL(dispatch_get_global_queue) DISPATCH_WARN_RESULT;

/** Runs the main queue on the main thread. Never returns. Ends the process with a message on another thread. */
void dispatch_main(void) SQ_DISPATCH_SYMBOL(dispatch_main) DISPATCH_NORETURN;

/** Submits a function, and returns at once. */
void dispatch_async_f(dispatch_queue_t queue, void *context, dispatch_function_t work) SQ_DISPATCH_SYMBOL(dispatch_async_f);

/** Runs a function in its turn, on this thread, or on the main thread if the queue is the main one. A deadlock ends the process with a message. */
void dispatch_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t work) SQ_DISPATCH_SYMBOL(dispatch_sync_f);

/** Runs a function in its turn, on this thread or on one of the queue's, and returns after it. */
void dispatch_async_and_wait_f(dispatch_queue_t queue, void *context, dispatch_function_t work) SQ_DISPATCH_SYMBOL(dispatch_async_and_wait_f);

/** Submits a function that runs alone on a concurrent queue. */
void dispatch_barrier_async_f(dispatch_queue_t queue, void *context, dispatch_function_t work) SQ_DISPATCH_SYMBOL(dispatch_barrier_async_f);

/** As dispatch_sync_f; the function runs alone on a concurrent queue. */
void dispatch_barrier_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t work) SQ_DISPATCH_SYMBOL(dispatch_barrier_sync_f);

/** As dispatch_async_and_wait_f; the function runs alone on a concurrent queue. */
void dispatch_barrier_async_and_wait_f(dispatch_queue_t queue, void *context, dispatch_function_t work)
    SQ_DISPATCH_SYMBOL(dispatch_barrier_async_and_wait_f);

/** Submits a function at a time. With DISPATCH_TIME_FOREVER it never runs. */
void dispatch_after_f(dispatch_time_t when, dispatch_queue_t queue, void *context, dispatch_function_t work) SQ_DISPATCH_SYMBOL(dispatch_after_f);

/** Calls a function for each index below `iterations`, on several threads unless the queue is serial, and waits for all. */
void dispatch_apply_f(size_t iterations, dispatch_queue_t queue, void *context, void (*work)(void *context, size_t iteration))
    SQ_DISPATCH_SYMBOL(dispatch_apply_f);

/** Sets the queue's value for a key, and a function that is called with it when it is replaced or the queue has ended. NULL removes it. */
void dispatch_queue_set_specific(dispatch_queue_t queue, const void *key, void *context, dispatch_function_t destructor)
    SQ_DISPATCH_SYMBOL(dispatch_queue_set_specific);

/** Returns the queue's value for a key; NULL: none. */
void *dispatch_queue_get_specific(dispatch_queue_t queue, const void *key) SQ_DISPATCH_SYMBOL(dispatch_queue_get_specific) DISPATCH_WARN_RESULT;

/** Returns the value for a key of the queue that the caller runs on, or else of the first of its targets that has one; NULL: none. */
void *dispatch_get_specific(const void *key) SQ_DISPATCH_SYMBOL(dispatch_get_specific) DISPATCH_WARN_RESULT;

/** Ends the process with a message unless the caller runs on the queue. */
void dispatch_assert_queue(dispatch_queue_t queue) SQ_DISPATCH_SYMBOL(dispatch_assert_queue);

/** Ends the process with a message unless the caller runs on the queue, and alone. */
void dispatch_assert_queue_barrier(dispatch_queue_t queue) SQ_DISPATCH_SYMBOL(dispatch_assert_queue_barrier);

/** Ends the process with a message if the caller runs on the queue. */
void dispatch_assert_queue_not(dispatch_queue_t queue) SQ_DISPATCH_SYMBOL(dispatch_assert_queue_not);

#ifdef NDEBUG
#define dispatch_assert_queue_debug(queue) ((void)(0 && (queue)))
#define dispatch_assert_queue_barrier_debug(queue) ((void)(0 && (queue)))
#define dispatch_assert_queue_not_debug(queue) ((void)(0 && (queue)))
#else
/** dispatch_assert_queue, unless NDEBUG is defined. */
#define dispatch_assert_queue_debug(queue) dispatch_assert_queue(queue)
/** dispatch_assert_queue_barrier, unless NDEBUG is defined. */
#define dispatch_assert_queue_barrier_debug(queue) dispatch_assert_queue_barrier(queue)
/** dispatch_assert_queue_not, unless NDEBUG is defined. */
#define dispatch_assert_queue_not_debug(queue) dispatch_assert_queue_not(queue)
#endif

#ifdef __BLOCKS__
/** As dispatch_async_f, with a block, which is copied. */
void dispatch_async(dispatch_queue_t queue, dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_async);

/** As dispatch_sync_f, with a block. */
void dispatch_sync(dispatch_queue_t queue, DISPATCH_NOESCAPE dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_sync);

/** As dispatch_async_and_wait_f, with a block. */
void dispatch_async_and_wait(dispatch_queue_t queue, DISPATCH_NOESCAPE dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_async_and_wait);

/** As dispatch_barrier_async_f, with a block, which is copied. */
void dispatch_barrier_async(dispatch_queue_t queue, dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_barrier_async);

/** As dispatch_barrier_sync_f, with a block. */
void dispatch_barrier_sync(dispatch_queue_t queue, DISPATCH_NOESCAPE dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_barrier_sync);

/** As dispatch_barrier_async_and_wait_f, with a block. */
void dispatch_barrier_async_and_wait(dispatch_queue_t queue, DISPATCH_NOESCAPE dispatch_block_t block)
    SQ_DISPATCH_SYMBOL(dispatch_barrier_async_and_wait);

/** As dispatch_after_f, with a block, which is copied. */
void dispatch_after(dispatch_time_t when, dispatch_queue_t queue, dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_after);

/** As dispatch_apply_f, with a block. */
void dispatch_apply(size_t iterations, dispatch_queue_t queue, DISPATCH_NOESCAPE void (^block)(size_t iteration)) SQ_DISPATCH_SYMBOL(dispatch_apply);
#endif

SQ_DISPATCH_END
#endif

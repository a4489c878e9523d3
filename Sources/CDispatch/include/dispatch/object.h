/* object.h: what queues, groups, semaphores and sources have in common. Include <dispatch/dispatch.h>. */
#ifndef SQ_DISPATCH_OBJECT_H
#define SQ_DISPATCH_OBJECT_H

#include <dispatch/time.h>

#ifdef __cplusplus
/** Any object. Not defined: only pointers to it are used. */
typedef struct dispatch_object_s {
  private:
    dispatch_object_s();
    ~dispatch_object_s();
    dispatch_object_s(const dispatch_object_s &);
    void operator=(const dispatch_object_s &);
} *dispatch_object_t;
/** Declares a type of objects. */
#define DISPATCH_DECL(name) typedef struct name##_s : public dispatch_object_s {} *name##_t
#else
/** Any object: calls with such a parameter take each of these pointers. */
typedef union {
    struct dispatch_object_s *_do;
    struct dispatch_queue_s *_dq;
    struct dispatch_queue_attr_s *_dqa;
    struct dispatch_group_s *_dg;
    struct dispatch_source_s *_ds;
    struct dispatch_semaphore_s *_dsema;
} dispatch_object_t __attribute__((__transparent_union__));
/** Declares a type of objects. */
#define DISPATCH_DECL(name) typedef struct name##_s *name##_t
#endif

SQ_DISPATCH_BEGIN

DISPATCH_DECL(dispatch_queue);

/** Adds a reference. No effect on the main queue, global queues and attributes. Any thread may call. */
void dispatch_retain(dispatch_object_t object) SQ_DISPATCH_SYMBOL(dispatch_retain);

/**
 * Releases a reference. The last one is legal anywhere and at any time; libdispatch crashes if the object is suspended or in use.
 *
 * A queue still runs what it has, except if it is suspended or was never activated: then blocks are released, and functions are not called.
 */
void dispatch_release(dispatch_object_t object) SQ_DISPATCH_SYMBOL(dispatch_release);

/** Returns the context that was set; NULL: none. */
void *dispatch_get_context(dispatch_object_t object) SQ_DISPATCH_SYMBOL(dispatch_get_context) DISPATCH_WARN_RESULT;

/** Sets the context, for the object's functions and its finalizer. No effect on global queues and the main queue. */
void dispatch_set_context(dispatch_object_t object, void *context) SQ_DISPATCH_SYMBOL(dispatch_set_context);

/** Sets a function that the target queue calls with the context after the object's end, unless the context is NULL. */
void dispatch_set_finalizer_f(dispatch_object_t object, dispatch_function_t finalizer) SQ_DISPATCH_SYMBOL(dispatch_set_finalizer_f);

/** Lets a queue or source begin that was created inactive. No effect on others. */
void dispatch_activate(dispatch_object_t object) SQ_DISPATCH_SYMBOL(dispatch_activate);

/** Keeps a queue or source from starting tasks or handlers, until balanced by dispatch_resume. No effect on other objects, the main
 * queue and global queues. */
void dispatch_suspend(dispatch_object_t object) SQ_DISPATCH_SYMBOL(dispatch_suspend);

/** Takes back one dispatch_suspend, or else activates. Ends the process if there is nothing to take back. */
void dispatch_resume(dispatch_object_t object) SQ_DISPATCH_SYMBOL(dispatch_resume);

/**
 * Sets the queue on which a queue's tasks, a source's handlers or an object's finalizer run. NULL: the default.
 *
 * Of a queue it must be set before the first use of the queue, or of one that has it as its target, directly or through others. A submission uses
 * a queue; so does a wait, a notification, or a source that begins there. Of a source it must be set before it is activated. Otherwise the process
 * ends. A queue with a target that is not a global queue runs one task at a time, also if it was created as a concurrent one.
 */
void dispatch_set_target_queue(dispatch_object_t object, dispatch_queue_t queue) SQ_DISPATCH_SYMBOL(dispatch_set_target_queue);

SQ_DISPATCH_END
#endif

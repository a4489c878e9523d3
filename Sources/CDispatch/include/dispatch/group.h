/* group.h: waiting for many tasks. Include <dispatch/dispatch.h>. */
#ifndef SQ_DISPATCH_GROUP_H
#define SQ_DISPATCH_GROUP_H

#include <dispatch/queue.h>

SQ_DISPATCH_BEGIN

/** A group of tasks whose common end can be waited for. */
DISPATCH_DECL(dispatch_group);

/** Creates a group without members. */
dispatch_group_t dispatch_group_create(void) SQ_DISPATCH_SYMBOL(dispatch_group_create) DISPATCH_WARN_RESULT;

/** Submits a function, as a member of the group. */
void dispatch_group_async_f(dispatch_group_t group, dispatch_queue_t queue, void *context, dispatch_function_t work)
    SQ_DISPATCH_SYMBOL(dispatch_group_async_f);

/**
 * Waits until the group has no members.
 *
 * If a member can only end after the caller, a wait without an end ends the process with a message, and another one lasts until its timeout.
 *
 * @return 0; nonzero if the group still had members at the timeout.
 */
intptr_t dispatch_group_wait(dispatch_group_t group, dispatch_time_t timeout) SQ_DISPATCH_SYMBOL(dispatch_group_wait);

/** Submits a function when the group has no members: at once, or when the last one leaves. */
void dispatch_group_notify_f(dispatch_group_t group, dispatch_queue_t queue, void *context, dispatch_function_t work)
    SQ_DISPATCH_SYMBOL(dispatch_group_notify_f);

/** Adds a member, which must leave. */
void dispatch_group_enter(dispatch_group_t group) SQ_DISPATCH_SYMBOL(dispatch_group_enter);

/** Removes a member. Ends the process with a message if none has entered. */
void dispatch_group_leave(dispatch_group_t group) SQ_DISPATCH_SYMBOL(dispatch_group_leave);

#ifdef __BLOCKS__
/** As dispatch_group_async_f, with a block, which is copied. */
void dispatch_group_async(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_group_async);

/** As dispatch_group_notify_f, with a block, which is copied. */
void dispatch_group_notify(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_group_notify);
#endif

SQ_DISPATCH_END
#endif

/* block.h: blocks that can be cancelled and waited for. Include <dispatch/dispatch.h>. */
#ifndef SQ_DISPATCH_BLOCK_H
#define SQ_DISPATCH_BLOCK_H

#include <dispatch/queue.h>

#ifdef __BLOCKS__
SQ_DISPATCH_BEGIN

/** What a block object is. Only the barrier has an effect: a queue has a class, a block has none. */
enum {
    DISPATCH_BLOCK_BARRIER = 0x1,
    DISPATCH_BLOCK_DETACHED = 0x2,
    DISPATCH_BLOCK_ASSIGN_CURRENT = 0x4,
    DISPATCH_BLOCK_NO_QOS_CLASS = 0x8,
    DISPATCH_BLOCK_INHERIT_QOS_CLASS = 0x10,
    DISPATCH_BLOCK_ENFORCE_QOS_CLASS = 0x20
};
/** DISPATCH_BLOCK_… or'ed together. */
typedef unsigned long dispatch_block_flags_t;

/** Makes a block object of a block, which is copied. Release it with Block_release. NULL: an unknown flag. */
dispatch_block_t dispatch_block_create(dispatch_block_flags_t flags, dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_block_create) DISPATCH_WARN_RESULT;

/** The same; the class has no effect. NULL: also if there is no such class, or the priority is not in -15…0. */
dispatch_block_t dispatch_block_create_with_qos_class(dispatch_block_flags_t flags, dispatch_qos_class_t qos_class, int relative_priority,
                                                      dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_block_create_with_qos_class) DISPATCH_WARN_RESULT;

/** Runs a block on this thread. */
void dispatch_block_perform(dispatch_block_flags_t flags, DISPATCH_NOESCAPE dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_block_perform);

/**
 * Waits until the block object has run, or was skipped in its turn because it was cancelled. Any number of threads may wait.
 *
 * If it can only run after the caller, a wait without an end ends the process with a message.
 *
 * @return 0; nonzero at the timeout.
 */
intptr_t dispatch_block_wait(dispatch_block_t block, dispatch_time_t timeout) SQ_DISPATCH_SYMBOL(dispatch_block_wait);

/** Submits a block when the block object has run or was skipped. */
void dispatch_block_notify(dispatch_block_t block, dispatch_queue_t queue, dispatch_block_t notification) SQ_DISPATCH_SYMBOL(dispatch_block_notify);

/** Keeps the block object from running, if it has not begun. It still takes its turn. */
void dispatch_block_cancel(dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_block_cancel);

/** Returns nonzero if the block object was cancelled. */
intptr_t dispatch_block_testcancel(dispatch_block_t block) SQ_DISPATCH_SYMBOL(dispatch_block_testcancel) DISPATCH_WARN_RESULT;

SQ_DISPATCH_END
#endif
#endif

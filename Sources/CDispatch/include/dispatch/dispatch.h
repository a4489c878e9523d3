/* dispatch.h: libdispatch's calls for C programs, on queues of this library. No blocks are needed, and gcc compiles it.
 *
 * The names, types and constants are libdispatch's, and the calls do what it documents. Where it crashes without a message or hangs, the
 * process ends with one that says what happened. The exported symbols are named sq_dispatch_…, so both libraries can be in one process.
 * With clang -fblocks the calls that take blocks are there, too. Data, io, and sources that are not timers stay with libdispatch.
 *
 * In the child of a fork, at whatever moment another thread forked, all calls work on new objects, on the global queues and on the main queue, whose
 * thread is the one that forked. What the parent submitted there runs in the parent only. A call on another queue of the parent ends the child with a
 * message.
 *
 * Build with `pkg-config --cflags --libs serialqueue-dispatch`. Documentation/FromDispatch.md has a row for each function. */
#ifndef SQ_DISPATCH_DISPATCH_H
#define SQ_DISPATCH_DISPATCH_H

#include <dispatch/base.h>
#include <dispatch/time.h>
#include <dispatch/object.h>
#include <dispatch/queue.h>
#include <dispatch/block.h>
#include <dispatch/source.h>
#include <dispatch/group.h>
#include <dispatch/semaphore.h>
#include <dispatch/once.h>

#if defined(__BLOCKS__) && !defined(__cplusplus)
/** Waits for a block object, a group or a semaphore. */
#define dispatch_wait(object, timeout) \
    _Generic((object), dispatch_block_t: dispatch_block_wait, dispatch_group_t: dispatch_group_wait, \
             dispatch_semaphore_t: dispatch_semaphore_wait)((object), (timeout))
/** Submits a block after a block object or a group. */
#define dispatch_notify(object, queue, block) \
    _Generic((object), dispatch_block_t: dispatch_block_notify, dispatch_group_t: dispatch_group_notify)((object), (queue), (block))
/** Cancels a block object or a source. */
#define dispatch_cancel(object) \
    _Generic((object), dispatch_block_t: dispatch_block_cancel, dispatch_source_t: dispatch_source_cancel)((object))
/** Returns nonzero if a block object or a source was cancelled. */
#define dispatch_testcancel(object) \
    _Generic((object), dispatch_block_t: dispatch_block_testcancel, dispatch_source_t: dispatch_source_testcancel)((object))
#endif

#endif

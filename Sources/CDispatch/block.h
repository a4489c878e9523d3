/* block.h: blocks, as a compiler without them sees them.
 *
 * A block is a pointer to this layout, which clang's documents fix. Copying and releasing is done by the program's own runtime of blocks. */
#ifndef SQ_DISPATCH_BLOCK_INTERNAL_H
#define SQ_DISPATCH_BLOCK_INTERNAL_H

#include "queue.h"

struct sq__dispatch_block_descriptor {
    unsigned long reserved;
    unsigned long size;
    void (*copy)(void *to, const void *from);
    void (*dispose)(const void *block);
};

struct sq__dispatch_block {
    void *isa;
    int flags;
    int reserved;
    void (*invoke)(void *block);
    const struct sq__dispatch_block_descriptor *descriptor;
};

/** Calls a block. */
void sq__dispatch_call_block(void *block);
/** Copies a block to the heap, or adds a reference. */
void *sq__dispatch_copy_block(const void *block);
/** Releases a copy. */
void sq__dispatch_release_block(void *block);
/** Calls a copy, and releases it. */
void sq__dispatch_call_and_release_block(void *block);
/** As dispatch_async, for which the header has this symbol. */
void sq_dispatch_async(dispatch_queue_t queue, void *block);
/** Submits a copy when the group has no members: a block object that is a barrier is one. Returns 0 or the error. */
int sq__dispatch_notify(sq_group_t *group, dispatch_queue_t queue, const void *block);

/* What a block object of dispatch_block_create has (block_object.c). */
struct sq__dispatch_record;
/** Returns the record of a block object; NULL: a plain block. */
struct sq__dispatch_record *sq__dispatch_record_of(const void *block);
/** Returns whether a block object is a barrier. */
bool sq__dispatch_record_is_barrier(const struct sq__dispatch_record *record);
/** Returns the group whose wait is that for the block object. */
sq_group_t *sq__dispatch_record_group(const struct sq__dispatch_record *record);

#endif

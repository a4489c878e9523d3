/* block.h: blocks, as a compiler without them sees them.
 *
 * A block is a pointer to this layout, which clang's documents fix. Copying and releasing is done by the program's own runtime of blocks. */
#ifndef SQ_DISPATCH_BLOCK_INTERNAL_H
#define SQ_DISPATCH_BLOCK_INTERNAL_H

#include <dispatch/dispatch.h>
#include <serial_queue.h>

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

#endif

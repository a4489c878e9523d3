/* block.c: calling, copying and releasing blocks. */
#include "block.h"
#include "fail.h"
#include <errno.h>

/* Of the program's runtime of blocks (Debian: libblocksruntime; Swift: libBlocksRuntime). A program with blocks links it. */
extern void *_Block_copy(const void *block) __attribute__((weak));
extern void _Block_release(const void *block) __attribute__((weak));

void sq__dispatch_call_block(void *block) {
    ((struct sq__dispatch_block *)block)->invoke(block);
}

void *sq__dispatch_copy_block(const void *block) {
    if (_Block_copy == NULL) {
        sq__dispatch_fail("dispatch_async", "the program has no runtime of blocks: link it with -lBlocksRuntime.");
    }
    void *copy = _Block_copy(block);
    if (copy == NULL) {
        sq__dispatch_fail("dispatch_async", "%s", sq_error_text(ENOMEM));
    }
    return copy;
}

void sq__dispatch_release_block(void *block) {
    _Block_release(block);
}

void sq__dispatch_call_and_release_block(void *block) {
    sq__dispatch_call_block(block);
    _Block_release(block);
}

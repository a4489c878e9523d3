/* memory.h: where the core's memory comes from. */
#pragma once

#include "platform/system.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The size of a cache line; also the alignment of blocks from sq__memory_lines. */
#define SQ__LINE 64

/* True: blocks that could come from a store (memory/blocks.h) each come from malloc, which then finds a use after free. */
#ifdef __has_feature
#define SQ__EACH_BY_MALLOC __has_feature(address_sanitizer)
#elif defined __SANITIZE_ADDRESS__
#define SQ__EACH_BY_MALLOC 1
#else
#define SQ__EACH_BY_MALLOC 0
#endif

/* Uninitialised memory, or NULL. */
static inline void *sq__memory(size_t bytes) { return malloc(bytes); }

/* The same, for an object whose first `hot` bytes have words that threads write on each call. With a malloc that puts a word in front of each block
 * (glibc) the block is so large that, in two of them side by side, those words are on different cache lines: threads that use one object each do not
 * take lines from each other. */
static inline void *sq__memory_apart(size_t bytes, size_t hot) {
    size_t least = hot + SQ__LINE - 2 * sizeof(size_t); /* from the last hot word to the next block, before which malloc has a word of its own */
    return malloc(bytes < least ? least : bytes);
}

/* As sq__memory, but all zero. */
static inline void *sq__memory_zeroed(size_t bytes) {
    void *block = malloc(bytes);
    return block != NULL ? memset(block, 0, bytes) : NULL;
}

/* As sq__memory, aligned to a cache line. `bytes` must be a multiple of SQ__LINE. */
static inline void *sq__memory_lines(size_t bytes) { return aligned_alloc(SQ__LINE, bytes); }

static inline void sq__memory_free(void *block) { free(block); }

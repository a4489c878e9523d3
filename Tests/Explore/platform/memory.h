/* memory.h: the explorer's memory, in place of the system's: may fail by choice, is never used twice in a run. */
#ifndef SQ__PLATFORM_MEMORY_H
#define SQ__PLATFORM_MEMORY_H

#include <stddef.h>
#include <string.h>

#define SQ__LINE 64
#ifndef SQ__EACH_BY_MALLOC /* Tests/Scaling has the store */
#define SQ__EACH_BY_MALLOC 1
#endif

void *ex_allocate(size_t bytes, size_t alignment);
void ex_release(void *block);

static inline void *sq__memory(size_t bytes) { return ex_allocate(bytes, 16); }
static inline void *sq__memory_apart(size_t bytes, size_t hot) {
    size_t least = hot + SQ__LINE - 2 * sizeof(size_t);
    return sq__memory(bytes < least ? least : bytes);
}
static inline void *sq__memory_zeroed(size_t bytes) {
    void *block = sq__memory(bytes);
    return block != NULL ? memset(block, 0, bytes) : NULL;
}
static inline void *sq__memory_lines(size_t bytes) { return ex_allocate(bytes, SQ__LINE); }
static inline void sq__memory_free(void *block) { ex_release(block); }

#endif

/* heap.h: how much of the C library's heap is in use. */
#ifndef HEAP_H
#define HEAP_H

#include <malloc.h>
#include <stddef.h>

/* Of the whole process, blocks with pages of their own included. 0 always where the C library does not say (musl). */
static inline size_t heap_bytes(void) {
#ifdef __GLIBC__
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

#endif

/* allocation_probe.h: counts this thread's allocations, and makes one of them fail.
 *
 * Per thread, because Swift Testing runs tests side by side. Between begin and end the calling thread's calls of malloc,
 * calloc, realloc, aligned_alloc and posix_memalign are counted, also those of other libraries. */
#ifndef ALLOCATION_PROBE_H
#define ALLOCATION_PROBE_H

#include <stdbool.h>
#include <stddef.h>

void allocation_probe_begin(void);

/* How many allocations this thread has made since begin. */
long allocation_probe_end(void);

/* Makes this thread's next allocation of at least so many bytes fail. The size distinguishes the allocation that is meant from
 * those that Swift makes before it. Does nothing where allocation_probe_can_fail() is false. */
void allocation_probe_fail(size_t at_least);

/* Makes this thread's next mapping of pages fail: a queue's segments come from such pages, unless an earlier one has left some free. So call
 * it in a process of the test's own. Does nothing where allocation_probe_can_fail() is false. */
void allocation_probe_fail_pages(void);

/* False under a sanitizer: malloc is the sanitizer's then, and its hooks can only watch. */
bool allocation_probe_can_fail(void);

#endif

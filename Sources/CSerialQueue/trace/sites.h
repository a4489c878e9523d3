/* sites.h: where the tasks that wait and run were submitted from, for a dump.
 *
 * DESIGN. While a trace is under way, a submission stores its site in a table, under the place in the queue where the task waits. The
 * baton's holder takes it out with the task, and a dump finds it next to the frame of the task (kernel/run.h). The table has no lock:
 * one of an entry's two words is the key combined with the other word, so an entry that two threads write at a time has no valid key.
 * Of more than SQ__SITES waiting tasks some lose their site, and the dump leaves it out. */
#ifndef SQ__TRACE_SITES_H
#define SQ__TRACE_SITES_H

#include <stdint.h>

#ifndef SQ__SITES
#define SQ__SITES 4096 /* a power of two */
#endif

/* The lower 48 bits are an address, the upper 16 a line. 0: not known. Line 0: the address is code; else it is the text of a file's name. */
typedef uint64_t sq__site_t;

static inline sq__site_t sq__site(const void *address, unsigned line) {
    return ((uint64_t)(uintptr_t)address & (((uint64_t)1 << 48) - 1)) | (uint64_t)line << 48;
}
static inline uintptr_t sq__site_address(sq__site_t site) { return (uintptr_t)(site & (((uint64_t)1 << 48) - 1)); }
static inline unsigned sq__site_line(sq__site_t site) { return (unsigned)(site >> 48); }

/* A task comes to this place of the queue. Before the task can be seen. */
void sq__sites_put(const void *queue, uintptr_t where, sq__site_t site);

/* Removes and returns the site of the task that was in this place; 0: not known, or it was submitted in another trace. */
sq__site_t sq__sites_take(const void *queue, uintptr_t where);

#endif

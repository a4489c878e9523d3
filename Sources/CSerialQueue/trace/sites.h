/* sites.h: where the tasks that wait and run were submitted from.
 *
 * DESIGN. Sites are recorded for the queues that are traced or watched. A public call notes its site for its queue, in the
 * thread's own record; the submission takes the note. It stores the site in a table, under the place in the queue where the task
 * waits. The baton's holder takes it out with the task; a dump finds it next to the frame of the task (kernel/run.h), and a
 * watcher gets it from there.
 *
 * The table has no lock: one of an entry's two words is the key combined with the other word, so an entry that two threads write at a
 * time has no valid key. Of more than SQ__SITES waiting tasks some lose their site, and are shown without.
 *
 * A queue records in eras: an era begins when it begins to be traced or watched, and was neither. Within an era each submission
 * stores its site, if only to say that it is not known, so what is found under a place is never an earlier task's. The key contains the
 * era's number, which is never used again. */
#ifndef SQ__TRACE_SITES_H
#define SQ__TRACE_SITES_H

#include "platform/atomic.h"

#include <stdbool.h>
#include <stdint.h>

#ifndef SQ__SITES
#define SQ__SITES 4096 /* a power of two */
#endif

/* The lower 48 bits are an address, the upper 16 a line. 0: not known. Line 0: the address is code; else it is the text of a file's name. */
typedef uint64_t sq__site_t;
typedef uint32_t sq__era_t;

static inline sq__site_t sq__site(const void *address, unsigned line) {
    return ((uint64_t)(uintptr_t)address & (((uint64_t)1 << 48) - 1)) | (uint64_t)(line < 0xFFFF ? line : 0xFFFF) << 48;
}
static inline uintptr_t sq__site_address(sq__site_t site) { return (uintptr_t)(site & (((uint64_t)1 << 48) - 1)); }
static inline unsigned sq__site_line(sq__site_t site) { return (unsigned)(site >> 48); }

/* 0: no queue records. One for a trace that is under way, and one if any queue is watched. */
extern SQ__ATOMIC(uint32_t) sq__sites_wanted;
static inline void sq__sites_want(bool wanted) { (void)sq__add_relaxed(&sq__sites_wanted, wanted ? 1 : (uint32_t)-1); }

/* Notes where this thread's next submission to the queue comes from. `is_outermost`: in place of what was noted for it before. */
void sq__sites_note(const void *queue, sq__site_t site, bool is_outermost);

/* Returns what was noted for the queue, 0 if nothing was, and forgets it. */
sq__site_t sq__sites_noted(const void *queue);

/* A public call that notes its caller. Noinline, so that clang does not move what is rare in it to a function of its own, whose caller would
 * be noted then. */
#define SQ__NOTES_CALLER __attribute__((noinline))
#define SQ__NOTE_CALLER(queue) sq__sites_note((queue), sq__site(__builtin_return_address(0), 0), false)

/* A number that no queue has used. */
sq__era_t sq__sites_new_era(void);

/* A task comes to this place of the queue. Before the task can be seen. */
void sq__sites_put(sq__era_t era, const void *queue, uintptr_t where, sq__site_t site);

/* Returns the site of the task in this place, for a dump; 0: not known. */
sq__site_t sq__sites_look(sq__era_t era, const void *queue, uintptr_t where);

/* Removes and returns the site of the task that was in this place; 0: not known. */
sq__site_t sq__sites_take(sq__era_t era, const void *queue, uintptr_t where);

#endif

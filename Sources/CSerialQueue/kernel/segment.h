/* segment.h: the segments of a ring. ring.h describes how they are used. */
#ifndef SQ__KERNEL_SEGMENT_H
#define SQ__KERNEL_SEGMENT_H

#include "include/sq_types.h"
#include "state/queue.h"
#include "platform/atomic.h"
#include "platform/memory.h"

/* Tests set a small number, to reach the ends of segments often. */
#ifndef SQ__SEGMENT_SLOTS
#define SQ__SEGMENT_SLOTS 126u
#endif

/* How many tasks take about 16 MiB of segments. A queue that had a longer backlog returns all memory when it becomes
 * free. After a shorter one it keeps one segment, and so perhaps the pages below it: this is faster, as they need not be mapped again. */
#ifndef SQ__LONG_BACKLOG
#define SQ__LONG_BACKLOG 500000u
#endif

/* How many segments in static memory serve the queues on pools; at most 32. See segment.c. */
#ifndef SQ__RESERVE
#define SQ__RESERVE 32u
#endif

typedef SQ__ATOMIC(uintptr_t) sq__word_t;

typedef struct sq__slot {
    sq__word_t word; /* SQ__EMPTY, SQ__BATON, or the kind of the work and perhaps a time; a link's is the address of a segment instead */
    sq__work_t work;
} sq__slot_t;

/* With this header, 126 slots are 4 KiB. */
struct sq__segment {
    _Alignas(SQ__LINE) sq__word_t next;
    _Alignas(SQ__LINE) sq__slot_t slots[SQ__SEGMENT_SLOTS];
};

_Static_assert(sizeof(sq__slot_t) <= SQ__LINE / 2, "two slots share a cache line");
_Static_assert(SQ__SEGMENT_SLOTS <= 0xFF, "the state word has eight bits for it");
_Static_assert(SQ__RESERVE >= 1 && SQ__RESERVE <= 32, "a bitmap of 32 bits has one for each");

/* An empty segment for the queue's ring, all words EMPTY: its spare, one of the reserve if the queue is on a pool, or new
 * memory. NULL: no memory. */
sq__segment_t *sq__segment_obtain(sq_queue_t *queue);

/* Makes the segment the queue's spare, or frees it if there is one. */
void sq__segment_recycle(sq_queue_t *queue, sq__segment_t *segment);

/* Returns the segment to the reserve or to the system. NULL is allowed. */
void sq__segment_free(sq__segment_t *segment);

/* Frees the queue's spare, if there is one. */
void sq__segment_free_spare(sq_queue_t *queue);

#endif

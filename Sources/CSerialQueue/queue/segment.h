/* segment.h: the pieces that a ring is made of. ring.h tells how they are used. */
#ifndef SQ__QUEUE_SEGMENT_H
#define SQ__QUEUE_SEGMENT_H

#include "include/sq_types.h"
#include "platform/atomic.h"
#include "platform/memory.h"
#include "queue/queue.h"
#include "thread/token.h"

/* Tests set a small number, to come to the borders often. */
#ifndef SQ__SEGMENT_SLOTS
#define SQ__SEGMENT_SLOTS 126u
#endif

/* The values of a slot's word; EMPTY and BATON also of a link, which else holds the address of a segment. */
enum { SQ__EMPTY, SQ__BATON, SQ__TASK, SQ__WAITER, SQ__CALL };

typedef SQ__ATOMIC(uintptr_t) sq__word_t;

/* A thread that waits: for its turn (WAITER), or until the runner has done its call (CALL). */
typedef struct sq__waiter {
    sq__token_t *token;
    sq__turn_t turn;
    const sq_task_t *call; /* on its stack; to be touched only once the wait is claimed */
} sq__waiter_t;

typedef struct sq__slot {
    sq__word_t word;
    union {
        sq_task_t task;
        sq__waiter_t waiter;
    };
} sq__slot_t;

/* With this header, 126 slots are 4 KiB. */
struct sq__segment {
    _Alignas(SQ__LINE) sq__word_t next;
    _Alignas(SQ__LINE) sq__slot_t slots[SQ__SEGMENT_SLOTS];
};

_Static_assert(sizeof(sq__slot_t) <= SQ__LINE / 2, "two slots share a cache line");
_Static_assert(SQ__SEGMENT_SLOTS <= 0xFF, "the state word has eight bits for it");

/* An empty segment for the queue's ring, all words EMPTY, from its spare or from the system; NULL: no memory. */
sq__segment_t *sq__segment_obtain(sq_queue_t *queue);

/* Makes the segment the queue's spare, or frees it if there is one. */
void sq__segment_recycle(sq_queue_t *queue, sq__segment_t *segment);

/* Frees the queue's spare, if there is one. */
void sq__segment_free_spare(sq_queue_t *queue);

#endif

/* handle.h: is this a queue? In builds with SQ_DEBUG only.
 *
 * DESIGN. In such a build a queue has a mark, and its memory is kept for a while after it was freed. So a call with a handle
 * that is NULL, zeroed, freed or not a queue ends the program with a message, instead of corrupting memory. Other builds have
 * neither the mark nor the checks. */
#pragma once

#include "state/queue.h"

#ifdef SQ_DEBUG
void sq__handle_check(const sq_queue_t *queue, const char *call);
void sq__handle_mark(sq_queue_t *queue);
/* Instead of freeing the memory at once. `memory`: the block that contains the queue. */
void sq__handle_free(sq_queue_t *queue, void *memory);
#define SQ__CHECK_HANDLE(queue) sq__handle_check((queue), __func__)
#else
#include "platform/memory.h"
static inline void sq__handle_mark(sq_queue_t *queue) { (void)queue; }
static inline void sq__handle_free(sq_queue_t *queue, void *memory) { (void)queue, sq__memory_free(memory); }
#define SQ__CHECK_HANDLE(queue) ((void)0)
#endif

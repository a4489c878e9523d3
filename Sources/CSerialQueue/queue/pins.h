/* pins.h: the reference that queues have to their target.
 *
 * DESIGN. All queues with the same target share one reference to it, SQ__PINNED; the target counts them under its lock. So it is known when the
 * program has released all of its own references. If the target is suspended then, nobody can resume it: it is shut down. Its tasks are
 * discarded, and those of the queues run after its end.
 *
 * A pinned target is released under its lock (sq__pins_release), and the last pin is removed under the same lock. So the queue exists while
 * the releaser looks at it. A releaser that does not see a pin that is just being made cannot be the last one: the thread that makes it
 * has a reference of its own, and sees it. */
#ifndef SQ__QUEUE_PINS_H
#define SQ__QUEUE_PINS_H

#include "queue/targeted.h"

/* With all queues' locks. `record`: the target's. The caller has a reference to the target. */
void sq__pin(sq_queue_t *target, sq__targeted_t *record);

/* Called by a queue that needs its target no more. NULL: it has none. */
void sq__unpin(sq_queue_t *target);

/* sq_queue_release of a pinned queue. */
void sq__pins_release(sq_queue_t *queue);

#endif

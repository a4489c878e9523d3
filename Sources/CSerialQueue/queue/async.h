/* async.h: submissions that are exempt from the capacity, and room that becomes free. */
#pragma once

#include "include/sq_async.h"
#include "include/sq_deferred.h"
#include "state/state_inline.h"

/* Gives back one room of a queue of limited capacity, whose capacity this is. Submits the deferred task that gets the room, if one does, and calls
 * its `decided`, which may fork: no lock is held. The queue may be freed by then if no deferred task waits: a submitter of one holds a reference. */
void sq__async_give_room(sq_queue_t *queue, sq__room_t *room);

/* Refuses all requests for room: those that wait and those that come later. */
void sq__async_close_capacity(sq_queue_t *queue);

/* item.h: one turn of an item: an item that does not repeat, or one submission of an item that does. item_record.h has the design. */
#pragma once

#include "objects/item_record.h"

/* A turn of an item that repeats, with one reference; NULL: no memory. */
sq_item_t *sq__item_make_turn(sq_item_t *item);

/* Returns 0 if the caller may submit or perform it, else the error. */
int sq__item_begin(sq_item_t *item);

/* Begins and submits. A group: the item becomes a member of it. */
int sq__item_submit_one(sq_group_t *group, sq_item_t *item, sq_queue_t *queue, bool is_delayed, uint64_t delay, const void *caller);

/* Publishes that an item that was begun, and not submitted, has run. */
void sq__item_publish_performed(sq_item_t *item);

int sq__item_cancel_one(sq_item_t *item);

/* Drops a reference to an item that repeats. The last one calls its discard function. */
void sq__item_drop_origin(sq_item_t *item);

/* item_submit.h: submitting and cancelling an item, or one turn of an item that repeats. item_record.h has the design. */
#pragma once

#include "objects/item_record.h"

/* Returns 0 if the caller may submit or perform it, else the error. */
int sq__item_begin(sq_item_t *item);

/* Begins and submits. A group: the item becomes a member of it. */
int sq__item_submit_one(sq_group_t *group, sq_item_t *item, sq_queue_t *queue, bool is_delayed, uint64_t delay, const void *caller);

/* Submits a turn, which is begun when it is made. The caller has a reference to its item. */
int sq__item_submit_begun(sq_group_t *group, sq_item_t *item, sq_queue_t *queue, bool is_delayed, uint64_t delay, const void *caller);

int sq__item_cancel_one(sq_item_t *item);

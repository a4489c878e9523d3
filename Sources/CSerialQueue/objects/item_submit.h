/* item_submit.h: submitting and cancelling an item, or one turn of an item that repeats. item_record.h has the design. */
#pragma once

#include "include/sq_private.h"
#include "objects/item_record.h"

/* Returns 0 if the caller may submit or perform it, else the error. */
int sq__item_begin(sq_item_t *item);

/* Begins and submits. */
int sq__item_submit_one(sq_item_t *item, sq_queue_t *queue, const sq__item_call_t *how);

/* Submits a turn, which is begun when it is made. The caller has a reference to its item. */
int sq__item_submit_begun(sq_item_t *item, sq_queue_t *queue, const sq__item_call_t *how);

int sq__item_cancel_one(sq_item_t *item);

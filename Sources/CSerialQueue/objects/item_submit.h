/* item_submit.h: submitting and cancelling an item, or one turn of an item that repeats. item_record.h has the design. */
#pragma once

#include "include/sq_private.h"
#include "objects/item_record.h"

/* 0: the item is SUBMITTED, and only the caller may submit or perform it. EALREADY, ECANCELED, ESTALE: it is not for the caller, and unchanged. */
int sq__item_begin(sq_item_t *item);

/* Begins and submits. Returns as sq_item_submit. */
int sq__item_submit_one(sq_item_t *item, sq_queue_t *queue, const sq__item_call_t *how);

/* Submits an item that the caller has begun, or a turn, which is begun when it is made. The caller has a reference to a turn's item, and no lock.
 * Returns as sq_item_submit. */
int sq__item_submit_begun(sq_item_t *item, sq_queue_t *queue, const sq__item_call_t *how);

/* sq_item_cancel for a turn, or an item that does not repeat. With no lock held. */
int sq__item_cancel_one(sq_item_t *item);

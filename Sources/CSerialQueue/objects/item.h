/* item.h: an item, or one turn of an item that repeats, from creation to outcome. item_record.h has the design. */
#pragma once

#include "objects/item_record.h"

/* A turn of an item that repeats, which its caller submits or performs. With a reference, as its owner; NULL: no memory. The turn has a reference to
 * the item until the outcome, or refusal, of the turn (sq__item_drop_origin). */
sq_item_t *sq__item_make_turn(sq_item_t *item);

/* What has become of a turn. */
typedef enum sq__turn {
    SQ__TURN_MADE,    /* it is, or was, the last one */
    SQ__TURN_SKIPPED, /* the same, and the item was cancelled since: it must not begin */
    SQ__TURN_REFUSED  /* the item was cancelled before it was made: it never will be */
} sq__turn_t;

/* Called when a queue has accepted the turn, and when it begins: makes it the item's last one, once, unless the item was cancelled. The item exists.
 * With no lock held: takes the item's, and ends awaits. */
sq__turn_t sq__item_turn(sq_item_t *turn);

/* The item was withdrawn, or never submitted: calls its discard function, and publishes the outcome. The caller has a reference, and no lock. */
void sq__item_discard(sq_item_t *item);

/* Publishes that an item that was begun, and not submitted, has run. The caller has a reference, and no lock. */
void sq__item_publish_performed(sq_item_t *item);

/* Drops a reference to an item that repeats. The last one frees the item, calls its discard function and releases its last turn. With no lock
 * held. */
void sq__item_drop_origin(sq_item_t *item);

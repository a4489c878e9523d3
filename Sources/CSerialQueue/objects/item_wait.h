/* item_wait.h: the outcome of an item, and the waits for it. item_record.h has the design. */
#pragma once

#include "objects/item_record.h"

/* Publishes the outcome, once: ends the waits, and submits the notifications. The caller has a reference, and no lock. */
void sq__item_publish(sq_item_t *item, bool ran);

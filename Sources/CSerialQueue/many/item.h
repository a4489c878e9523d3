/* item.h: the function of an item. item_record.h has the design. */
#ifndef SQ__MANY_ITEM_H
#define SQ__MANY_ITEM_H

#include "many/item_record.h"

/* The function of the work item, if this work of kind SQ__PAIR is one; else NULL. */
sq_function_t sq__item_function(const sq__pair_t *pair);

#endif

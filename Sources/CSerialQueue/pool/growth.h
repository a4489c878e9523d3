/* growth.h: a pool that may grow. growth.c has the design. */
#ifndef SQ__POOL_GROWTH_H
#define SQ__POOL_GROWTH_H

#include "pool/pool_types.h"

/* The pool's alarm fires: checks whether the pool must grow. */
void sq__growth_check(sq__alarm_t *alarm);

#endif

/* growth.h: a pool that may grow. growth.c has the design. */
#pragma once

#include "pool/pool_types.h"

/* The pool's alarm fires: checks whether its parts must grow. */
void sq__growth_check(sq__alarm_t *alarm);

/* apply.h: sq_apply, for the Swift layer. */
#ifndef SQ__MANY_APPLY_H
#define SQ__MANY_APPLY_H

#include "many/loop.h"

/* sq_apply, for a language that calls all its loops through one function. */
int sq__apply_code(sq_pool_t *pool, size_t count, sq_iteration_t function, void *context, uintptr_t code);

#endif

/* pool_visit.h: a pool, for a dump. */
#pragma once

#include "pool/pool_types.h"
#include "runner/runner_list.h"

/* The `visit` of the kind. */
void sq__pool_visit(sq__runner_t runner, const sq__pool_visitor_t *visitor);

/* growth.h: a pool that may grow. growth.c has the design. */
#pragma once

#include "pool/pool_internal.h"

/* The pool's alarm fires: checks whether its shards must grow. With no lock. Releases the use of the pool that was counted for the check: the pool
 * may be freed on return. */
void sq__growth_check(sq__alarm_t *alarm);

/* What a check finds while entries wait, in all shards. */
typedef struct sq__sample {
    unsigned permits, base_permits, most; /* of the pool */
    unsigned in_use;   /* workers with a permit, of which are: */
    unsigned blocked;  /* blocked in the same entry for several checks, */
    unsigned for_long; /* those of them that many checks have found so, */
    unsigned asleep;   /* blocked, and if the check has looked at all workers, asleep at this moment */
    bool is_stuck;     /* an entry waits that was waiting at the last check */
    bool used_little;  /* a window has ended in which workers used less than half a processor */
    bool has_surplus;  /* several checks in a row have found more workers not blocked than base permits */
} sq__sample_t;

/* The rule of growth.c: how many permits the pool is to have, from base_permits to `most`. Changes nothing. */
unsigned sq__growth_permits(const sq__sample_t *sample);

/* growth.h: a pool that may grow. growth.c has the design. */
#pragma once

#include "pool/pool_internal.h"

/* The pool's alarm fires: checks whether its parts must grow. */
void sq__growth_check(sq__alarm_t *alarm);

/* What a check finds while entries wait, in all parts. */
typedef struct sq__sample {
    unsigned seats, seats_at_rest, most; /* of the pool */
    unsigned seated;   /* members with a seat, of which are: */
    unsigned blocked;  /* blocked in the same entry for several checks, */
    unsigned for_long; /* those of them that many checks have found so, */
    unsigned asleep;   /* blocked, and if the check has looked at all members, asleep at this moment */
    bool is_stuck;     /* an entry waits that was waiting at the last check */
    bool used_little;  /* a window has ended in which members used less than half a processor */
    bool has_surplus;  /* several checks in a row have found more members not blocked than seats at rest */
} sq__sample_t;

/* The rule of growth.c: how many seats the pool is to have. */
unsigned sq__growth_seats(const sq__sample_t *sample);

/* permit.h: whether a worker has a permit, and what each event makes of that.
 *
 * DESIGN. sq__permit_step is the only place where one state follows from another. It changes nothing: change_permit (workers.c) makes the step, under the
 * lock of the shard, and counts its permits. So the shard counts as many permits as workers have TAKEN, and one for each that is being started.
 * Columns are events:
 *
 *              get          leave       lend        take back    dismiss
 *     NONE     TAKEN, +1    fatal       fatal       fatal        LOST
 *     TAKEN    fatal        NONE, -1    LENT, -1    fatal        fatal
 *     LENT     fatal        fatal       fatal       TAKEN, +1    fatal
 *     LOST     fatal        fatal       fatal       fatal        fatal */
#pragma once

#include "platform/fatal.h"

typedef enum sq__permit {
    SQ__PERMIT_NONE,  /* it is idle, or about to be */
    SQ__PERMIT_TAKEN, /* it runs an entry, or was woken or started for one */
    SQ__PERMIT_LENT,  /* it sleeps in the library, within an entry */
    SQ__PERMIT_LOST   /* it was idle, and is to end */
} sq__permit_t;

typedef enum sq__permit_event {
    SQ__PERMIT_GET,       /* it is called for an entry */
    SQ__PERMIT_LEAVE,     /* it has found nothing to run, or has to leave its permit to another worker */
    SQ__PERMIT_LEND,      /* it goes to sleep in the middle of an entry */
    SQ__PERMIT_TAKE_BACK, /* it has slept; perhaps there is one permit too many for a moment */
    SQ__PERMIT_DISMISS
} sq__permit_event_t;

typedef struct sq__permit_step {
    sq__permit_t permit;
    int more; /* how many more permits are taken */
} sq__permit_step_t;

/* What this event makes of this state, and by how many the taken permits change. Ends the program if the event cannot come. */
static inline sq__permit_step_t sq__permit_step(sq__permit_t permit, sq__permit_event_t event) {
    switch (event) {
    case SQ__PERMIT_GET:
        if (permit == SQ__PERMIT_NONE) {
            return (sq__permit_step_t){ SQ__PERMIT_TAKEN, 1 };
        }
        break;
    case SQ__PERMIT_LEAVE:
        if (permit == SQ__PERMIT_TAKEN) {
            return (sq__permit_step_t){ SQ__PERMIT_NONE, -1 };
        }
        break;
    case SQ__PERMIT_LEND:
        if (permit == SQ__PERMIT_TAKEN) {
            return (sq__permit_step_t){ SQ__PERMIT_LENT, -1 };
        }
        break;
    case SQ__PERMIT_TAKE_BACK:
        if (permit == SQ__PERMIT_LENT) {
            return (sq__permit_step_t){ SQ__PERMIT_TAKEN, 1 };
        }
        break;
    case SQ__PERMIT_DISMISS:
        if (permit == SQ__PERMIT_NONE) {
            return (sq__permit_step_t){ SQ__PERMIT_LOST, 0 };
        }
        break;
    }
    sq__fatal("event %d of a worker cannot come in state %d: this is a bug in the library, please report it.", (int)event, (int)permit);
}

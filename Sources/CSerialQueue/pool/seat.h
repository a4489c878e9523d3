/* seat.h: whether a member has a seat, and what each event makes of that.
 *
 * DESIGN. sq__seat_step is the only place where one state follows from another. It changes nothing: change_seat (members.c) makes the step, under the
 * lock of the part, and counts its seats. So the part counts as many seats as members have TAKEN, and one for each that is being started. Columns are events:
 *
 *              get          leave       lend        take back    dismiss
 *     NONE     TAKEN, +1    fatal       fatal       fatal        LOST
 *     TAKEN    fatal        NONE, -1    LENT, -1    fatal        fatal
 *     LENT     fatal        fatal       fatal       TAKEN, +1    fatal
 *     LOST     fatal        fatal       fatal       fatal        fatal */
#pragma once

#include "platform/fatal.h"

typedef enum sq__seat {
    SQ__SEAT_NONE,  /* it is idle, or about to be */
    SQ__SEAT_TAKEN, /* it runs an entry, or was woken or started for one */
    SQ__SEAT_LENT,  /* it sleeps in the library, within an entry */
    SQ__SEAT_LOST   /* it was idle, and is to end */
} sq__seat_t;

typedef enum sq__seat_event {
    SQ__SEAT_GET,       /* it is called for an entry */
    SQ__SEAT_LEAVE,     /* it has found nothing to run, or has to leave its seat to another member */
    SQ__SEAT_LEND,      /* it goes to sleep in the middle of an entry */
    SQ__SEAT_TAKE_BACK, /* it has slept; perhaps there is one seat too many for a moment */
    SQ__SEAT_DISMISS
} sq__seat_event_t;

typedef struct sq__seat_step {
    sq__seat_t seat;
    int more; /* how many more seats are taken */
} sq__seat_step_t;

static inline sq__seat_step_t sq__seat_step(sq__seat_t seat, sq__seat_event_t event) {
    switch (event) {
    case SQ__SEAT_GET:
        if (seat == SQ__SEAT_NONE) {
            return (sq__seat_step_t){ SQ__SEAT_TAKEN, 1 };
        }
        break;
    case SQ__SEAT_LEAVE:
        if (seat == SQ__SEAT_TAKEN) {
            return (sq__seat_step_t){ SQ__SEAT_NONE, -1 };
        }
        break;
    case SQ__SEAT_LEND:
        if (seat == SQ__SEAT_TAKEN) {
            return (sq__seat_step_t){ SQ__SEAT_LENT, -1 };
        }
        break;
    case SQ__SEAT_TAKE_BACK:
        if (seat == SQ__SEAT_LENT) {
            return (sq__seat_step_t){ SQ__SEAT_TAKEN, 1 };
        }
        break;
    case SQ__SEAT_DISMISS:
        if (seat == SQ__SEAT_NONE) {
            return (sq__seat_step_t){ SQ__SEAT_LOST, 0 };
        }
        break;
    }
    sq__fatal("event %d of a member cannot come in state %d: this is a bug in the library, please report it.", (int)event, (int)seat);
}

/* token_status.h: the status of a token's wait, and what each event makes of it. token.h says what the statuses mean.
 *
 * DESIGN. sq__token_step is the only place where one status follows from another. It changes nothing: its caller swaps the word from the status
 * that it has seen to the one that the step names, and steps again if the word has changed. Columns are events:
 *
 *                            grant          refuse      claim               withdraw   sleep
 *     OVER                   late           late        late                late       late
 *     WAITING                GRANTED        OVER        WAITING, CLAIMED    OVER       SLEEPING
 *     SLEEPING               GRANTED, wake  OVER, wake  SLEEPING, CLAIMED   OVER       SLEEPING
 *     GRANTED                late           late        late                late       late
 *     WAITING, CLAIMED       GRANTED        late        fatal               late       SLEEPING, CLAIMED
 *     SLEEPING, CLAIMED      GRANTED, wake  late        fatal               late       SLEEPING, CLAIMED
 *
 * A wait that is not the word's is OVER. A new wait begins in any status (sq__token_prepare). */
#pragma once

#include "platform/fatal.h"

#include <stdbool.h>

/* The CLAIMED bit is set only together with WAITING or SLEEPING. */
enum { SQ__TOKEN_OVER, SQ__TOKEN_WAITING, SQ__TOKEN_SLEEPING, SQ__TOKEN_GRANTED, SQ__TOKEN_CLAIMED = 4, SQ__TOKEN_STATUSES = 8 };

/* What happens to a wait. The last two are the waiter's own. */
typedef enum sq__token_event { SQ__TOKEN_GRANT, SQ__TOKEN_REFUSE, SQ__TOKEN_CLAIM, SQ__TOKEN_WITHDRAW, SQ__TOKEN_SLEEP } sq__token_event_t;

/* What the thread does that has made the step. */
typedef enum sq__token_action {
    SQ__TOKEN_LATE, /* nothing: the event has no effect, and the status stays */
    SQ__TOKEN_DONE, /* nothing more */
    SQ__TOKEN_WAKE  /* wakes the waiter, which sleeps */
} sq__token_action_t;

typedef struct sq__token_step {
    unsigned status;
    sq__token_action_t action;
} sq__token_step_t;

/* What this event makes of this status. SQ__TOKEN_LATE: the status is as before. Ends the program if the event cannot come. */
static inline __attribute__((always_inline)) sq__token_step_t sq__token_step(unsigned status, sq__token_event_t event) {
    const unsigned claimed = status & SQ__TOKEN_CLAIMED, unclaimed = status - claimed;
    const sq__token_action_t ended = unclaimed == SQ__TOKEN_SLEEPING ? SQ__TOKEN_WAKE : SQ__TOKEN_DONE;
    const sq__token_step_t late = { status, SQ__TOKEN_LATE };
    if (status == SQ__TOKEN_OVER || status == SQ__TOKEN_GRANTED) {
        return late;
    }
    if (unclaimed == SQ__TOKEN_WAITING || unclaimed == SQ__TOKEN_SLEEPING) {
        switch (event) {
        case SQ__TOKEN_GRANT:
            return (sq__token_step_t){ SQ__TOKEN_GRANTED, ended };
        case SQ__TOKEN_REFUSE:
            return claimed ? late : (sq__token_step_t){ SQ__TOKEN_OVER, ended };
        case SQ__TOKEN_WITHDRAW:
            return claimed ? late : (sq__token_step_t){ SQ__TOKEN_OVER, SQ__TOKEN_DONE };
        case SQ__TOKEN_SLEEP:
            return (sq__token_step_t){ SQ__TOKEN_SLEEPING | claimed, SQ__TOKEN_DONE };
        case SQ__TOKEN_CLAIM:
            if (!claimed) {
                return (sq__token_step_t){ status | SQ__TOKEN_CLAIMED, SQ__TOKEN_DONE };
            }
            break;
        }
    }
    sq__fatal("event %d of a wait cannot come in status %u: this is a bug in the library, please report it.", (int)event, status);
}

/* True: it is neither granted, refused nor withdrawn. */
static inline bool sq__token_is_open_status(unsigned status) {
    const unsigned unclaimed = status & ~(unsigned)SQ__TOKEN_CLAIMED;
    return unclaimed == SQ__TOKEN_WAITING || unclaimed == SQ__TOKEN_SLEEPING;
}

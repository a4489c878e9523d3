/* seat_test.c: what each event makes of a member's seat. */
#include "child.h"
#include "harness.h"

#include "pool/seat.h"

#include <stdlib.h>

enum { STATES = SQ__SEAT_LOST + 1, EVENTS = SQ__SEAT_DISMISS + 1 };
enum { NONE = SQ__SEAT_NONE, TAKEN = SQ__SEAT_TAKEN, LENT = SQ__SEAT_LENT, LOST = SQ__SEAT_LOST, FATAL };

static const struct {
    int seat, more;
} expected[STATES][EVENTS] = {
    /*           get            leave           lend            take back      dismiss */
    [NONE] = {  { TAKEN, 1 },  { FATAL, 0 },   { FATAL, 0 },   { FATAL, 0 },  { LOST, 0 } },
    [TAKEN] = { { FATAL, 0 },  { NONE, -1 },   { LENT, -1 },   { FATAL, 0 },  { FATAL, 0 } },
    [LENT] = {  { FATAL, 0 },  { FATAL, 0 },   { FATAL, 0 },   { TAKEN, 1 },  { FATAL, 0 } },
    [LOST] = {  { FATAL, 0 },  { FATAL, 0 },   { FATAL, 0 },   { FATAL, 0 },  { FATAL, 0 } },
};

/* Makes the step of this state and this event. */
int child_main(int count, char **words) {
    REQUIRE(count == 2);
    no_core_file();
    (void)sq__seat_step((sq__seat_t)atoi(words[0]), (sq__seat_event_t)atoi(words[1]));
    return 0;
}

TEST(each_event_leads_from_each_state_to_the_one_in_the_table) {
    for (int seat = 0; seat < STATES; seat += 1) {
        for (int event = 0; event < EVENTS; event += 1) {
            if (expected[seat][event].seat == FATAL) {
                continue;
            }
            sq__seat_step_t step = sq__seat_step((sq__seat_t)seat, (sq__seat_event_t)event);
            if (!CHECK_EQUAL(step.seat, expected[seat][event].seat) || !CHECK_EQUAL(step.more, expected[seat][event].more)) {
                note("event %d in state %d", event, seat);
            }
        }
    }
}

TEST(what_cannot_be_ends_the_program) {
    for (int seat = 0; seat < STATES; seat += 1) {
        for (int event = 0; event < EVENTS; event += 1) {
            if (expected[seat][event].seat == FATAL) {
                char words[2][4];
                snprintf(words[0], sizeof words[0], "%d", seat);
                snprintf(words[1], sizeof words[1], "%d", event);
                ending_t ending = run_captured(words[0], words[1]);
                check_aborted(&ending, (const char *const[]){ "event ", words[1], "state ", words[0], "bug in the library" }, 5);
            }
        }
    }
}

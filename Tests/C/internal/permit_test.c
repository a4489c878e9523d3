/* permit_test.c: what each event makes of a worker's permit. */
#include "child.h"
#include "harness.h"

#include "pool/permit.h"

#include <stdlib.h>

enum { STATES = SQ__PERMIT_LOST + 1, EVENTS = SQ__PERMIT_DISMISS + 1 };
enum { NONE = SQ__PERMIT_NONE, TAKEN = SQ__PERMIT_TAKEN, LENT = SQ__PERMIT_LENT, LOST = SQ__PERMIT_LOST, FATAL };

static const struct {
    int permit, more;
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
    (void)sq__permit_step((sq__permit_t)atoi(words[0]), (sq__permit_event_t)atoi(words[1]));
    return 0;
}

TEST(each_event_leads_from_each_state_to_the_one_in_the_table) {
    for (int permit = 0; permit < STATES; permit += 1) {
        for (int event = 0; event < EVENTS; event += 1) {
            if (expected[permit][event].permit == FATAL) {
                continue;
            }
            sq__permit_step_t step = sq__permit_step((sq__permit_t)permit, (sq__permit_event_t)event);
            if (!CHECK_EQUAL(step.permit, expected[permit][event].permit) || !CHECK_EQUAL(step.more, expected[permit][event].more)) {
                note("event %d in state %d", event, permit);
            }
        }
    }
}

TEST(what_cannot_be_ends_the_program) {
    for (int permit = 0; permit < STATES; permit += 1) {
        for (int event = 0; event < EVENTS; event += 1) {
            if (expected[permit][event].permit == FATAL) {
                char words[2][16];
                snprintf(words[0], sizeof words[0], "%d", permit);
                snprintf(words[1], sizeof words[1], "%d", event);
                ending_t ending = run_captured(words[0], words[1]);
                check_aborted(&ending, (const char *const[]){ "event ", words[1], "state ", words[0], "bug in the library" }, 5);
            }
        }
    }
}

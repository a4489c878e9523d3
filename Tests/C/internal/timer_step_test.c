/* timer_step_test.c: what each event makes of a timer's alarm. */
#include "child.h"
#include "harness.h"

#include "timer/timer_step.h"

#include <stdlib.h>

enum { STATES = SQ__TIMER_RESTS + 1, EVENTS = SQ__TIMER_CANCEL + 1 };
enum { OFF = SQ__TIMER_OFF, SET = SQ__TIMER_SET, RESTS = SQ__TIMER_RESTS };
enum { NOTHING = SQ__TIMER_NOTHING, DO_SET = SQ__TIMER_DO_SET, ANEW = SQ__TIMER_SET_AGAIN, TRY = SQ__TIMER_TRY_AGAIN, CANCEL = SQ__TIMER_DO_CANCEL, FATAL };

static const struct {
    unsigned alarm, action;
} expected[STATES][EVENTS] = {
    /*          start            hold                again          retry         over             cancel */
    [OFF] = {   { SET, DO_SET }, { RESTS, NOTHING }, { 0, FATAL },  { SET, TRY }, { 0, FATAL },    { OFF, NOTHING } },
    [SET] = {   { 0, FATAL },    { RESTS, NOTHING }, { SET, ANEW }, { SET, TRY }, { OFF, NOTHING }, { OFF, CANCEL } },
    [RESTS] = { { SET, DO_SET }, { 0, FATAL },       { SET, ANEW }, { 0, FATAL }, { 0, FATAL },    { OFF, NOTHING } },
};

/* Makes the step of this state and this event. */
int child_main(int count, char **words) {
    REQUIRE(count == 2);
    no_core_file();
    (void)sq__timer_alarm_step((sq__timer_alarm_t)atoi(words[0]), (sq__timer_event_t)atoi(words[1]));
    return 0;
}

TEST(each_event_leads_from_each_state_to_the_one_in_the_table) {
    for (unsigned alarm = 0; alarm < STATES; alarm += 1) {
        for (unsigned event = 0; event < EVENTS; event += 1) {
            if (expected[alarm][event].action == FATAL) {
                continue;
            }
            sq__timer_step_t step = sq__timer_alarm_step((sq__timer_alarm_t)alarm, (sq__timer_event_t)event);
            if (!CHECK_EQUAL(step.alarm, expected[alarm][event].alarm) || !CHECK_EQUAL(step.action, expected[alarm][event].action)) {
                note("event %u in state %u", event, alarm);
            }
        }
    }
}

TEST(what_cannot_be_ends_the_program) {
    for (unsigned alarm = 0; alarm < STATES; alarm += 1) {
        for (unsigned event = 0; event < EVENTS; event += 1) {
            if (expected[alarm][event].action == FATAL) {
                char words[2][16];
                snprintf(words[0], sizeof words[0], "%u", alarm);
                snprintf(words[1], sizeof words[1], "%u", event);
                ending_t ending = run_captured(words[0], words[1]);
                check_aborted(&ending, (const char *const[]){ "event ", words[1], "state ", words[0], "bug in the library" }, 5);
            }
        }
    }
}

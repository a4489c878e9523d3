/* token_status_test.c: what each event makes of each status of a wait. */
#include "child.h"
#include "harness.h"

#include "thread/token_status.h"

#include <stdlib.h>

enum { EVENTS = SQ__TOKEN_SLEEP + 1, BOTH = SQ__TOKEN_CLAIMED };
enum { OVER = SQ__TOKEN_OVER, WAITING = SQ__TOKEN_WAITING, SLEEPING = SQ__TOKEN_SLEEPING, GRANTED = SQ__TOKEN_GRANTED };
enum { LATE = SQ__TOKEN_LATE, DONE = SQ__TOKEN_DONE, WAKE = SQ__TOKEN_WAKE, FATAL };

static const struct {
    unsigned status, action;
} expected[SQ__TOKEN_STATUSES][EVENTS] = {
    /*                   grant              refuse           claim                    withdraw            sleep */
    [OVER] = {            { OVER, LATE },    { OVER, LATE },   { OVER, LATE },            { OVER, LATE },      { OVER, LATE } },
    [WAITING] = {         { GRANTED, DONE }, { OVER, DONE },   { WAITING | BOTH, DONE },  { OVER, DONE },      { SLEEPING, DONE } },
    [SLEEPING] = {        { GRANTED, WAKE }, { OVER, WAKE },   { SLEEPING | BOTH, DONE }, { OVER, DONE },      { SLEEPING, DONE } },
    [GRANTED] = {         { GRANTED, LATE }, { GRANTED, LATE }, { GRANTED, LATE },        { GRANTED, LATE },   { GRANTED, LATE } },
    [OVER | BOTH] = {     { 0, FATAL },      { 0, FATAL },     { 0, FATAL },              { 0, FATAL },        { 0, FATAL } },
    [WAITING | BOTH] = {  { GRANTED, DONE }, { 5, LATE },      { 0, FATAL },              { 5, LATE },         { SLEEPING | BOTH, DONE } },
    [SLEEPING | BOTH] = { { GRANTED, WAKE }, { 6, LATE },      { 0, FATAL },              { 6, LATE },         { SLEEPING | BOTH, DONE } },
    [GRANTED | BOTH] = {  { 0, FATAL },      { 0, FATAL },     { 0, FATAL },              { 0, FATAL },        { 0, FATAL } },
};

/* Makes the step of this status and this event. */
int child_main(int count, char **words) {
    REQUIRE(count == 2);
    no_core_file();
    (void)sq__token_step((unsigned)atoi(words[0]), (sq__token_event_t)atoi(words[1]));
    return 0;
}

TEST(each_event_leads_from_each_status_to_the_one_in_the_table) {
    for (unsigned status = 0; status < SQ__TOKEN_STATUSES; status += 1) {
        for (unsigned event = 0; event < EVENTS; event += 1) {
            if (expected[status][event].action == FATAL) {
                continue;
            }
            sq__token_step_t step = sq__token_step(status, (sq__token_event_t)event);
            if (!CHECK_EQUAL(step.status, expected[status][event].status) || !CHECK_EQUAL((unsigned)step.action, expected[status][event].action)) {
                note("event %u in status %u", event, status);
            }
        }
    }
}

TEST(what_cannot_be_ends_the_program) {
    for (unsigned status = 0; status < SQ__TOKEN_STATUSES; status += 1) {
        for (unsigned event = 0; event < EVENTS; event += 1) {
            if (expected[status][event].action == FATAL) {
                char words[2][16];
                snprintf(words[0], sizeof words[0], "%u", status);
                snprintf(words[1], sizeof words[1], "%u", event);
                ending_t ending = run_captured(words[0], words[1]);
                check_aborted(&ending, (const char *const[]){ "event ", words[1], "status ", words[0], "bug in the library" }, 5);
            }
        }
    }
}

TEST(a_wait_is_open_while_it_can_be_granted) {
    for (unsigned status = 0; status < SQ__TOKEN_STATUSES; status += 1) {
        bool can_be = expected[status][SQ__TOKEN_GRANT].action == DONE || expected[status][SQ__TOKEN_GRANT].action == WAKE;
        CHECK_EQUAL(sq__token_is_open_status(status), can_be);
    }
}

/* dump_entered_test.c: a dump says which call added the newest member of a group that a thread waits for, if a trace is under way. */
#include "dump.h"
#include "group.h"

/* Not static: so the program's own table has them in any case. */
void enter_here(sq_group_t *group);
void enter_there(sq_group_t *group);

__attribute__((noinline)) void enter_here(sq_group_t *group) { CHECK_EQUAL(sq_group_enter(group), 0); }

__attribute__((noinline)) void enter_there(sq_group_t *group) { CHECK_EQUAL(sq_group_enter(group), 0); }

TEST(a_wait_for_a_group_is_shown_with_the_call_that_added_its_newest_member) {
    CHECK_EQUAL(sq_trace_start("/dev/null"), 0);
    sq_group_t *group = make();
    waiter_t waiter;
    enter_here(group);
    waiter_start(&waiter, group, SQ_FOREVER);
    CHECK_LINE(dump_now(), "for group \"members\"", ", 1 entered", ", in a call by enter_here");
    enter_there(group);
    CHECK_LINE(dump_now(), "for group \"members\"", ", 2 entered, the last", ", in a call by enter_there");
    CHECK_EQUAL(sq_trace_stop(), 0);
    CHECK_LINE(dump_now(), "for group \"members\"", ", 2 entered", NULL);
    CHECK(!has_line(dump_now(), "entered", "in a call by", NULL));
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(waiter_end(&waiter), 0);
    sq_group_release(group);
}

TEST(a_member_of_an_earlier_trace_has_no_call) {
    sq_group_t *group = make();
    waiter_t waiter;
    CHECK_EQUAL(sq_trace_start("/dev/null"), 0);
    enter_here(group);
    CHECK_EQUAL(sq_trace_stop(), 0);
    CHECK_EQUAL(sq_trace_start("/dev/null"), 0);
    waiter_start(&waiter, group, SQ_FOREVER);
    CHECK(!has_line(dump_now(), "for group", "entered, in a call by", NULL));
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(waiter_end(&waiter), 0);
    sq_group_release(group);
    CHECK_EQUAL(sq_trace_stop(), 0);
}

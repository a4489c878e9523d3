/* group_fork_test.c: the members of a group in the child of a fork. */
#include "caller.h"

#include "child.h"
#include "sq_await.h"
#include "sq_group.h"

static int leave_in_child(void *argument) {
    sq_group_t *group = argument;
    int wrong = 0;
    wrong += !CHECK_EQUAL(sq_group_leave(group), 0); /* it is not the last */
    wrong += !CHECK_EQUAL(sq_group_leave(group), ESTALE);
    wrong += !CHECK_EQUAL(sq_group_wait(group, SQ_NOW), ESTALE); /* it is still a member */
    wrong += !CHECK_EQUAL(sq_group_enter(group), 0);
    wrong += !CHECK_EQUAL(sq_group_leave(group), 0);
    wrong += !CHECK_EQUAL(sq_group_leave(group), ESTALE);
    return wrong;
}

static void count_end(sq_await_t *await) { *(size_t *)await->context += 1; }

TEST(in_the_child_of_a_fork_the_last_member_does_not_leave_a_group_that_a_thread_of_the_parent_waits_for) {
    if (fork_left_out()) {
        return;
    }
    size_t ended = 0;
    sq_await_t await = { .ended = count_end, .context = &ended };
    sq_group_t *group = sq_group_create("group");
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_await(group, &await), EINPROGRESS);
    CHECK_EQUAL(in_fork(leave_in_child, group), 0);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(ended, 0);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(ended, 1);
    sq_group_release(group);
}

static int leave_the_released(void *group) { return !CHECK_EQUAL(sq_group_leave(group), ESTALE); }

TEST(in_the_child_of_a_fork_the_last_member_does_not_leave_a_group_that_the_parent_has_released) {
    if (fork_left_out()) {
        return;
    }
    sq_group_t *group = sq_group_create("group");
    CHECK_EQUAL(sq_group_enter(group), 0);
    sq_group_release(group);
    CHECK_EQUAL(in_fork(leave_the_released, group), 0);
    CHECK_EQUAL(sq_group_leave(group), 0);
}

static int use_unwaited(void *argument) {
    sq_group_t *group = argument;
    int wrong = 0;
    wrong += !CHECK_EQUAL(sq_group_leave(group), 0);
    wrong += !CHECK_EQUAL(sq_group_leave(group), EINVAL);
    wrong += !CHECK_EQUAL(sq_group_wait(group, SQ_FOREVER), 0);
    return wrong;
}

TEST(in_the_child_of_a_fork_members_leave_a_group_that_nothing_waits_for) {
    if (fork_left_out()) {
        return;
    }
    sq_group_t *group = sq_group_create("group");
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(in_fork(use_unwaited, group), 0);
    CHECK_EQUAL(sq_group_leave(group), 0);
    sq_group_release(group);
}

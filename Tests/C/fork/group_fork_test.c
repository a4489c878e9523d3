/* group_fork_test.c: the members of a group, and awaits, in the child of a fork. */
#include "caller.h"

#include "child.h"
#include "sq_await.h"
#include "sq_group.h"
#include "sq_item.h"
#include "sq_private.h"
#include "sq_semaphore.h"

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

/* Three awaits of one object. The first and the last stand for waits of threads of the parent, which are in the same list, on stacks that threads of
 * the child get. */
typedef struct awaits {
    sq_semaphore_t *semaphore;
    sq_group_t *group;
    sq_item_t *item;
    sq_queue_t *queue;
    sq_await_t of[4][3]; /* by object */
} awaits_t;

static int withdraw_in_child(void *argument) {
    awaits_t *awaits = argument;
    const awaits_t before = *awaits;
    int wrong = 0;
    wrong += !CHECK(sq_semaphore_withdraw(awaits->semaphore, &awaits->of[0][1]));
    wrong += !CHECK(sq_group_withdraw(awaits->group, &awaits->of[1][1]));
    wrong += !CHECK(sq_item_withdraw(awaits->item, &awaits->of[2][1]));
    wrong += !CHECK(sq__end_withdraw(awaits->queue, &awaits->of[3][1]));
    wrong += !CHECK(!sq__end_withdraw(awaits->queue, &awaits->of[3][1]));
    wrong += !CHECK(!sq_semaphore_withdraw(awaits->semaphore, &awaits->of[0][1]));
    for (int i = 0; i < 4; i += 1) {
        wrong += !CHECK(memcmp(&awaits->of[i][0], &before.of[i][0], sizeof(sq_await_t)) == 0);
        wrong += !CHECK(memcmp(&awaits->of[i][2], &before.of[i][2], sizeof(sq_await_t)) == 0);
    }
    return wrong;
}

TEST(in_the_child_of_a_fork_a_withdrawal_writes_nothing_to_the_stacks_of_threads_that_wait) {
    if (fork_left_out()) {
        return;
    }
    size_t ended = 0;
    awaits_t awaits = {
        sq_semaphore_create(NULL, 0), sq_group_create(NULL), sq_item_create(NULL, &(sq_task_t){ .run = do_nothing }), make_queue_of(NULL, 0), { { { 0 } } }
    };
    CHECK_EQUAL(sq_group_enter(awaits.group), 0);
    for (int i = 0; i < 3; i += 1) {
        for (int object = 0; object < 4; object += 1) {
            awaits.of[object][i] = (sq_await_t){ .ended = count_end, .context = &ended };
        }
        CHECK_EQUAL(sq_semaphore_await(awaits.semaphore, &awaits.of[0][i]), EINPROGRESS);
        CHECK_EQUAL(sq_group_await(awaits.group, &awaits.of[1][i]), EINPROGRESS);
        CHECK_EQUAL(sq_item_await(awaits.item, &awaits.of[2][i]), EINPROGRESS);
        CHECK_EQUAL(sq__end_await(awaits.queue, &awaits.of[3][i]), EINPROGRESS);
    }
    CHECK_EQUAL(in_fork(withdraw_in_child, &awaits), 0);
    for (int i = 0; i < 3; i += 1) { /* here nothing has changed */
        CHECK_EQUAL(sq_semaphore_signal(awaits.semaphore), 0);
    }
    CHECK_EQUAL(sq_group_leave(awaits.group), 0);
    sq_item_perform(awaits.item);
    CHECK(sq__end_withdraw(awaits.queue, &awaits.of[3][1]));
    CHECK(!sq__end_withdraw(awaits.queue, &awaits.of[3][1]));
    CHECK_EQUAL(sq_shutdown(awaits.queue, SQ_SHUTDOWN_DRAIN, FAR), 0);
    CHECK_EQUAL(ended, 11);
    sq_semaphore_release(awaits.semaphore);
    sq_group_release(awaits.group);
    sq_item_release(awaits.item);
    sq_queue_release(awaits.queue);
}

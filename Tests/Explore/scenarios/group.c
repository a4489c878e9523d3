/* group.c: a group: its calls against each other, and against the ends of its members.
 *
 * Each member writes a cell of its own before it leaves. A wait that returns 0 while no member may enter any more reads all
 * cells: what they wrote must be visible. A notification runs, or is discarded, once, after all members have left. At the end
 * the group has no members, and no memory is left. */
#include "scenario.h"

#include <errno.h>
#include <string.h>

enum { MEMBERS = 4 };

static sq_group_t *group;
static sq_queue_t *queues[2];
static struct { uint64_t cell; bool left, accepted; } members[MEMBERS];
static int registered, notified, refused, wants; /* wants: the order of the notifications of one thread */
static bool releases; /* each member releases a reference to the group, before it leaves */
static bool is_inside, closes; /* the waiter's task runs; a member was submitted behind it */

static void touch(unsigned i) {
    ex_caller = (const void *)touch;
    ex_write(&members[i].cell, sizeof members[i].cell);
}

static void allow(int error, int also) {
    if (error && error != also && !(ex_setting.faults && error == ENOMEM)) {
        ex_fail("group: a call returned %s", strerror(error));
    }
}

static void enter(void) { allow(sq_group_enter(group), 0); }

static void leave(unsigned i) {
    touch(i);
    members[i].left = true;
    allow(sq_group_leave(group), 0);
}

static void run_member(void *context) {
    unsigned i = (unsigned)(uintptr_t)context;
    touch(i);
    ex_point();
    if (members[i].left) {
        ex_fail("group: a member runs twice");
    }
    members[i].left = true;
    if (releases) {
        sq_group_release(group);
    }
}

static void async(unsigned i, unsigned queue) {
    const sq_task_t task = { run_member, (void *)(uintptr_t)i, run_member };
    bool is_behind = is_inside;
    int error = i % 2 ? sq_group_async_task(group, queues[queue], &task) : sq_group_async(group, queues[queue], run_member, task.context);
    members[i].accepted = error == 0;
    closes = closes || (is_behind && error == 0 && queue == 0);
    allow(error, ESHUTDOWN);
}

/* All members have been added: they are those below `count`. */
static void check_all(unsigned count) {
    for (unsigned i = 0; i < count; i += 1) {
        if (!members[i].left) {
            ex_fail("group: a wait returned before member %u had left", i);
        }
        ex_caller = (const void *)check_all;
        ex_read(&members[i].cell, sizeof members[i].cell);
    }
}

static int wait_group(sq_time_t deadline) {
    int error = sq_group_wait(group, deadline);
    allow(error, deadline != SQ_FOREVER ? ETIMEDOUT : error == EDEADLK ? EDEADLK : 0);
    refused += error == EDEADLK;
    return error;
}

static void wait_all(sq_time_t deadline, unsigned count) {
    if (wait_group(deadline) == 0) {
        check_all(count);
    }
}

enum { COUNTS = 8 };

static void run_notice(void *context) {
    int number = (int)((uintptr_t)context / COUNTS);
    if (number < wants) {
        ex_fail("group: notification %d came out of order", number);
    }
    wants = number + 1;
    notified += 1;
    check_all((unsigned)((uintptr_t)context % COUNTS));
}

/* All of a scenario's are registered by one thread. */
static void notify(unsigned count) {
    const sq_task_t task = { run_notice, (void *)(uintptr_t)((unsigned)registered * COUNTS + count), run_notice };
    int error = sq_group_notify(group, queues[1], &task);
    registered += error == 0;
    allow(error, ESHUTDOWN);
}

static void wait_inside(void *unused) {
    (void)unused;
    is_inside = true;
    int error = wait_group(SQ_FOREVER);
    if (closes && error == 0 && !ex_setting.faults) {
        ex_fail("group: a wait returned although a member was behind it");
    }
    is_inside = false;
}

/* By a thread of its own, which gives back what it waits on. */
static void end_group(void *unused) {
    (void)unused;
    if (sq_group_wait(group, SQ_FOREVER) != 0 || sq_group_leave(group) != EINVAL) {
        ex_fail("group: members are left");
    }
    sq_group_release(group);
}

/* There is one member for two that leave. */
static void leave_maybe(void) {
    int error = sq_group_leave(group);
    refused += error == EINVAL;
    allow(error, EINVAL);
    if (refused > 1) {
        ex_fail("group: the only member could not leave");
    }
}

static void wait_for_1(void) {
    if (wait_group(SQ_FOREVER) == 0) {
        if (!members[1].left) {
            ex_fail("group: a wait returned before its member had left");
        }
        ex_caller = (const void *)wait_for_1;
        ex_read(&members[1].cell, sizeof members[1].cell);
    }
}

static void shut_down(sq_shutdown_mode_t mode) { allow(sq_shutdown(queues[0], mode, SQ_FOREVER), 0); }

static bool shares_list; /* the ties of both queues come into one list, so that an idle one may be given from A to B */

static unsigned list_of(const sq_queue_t *queue) { return ((uintptr_t)queue >> 6 ^ (uintptr_t)queue >> 12) % 4; /* sq__member_count_list, of four */ }

static sq_queue_t *create_b(void) {
    sq_queue_t *tried[16];
    unsigned count = 0;
    do {
        tried[count] = sq_queue_create("B", NULL);
        count += 1;
    } while (shares_list && count < 16 && list_of(tried[count - 1]) != list_of(queues[0]));
    for (unsigned i = 0; i + 1 < count; i += 1) {
        sq_queue_release(tried[i]);
    }
    return tried[count - 1];
}

/* If is_wide, queue A is a concurrent one. */
static void run_threads(void (*const threads[])(void *), void (*first)(void), bool times_out, bool is_wide) {
    sq_queue_options_t options;
    int ids[4];
    bool faults = ex_setting.faults;
    stage_begin_own(&options, is_wide);
    memset(members, 0, sizeof members);
    registered = notified = refused = wants = 0;
    is_inside = closes = releases = false;
    ex_setting.faults = false;
    group = sq_group_create("G");
    ex_declare_group(group);
    queues[0] = sq_queue_create("A", &options);
    queues[1] = create_b();
    if (first != NULL) {
        first();
    }
    ex_setting.faults = faults;
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ids[i] = ex_start(threads[i], NULL, false);
    }
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ex_join(ids[i]);
    }
    ex_end_in_one_order();
    ex_setting.faults = false;
    if (!times_out) {
        ex_join(ex_start(end_group, NULL, false));
    }
    sq_queue_release(queues[0]);
    sq_queue_release(queues[1]);
    stage_release_pool();
    ex_setting.faults = faults;
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    if (notified != registered) {
        ex_fail("group: %d notifications, %d were run or discarded", registered, notified);
    }
    for (unsigned i = 0; i < MEMBERS; i += 1) {
        if (members[i].accepted && !members[i].left) {
            ex_fail("group: member %u has no outcome", i);
        }
    }
    stage_end();
}

#define THREAD(name, ...) static void name(void *unused) { (void)unused; __VA_ARGS__; }
#define FIRST(name, ...) static void name(void) { __VA_ARGS__; }
#define BODY(name, first, times_out, ...) \
    static void name(void) { run_threads((void (*const[])(void *)){ __VA_ARGS__, NULL }, first, times_out, false); }
#define WIDE(name, first, ...) \
    static void name(void) { run_threads((void (*const[])(void *)){ __VA_ARGS__, NULL }, first, false, true); }

FIRST(one_entered, enter())
FIRST(two_entered, enter(); enter())
FIRST(one_of_each, enter(); async(1, 0))
FIRST(released_by_one, releases = true)
FIRST(released_by_two, releases = true; sq_group_retain(group))
THREAD(t_leave_0, leave(0))
THREAD(t_leave_1, leave(1))
THREAD(t_leave_enter_leave, leave(0); enter(); allow(sq_group_leave(group), 0))
THREAD(t_wait, allow(sq_group_wait(group, SQ_FOREVER), 0))
THREAD(t_wait_one, wait_all(SQ_FOREVER, 1))
THREAD(t_wait_two, wait_all(SQ_FOREVER, 2))
THREAD(t_wait_two_until, wait_all(stage_soon(), 2))
THREAD(t_async_0_leave, async(2, 0); leave(0))
THREAD(t_async_1_leave, async(3, 1); leave(1))
THREAD(t_async_same, async(2, 0); async(0, 0))
THREAD(t_async_other, async(3, 0); async(1, 1))
THREAD(t_async_owned_leave, async(3, 0); leave(0))
THREAD(t_notify_two, notify(2))
THREAD(t_notify_twice, notify(2); notify(2))
THREAD(t_notify_around_period, notify(1); enter(); notify(1); allow(sq_group_leave(group), 0); notify(1))
THREAD(t_notify_release, notify(1); notify(1); sq_group_release(group))
THREAD(t_leave_both, touch(0); members[0].left = true; leave(1); allow(sq_group_leave(group), EINVAL))
THREAD(t_leave_last, sq_group_t *mine = group; touch(0); members[0].left = true; sq_group_leave(mine))
THREAD(t_release, sq_group_release(group))
THREAD(t_wait_inside, sq_sync(queues[0], wait_inside, NULL))
FIRST(one_submitted, async(1, 0))
THREAD(t_leave_maybe, leave_maybe())
THREAD(t_wait_for_1, wait_for_1())
THREAD(t_async_late, async(3, 0))
THREAD(t_drain, shut_down(SQ_SHUTDOWN_DRAIN))
THREAD(t_discard, shut_down(SQ_SHUTDOWN_DISCARD))

BODY(group_leave_wait, one_entered, false, t_leave_0, t_wait_one, t_wait_one)
BODY(group_two_leave, two_entered, false, t_leave_0, t_leave_1, t_wait_two)
BODY(group_until, two_entered, false, t_leave_0, t_leave_1, t_wait_two_until, t_wait_two_until)
BODY(group_enter_again, one_entered, false, t_leave_enter_leave, t_wait, t_wait)
BODY(group_leave_too_many, two_entered, false, t_leave_both, t_wait_two)
BODY(group_async_wait, two_entered, false, t_async_0_leave, t_async_1_leave, t_wait)
BODY(group_async_same, NULL, false, t_async_same, t_async_other)
BODY(group_notify, two_entered, false, t_leave_0, t_leave_1, t_notify_twice)
BODY(group_notify_release, one_entered, true, t_leave_last, t_notify_release)
BODY(group_notify_again, one_entered, false, t_leave_0, t_notify_around_period)
BODY(group_notify_wait, one_of_each, false, t_leave_0, t_notify_two, t_wait_two)
BODY(group_release, one_entered, true, t_leave_last, t_release)
BODY(group_deadlock_late, one_entered, false, t_wait_inside, t_async_0_leave)
BODY(group_leave_race, one_entered, false, t_leave_maybe, t_leave_maybe, t_wait)
BODY(group_refused, one_submitted, false, t_drain, t_async_late, t_wait_for_1)
BODY(group_discard, one_entered, false, t_discard, t_async_owned_leave, t_wait)
WIDE(group_wide_wait, two_entered, t_async_0_leave, t_async_1_leave, t_wait)
WIDE(group_wide_same, NULL, t_async_same, t_async_other)
WIDE(group_wide_notify, one_of_each, t_leave_0, t_notify_two, t_wait_two)
WIDE(group_wide_discard, one_entered, t_discard, t_async_owned_leave, t_wait)

THREAD(t_async_0, async(0, 0))
THREAD(t_async_1, async(1, 0))
FIRST(one_on_a, async(0, 0))
THREAD(t_async_b, async(1, 1))
THREAD(t_async_a_b, async(2, 0); async(3, 1))

BODY(group_release_inside, released_by_one, true, t_async_0)
BODY(group_release_inside_two, released_by_two, true, t_async_0, t_async_b)
BODY(group_release_inside_same, released_by_two, true, t_async_0, t_async_1)

static void group_wide_release_inside(void) { run_threads((void (*const[])(void *)){ t_async_0, t_async_b, NULL }, released_by_two, true, true); }

static void group_tie_given(void) {
    shares_list = true;
    run_threads((void (*const[])(void *)){ t_async_b, t_async_a_b, NULL }, one_on_a, false, false);
    shares_list = false;
}

/* The waiter has a reference of its own, too: the last one frees the group. */
FIRST(three_have_it, enter(); enter(); sq_group_retain(group); sq_group_retain(group))
THREAD(t_leave_0_release, leave(0); sq_group_release(group))
THREAD(t_leave_1_release, leave(1); sq_group_release(group))
THREAD(t_wait_two_release, wait_all(SQ_FOREVER, 2); sq_group_release(group))
BODY(group_each_releases, three_have_it, true, t_leave_0_release, t_leave_1_release, t_wait_two_release)

BODY(group_release_each, released_by_two, true, t_release, t_release)

const scenario_t group_scenarios[] = {
    { "group_release_each", "two references, each released by a thread", .body = group_release_each },
    { "group_each_releases", "two that leave and one that waits, each with a reference that it then releases", .body = group_each_releases, .looks_twice = true },
    { "group_leave_wait", "the last leave against two waits", .body = group_leave_wait },
    { "group_two_leave", "two leave, and the wait sees what both did", .body = group_two_leave, .looks_twice = true },
    { "group_until", "the same with waits that time out", .body = group_until },
    { "group_enter_again", "the group is entered again while its waiters wake", .body = group_enter_again },
    { "group_leave_too_many", "one leave too many changes nothing", .body = group_leave_too_many },
    { "group_async_wait", "tasks on two queues against a wait", .body = group_async_wait },
    { "group_async_same", "two submitters on the same queues", .body = group_async_same },
    { "group_tie_given", "the idle count of one queue is given to another, while a second submitter finds it without the lock", .body = group_tie_given },
    { "group_notify", "notifications against the last leave: each runs once, after it, in order", .body = group_notify },
    { "group_notify_release", "the same against the last release: the thread that submits them frees the group", .body = group_notify_release },
    { "group_notify_again", "notifications of a period are submitted when the next one ends", .body = group_notify_again },
    { "group_notify_wait", "the same with a task and a wait", .body = group_notify_wait },
    { "group_release", "the last release against the last leave: one of them frees the group", .body = group_release },
    { "group_release_inside", "a member releases the group while its submitter is on its way out", .body = group_release_inside },
    { "group_release_inside_two", "the same with two submitters and two queues: the last to be done frees the group", .body = group_release_inside_two },
    { "group_release_inside_same", "the same on one queue", .body = group_release_inside_same },
    { "group_wide_release_inside", "the same with a concurrent queue", .body = group_wide_release_inside },
    { "group_deadlock_late", "a member submitted behind the task that waits: it is refused", .body = group_deadlock_late },
    { "group_discard", "a shutdown discards members that are waited for", .body = group_discard },
    { "group_leave_race", "two leave for one member: one is refused", .body = group_leave_race },
    { "group_refused", "a refused submission is the last to leave: the wait sees what the member before it did", .body = group_refused },
    { "group_wide_wait", "tasks on a concurrent queue and another one against a wait", .body = group_wide_wait },
    { "group_wide_same", "two submitters on the same queues, one of them concurrent", .body = group_wide_same },
    { "group_wide_notify", "notifications and a wait against a task of a concurrent queue", .body = group_wide_notify },
    { "group_wide_discard", "a shutdown discards members of a concurrent queue that are waited for", .body = group_wide_discard },
    { "group_faults", "no memory or thread for a group's calls", .body = group_async_wait, .faults = true },
    { "group_notify_faults", "no memory for notifications", .body = group_notify, .faults = true },
    { "group_notify_again_faults", "the same after the event: none overtakes one that waits for memory", .body = group_notify_again, .faults = true },
    { 0 },
};

/* notification_test.c: notifications are submitted in the order of registration, also if the first of them had to wait for memory. */
#include "group.h"
#include "inject.h"
#include "item.h"

/* The object that has the event: a group, or an item. */
typedef struct event {
    sq_group_t *group;
    sq_item_t *item;
    outcome_t outcome;
} event_t;

static void event_start(event_t *event, bool is_group) {
    *event = (event_t){ .group = is_group ? make() : NULL };
    if (is_group) {
        CHECK_EQUAL(sq_group_enter(event->group), 0);
    } else {
        event->item = make_item(&event->outcome);
    }
}

static void event_happens(const event_t *event) {
    CHECK_EQUAL(event->group != NULL ? sq_group_leave(event->group) : sq_item_cancel(event->item), 0);
}

static void event_notify(const event_t *event, sq_queue_t *queue, entry_t *entry) {
    const sq_task_t task = { write_entry, entry, write_entry };
    CHECK_EQUAL(event->group != NULL ? sq_group_notify(event->group, queue, &task) : sq_item_notify(event->item, queue, &task), 0);
}

/* Its notifications, and the alarm that submits them, keep what they need. */
static void event_release(const event_t *event) {
    sq_group_release(event->group);
    sq_item_release(event->item);
}

enum { NOTICES = 4 };

/* So many are registered before the event. There is no memory for a segment of the ring when the first one is submitted, so an alarm
 * submits it. Returns whether the last one was registered before that. */
static bool submit_late(bool is_group, int before_event) {
    event_t event;
    uint64_t failures = 0;
    journal_t journal = { 0 };
    entry_t entries[NOTICES];
    hold_t hold = HOLD_INIT;
    sq_queue_t *queue = make_queue_of("told", 0), *timed = make_queue_of("timed", 0);
    CHECK_EQUAL(sq_async_after(timed, 3600 * UINT64_C(1000000000), must_not_run, NULL), 0); /* starts the thread of the alarms */
    event_start(&event, is_group);
    hold_async(&hold, queue);
    for (int i = 0; i < NOTICES; i += 1) {
        entries[i] = (entry_t){ &journal, i };
        if (before_event > 0 && i == before_event) {
            fail_nth(FAIL_ALLOCATION, 1, false);
            event_happens(&event);
            failures += fail_nothing();
        } else if (i == before_event) {
            event_happens(&event);
            fail_nth(FAIL_ALLOCATION, 2, false); /* the first one is the notification */
        }
        event_notify(&event, queue, &entries[i]);
        failures += i == 0 ? fail_nothing() : 0;
    }
    CHECK_EQUAL(failures, 1);
    bool is_late = sq_queue_depth(queue) == 0;
    event_release(&event);
    wait_for_depth(queue, NOTICES);
    hold_end(&hold);
    drain(queue);
    CHECK_EQUAL(journal.count, NOTICES);
    for (size_t i = 0; i < journal.count; i += 1) {
        CHECK_EQUAL(journal.entries[i], (int)i);
    }
    CHECK_EQUAL(sq_shutdown(timed, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    sq_queue_release(timed);
    sq_queue_release(queue);
    let_threads_end(0);
    return is_late || journal.entries[0] != 0;
}

/* The alarm comes after a millisecond, so each test repeats until the last notification was registered before it. To see them
 * fail: clear NOTIFIES although an alarm submits the rest (in end_waits and in take_due, if sq__notification_submit_all returned
 * false). */
TEST(a_notification_registered_after_the_event_comes_after_those_that_wait_for_memory) {
    for (int is_group = 0; is_group < 2; is_group += 1) {
        while (!submit_late(is_group, NOTICES - 1)) {
        }
    }
}

TEST(notifications_registered_after_the_event_keep_their_order_without_memory) {
    for (int is_group = 0; is_group < 2; is_group += 1) {
        while (!submit_late(is_group, 0)) {
        }
    }
}

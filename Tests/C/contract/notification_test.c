/* notification_test.c: notifications are submitted in the order of registration, also if the first of them had to wait for memory. */
#include "concurrent.h"
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

static int notify_barrier(const event_t *event, sq_queue_t *queue, const sq_task_t *task) {
    return event->group != NULL ? sq_group_notify_barrier(event->group, queue, task) : sq_item_notify_barrier(event->item, queue, task);
}

/* Its notifications, and the alarm that submits them, keep what they need. */
static void event_release(const event_t *event) {
    sq_group_release(event->group);
    sq_item_release(event->item);
}

/* The thread of the alarms, which waits in a discard function: of a notification that had to wait for memory, and whose queue was
 * shut down meanwhile. */
typedef struct stopped {
    latch_t entered, leave;
    sq_queue_t *timed, *closed;
} stopped_t;

static void wait_in_discard(void *context) {
    stopped_t *stopped = context;
    latch_bump(&stopped->entered);
    latch_wait(&stopped->leave, 1);
}

static void alarms_stop(stopped_t *stopped) {
    hold_t hold = HOLD_INIT;
    sq_group_t *group = make();
    *stopped = (stopped_t){ LATCH_INIT, LATCH_INIT, make_queue_of("timed", 0), make_queue_of("closed", 0) };
    CHECK_EQUAL(sq_async_after(stopped->timed, 3600 * UINT64_C(1000000000), must_not_run, NULL), 0); /* starts the thread */
    hold_async(&hold, stopped->closed);
    CHECK_EQUAL(sq_group_enter(group), 0);
    CHECK_EQUAL(sq_group_notify(group, stopped->closed, &(sq_task_t){ must_not_run, stopped, wait_in_discard }), 0);
    fail_nth(FAIL_ALLOCATION, 1, true);
    CHECK_EQUAL(sq_group_leave(group), 0);
    CHECK_EQUAL(sq_shutdown(stopped->closed, SQ_SHUTDOWN_DRAIN, 1), ETIMEDOUT);
    CHECK(fail_nothing() > 0);
    latch_wait(&stopped->entered, 1);
    hold_end(&hold);
    sq_group_release(group);
}

static void alarms_continue(stopped_t *stopped) {
    latch_bump(&stopped->leave);
    CHECK_EQUAL(sq_shutdown(stopped->timed, SQ_SHUTDOWN_DISCARD, SQ_FOREVER), 0);
    sq_queue_release(stopped->timed);
    sq_queue_release(stopped->closed);
}

enum { NOTICES = 4 };

/* `before_event`: how many notifications are registered before the event. There is no memory for a segment of the ring when the first
 * one is submitted, so an alarm submits it, after all have been registered. */
static void submit_late(bool is_group, int before_event) {
    event_t event;
    uint64_t failures = 0;
    journal_t journal = { 0 };
    entry_t entries[NOTICES];
    hold_t hold = HOLD_INIT;
    stopped_t stopped;
    sq_queue_t *queue = make_queue_of("told", 0);
    alarms_stop(&stopped);
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
    CHECK_EQUAL(sq_queue_depth(queue), 0);
    event_release(&event);
    alarms_continue(&stopped);
    wait_for_depth(queue, NOTICES);
    hold_end(&hold);
    drain(queue);
    CHECK_EQUAL(journal.count, NOTICES);
    for (size_t i = 0; i < journal.count; i += 1) {
        CHECK_EQUAL(journal.entries[i], (int)i);
    }
    sq_queue_release(queue);
}

TEST(a_notification_registered_after_the_event_comes_after_those_that_wait_for_memory) {
    submit_late(false, NOTICES - 1);
    submit_late(true, NOTICES - 1);
}

TEST(notifications_registered_after_the_event_keep_their_order_without_memory) {
    submit_late(false, 0);
    submit_late(true, 0);
}

static void notify_alone(bool is_group) {
    sq_queue_t *queue = make_concurrent(3, SQ_WIDTH_POOL), *serial = make_queue_of("serial", 0);
    stay_t ahead = STAY_INIT, barrier = STAY_INIT;
    event_t event;
    const sq_task_t task = { stay, &barrier, NULL };
    latch_t ran = LATCH_INIT;
    event_start(&event, is_group);
    CHECK_EQUAL(notify_barrier(&event, queue, &(sq_task_t){ NULL, NULL, NULL }), EINVAL);
    CHECK_EQUAL(notify_barrier(&event, queue, &task), 0);
    CHECK_EQUAL(notify_barrier(&event, serial, &(sq_task_t){ bump, &ran, NULL }), 0);
    CHECK_EQUAL(sq_async(queue, stay, &ahead), 0);
    latch_wait(&ahead.entered, 1);
    event_happens(&event);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, do_nothing, NULL), EAGAIN); /* behind a barrier that waits */
    latch_bump(&ahead.leave);
    latch_wait(&barrier.entered, 1);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, do_nothing, NULL), EAGAIN); /* next to one that runs */
    latch_bump(&barrier.leave);
    CHECK_EQUAL(sq_sync(queue, do_nothing, NULL), 0);
    drain(serial);
    CHECK_EQUAL(latch_value(&ran), 1);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    CHECK_EQUAL(notify_barrier(&event, queue, &task), ESHUTDOWN);
    event_release(&event);
    sq_queue_release(queue);
    sq_queue_release(serial);
}

static void notify_beside(bool is_group) {
    sq_queue_t *queue = make_concurrent(3, SQ_WIDTH_POOL);
    stay_t ahead = STAY_INIT;
    latch_t ran = LATCH_INIT;
    event_t event;
    event_start(&event, is_group);
    const sq_task_t task = { bump, &ran, NULL };
    CHECK_EQUAL(event.group != NULL ? sq_group_notify(event.group, queue, &task) : sq_item_notify(event.item, queue, &task), 0);
    CHECK_EQUAL(sq_async(queue, stay, &ahead), 0);
    latch_wait(&ahead.entered, 1);
    event_happens(&event);
    latch_wait(&ran, 1); /* while `ahead` runs */
    latch_bump(&ahead.leave);
    CHECK_EQUAL(sq_shutdown(queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
    event_release(&event);
    sq_queue_release(queue);
}

TEST(a_notification_that_is_no_barrier_runs_next_to_other_tasks) {
    notify_beside(false);
    notify_beside(true);
}

TEST(a_notification_that_is_a_barrier_runs_alone) {
    notify_alone(false);
    notify_alone(true);
}

/* objects_model_test.c: random sequences of calls on items, groups, semaphores and onces, next to a model written from the headers.
 *
 * One thread and a manual pool: so each call has one right answer, and each queue one order. The model is a list for each queue and a
 * few counts. The functions of the tasks check that they are next in their queue's list; they report each end to the
 * model at that moment. A failure prints the seed of its sequence. */
#include "caller.h"

enum { QUEUES = 3, OBJECTS = 3, RECORDS = 400, STEPS = 160, ROOM = 3 };

/* An entry of a queue's list: an item, a member of a group, or a notification. */
typedef struct record {
    enum { ITEM, MEMBER, NOTICE } kind;
    enum { FRESH, DELAYED, QUEUED, PENDING, RAN, NEVER } state; /* PENDING: a notification before its event */
    int queue, owner; /* owner: of a member or notification: the number of its group, or OBJECTS and the number of its item */
    uint64_t due;
    bool was_submitted, was_cancelled, has_room;
    sq_item_t *item;
} record_t;

static record_t records[RECORDS];
static int record_count;

static struct {
    sq_queue_t *queue;
    record_t *list[RECORDS];
    int length, room_taken, suspensions;
    bool is_closed, discards;
} queues[QUEUES];

static struct { sq_group_t *group; int entered, members; } groups[OBJECTS];
static struct { sq_semaphore_t *semaphore; int permits; } semaphores[OBJECTS];
static struct { sq_once_t once; size_t calls, ran; } onces[OBJECTS];
static record_t *items[OBJECTS]; /* those that calls are made on */
static sq_pool_t *pool;
static uint64_t now;
static random_stream_t dice;

static int roll(int sides) { return (int)random_below(&dice, (uint64_t)sides); }

static record_t *new_record(int kind, int state, int queue, int owner) {
    REQUIRE(record_count < RECORDS);
    records[record_count] = (record_t){ .kind = kind, .state = state, .queue = queue, .owner = owner };
    return &records[record_count++];
}

static void append(record_t *record, bool has_room) {
    record->state = QUEUED;
    record->has_room = has_room;
    queues[record->queue].list[queues[record->queue].length++] = record;
    queues[record->queue].room_taken += has_room;
}

static void take_out(record_t *record) {
    int at = 0, queue = record->queue;
    while (queues[queue].list[at] != record) {
        REQUIRE(++at < queues[queue].length);
    }
    memmove(&queues[queue].list[at], &queues[queue].list[at + 1], (size_t)(queues[queue].length - at - 1) * sizeof(record_t *));
    queues[queue].length -= 1;
    queues[queue].room_taken -= record->has_room;
}

/* The event of these notifications, in the order of their registration. A closed queue discards them where they are. */
static void notify_all(int owner) {
    for (int i = 0; i < record_count; i += 1) {
        record_t *record = &records[i];
        if (record->kind == NOTICE && record->state == PENDING && record->owner == owner && !queues[record->queue].is_closed) {
            append(record, false);
        }
    }
}

static void end_member(int group) {
    if (--groups[group].members + groups[group].entered == 0) {
        notify_all(group);
    }
}

static void end(record_t *record, int state) {
    record->state = state;
    if (record->kind == ITEM) {
        notify_all(OBJECTS + (int)(record - records));
    } else if (record->kind == MEMBER) {
        end_member(record->owner);
    }
}

static void run_record(void *context) {
    record_t *record = context;
    REQUIRE(record->state == QUEUED && queues[record->queue].list[0] == record);
    CHECK(queues[record->queue].suspensions == 0 && !queues[record->queue].discards);
    CHECK(sq_is_current(queues[record->queue].queue));
    take_out(record);
    end(record, RAN);
}

static void discard_record(void *context) {
    record_t *record = context;
    REQUIRE(record->state != RAN && record->state != NEVER);
    if (record->state == QUEUED) { /* cancelled, or its queue discards it */
        CHECK(record->was_cancelled || (queues[record->queue].discards && queues[record->queue].list[0] == record));
        take_out(record);
    } else {
        CHECK(record->was_cancelled || record->state == FRESH || queues[record->queue].is_closed);
    }
    end(record, NEVER);
}

static sq_task_t task_of(record_t *record) { return (sq_task_t){ run_record, record, discard_record }; }

static void make_new_item(int slot) {
    record_t *record = new_record(ITEM, FRESH, 0, -1);
    const sq_task_t task = task_of(record);
    record->item = sq_item_create("item", &task);
    REQUIRE(record->item != NULL);
    items[slot] = record;
}

/* What a queue says to a submission. */
static int refusal(int queue, bool needs_room) {
    if (queues[queue].is_closed) {
        return ESHUTDOWN;
    }
    return needs_room && queue == 0 && queues[queue].room_taken == ROOM ? EAGAIN : 0;
}

/* Steps */

static void submit_item(record_t *record, int queue, uint64_t delay, bool after) {
    int expected = record->was_submitted ? EALREADY : record->state == NEVER ? ECANCELED : refusal(queue, !after);
    if (expected == 0) {
        record->was_submitted = true;
        record->queue = queue;
        record->due = now + delay;
        for (int i = 0; i < record_count; i += 1) { /* no two at one time: then their order would be the pool's */
            if (records[i].state == DELAYED && records[i].due == record->due) {
                record->due += 1;
                i = -1;
            }
        }
        delay = record->due - now;
        if (after && delay > 0) {
            record->state = DELAYED;
        } else {
            append(record, !after && queue == 0);
        }
    }
    CHECK_EQUAL(after ? sq_item_submit_after(record->item, queues[queue].queue, delay)
                      : sq_item_submit(record->item, queues[queue].queue), expected);
}

static void cancel_item(record_t *record) {
    int expected = record->state == RAN || record->state == NEVER ? EALREADY : 0;
    record->was_cancelled = true;
    CHECK_EQUAL(sq_item_cancel(record->item), expected);
    CHECK(record->state == RAN || record->state == NEVER);
    CHECK(sq_item_is_cancelled(record->item));
}

static int outcome_of(const record_t *record) { return record->state == RAN ? 0 : record->state == NEVER ? ECANCELED : EAGAIN; }

static void add_notice(int owner, int queue, bool is_over) {
    record_t *record = new_record(NOTICE, PENDING, queue, owner);
    const sq_task_t task = task_of(record);
    int expected = refusal(queue, false);
    if (expected == 0 && is_over) {
        append(record, false);
    }
    CHECK_EQUAL(owner < OBJECTS ? sq_group_notify(groups[owner].group, queues[queue].queue, &task)
                                : sq_item_notify(records[owner - OBJECTS].item, queues[queue].queue, &task), expected);
    record->state = expected ? NEVER : record->state;
}

static void step_item(int slot, int queue) {
    record_t *record = items[slot];
    switch (roll(8)) {
    case 0: case 1: submit_item(record, queue, 0, false); break;
    case 2: submit_item(record, queue, (uint64_t)roll(50), true); break;
    case 3: cancel_item(record); break;
    case 4: case 5: add_notice(OBJECTS + (int)(record - records), queue, record->state == RAN || record->state == NEVER); break;
    case 6: CHECK_EQUAL(sq_item_wait(record->item, SQ_NOW), outcome_of(record)); break;
    default:
        sq_item_release(record->item);
        make_new_item(slot);
    }
}

static void step_group(int number, int queue) {
    sq_group_t *group = groups[number].group;
    int total = groups[number].entered + groups[number].members, expected = refusal(queue, true);
    switch (roll(6)) {
    case 0:
        groups[number].entered += 1;
        CHECK_EQUAL(sq_group_enter(group), 0);
        break;
    case 1:
        if (groups[number].entered > 0 && groups[number].entered-- + groups[number].members == 1) {
            notify_all(number);
            total = -1;
        }
        CHECK_EQUAL(sq_group_leave(group), total < 0 || total > groups[number].entered + groups[number].members ? 0 : EINVAL);
        break;
    case 2: case 3: {
        record_t *record = new_record(MEMBER, FRESH, queue, number);
        const sq_task_t task = task_of(record);
        if (expected == 0) {
            append(record, queue == 0);
            groups[number].members += 1;
        }
        CHECK_EQUAL(sq_group_async_task(group, queues[queue].queue, &task), expected);
        record->state = expected ? NEVER : record->state;
        break;
    }
    case 4: add_notice(number, queue, total == 0); break;
    default: CHECK_EQUAL(sq_group_wait(group, SQ_NOW), total == 0 ? 0 : EAGAIN);
    }
}

static void step_other(int number) {
    if (roll(3) == 0) {
        onces[number].calls += 1;
        CHECK_EQUAL(sq_once(&onces[number].once, add_one, &onces[number].ran), 0);
        CHECK_EQUAL(onces[number].ran, 1);
    } else if (roll(2)) {
        semaphores[number].permits += 1;
        CHECK_EQUAL(sq_semaphore_signal(semaphores[number].semaphore), 0);
    } else {
        CHECK_EQUAL(sq_semaphore_wait(semaphores[number].semaphore, SQ_NOW), semaphores[number].permits > 0 ? 0 : EAGAIN);
        semaphores[number].permits -= semaphores[number].permits > 0;
    }
}

static void run_pool(void) {
    sq_pool_run(pool);
    for (int i = 0; i < QUEUES; i += 1) {
        CHECK(queues[i].length == 0 || (queues[i].suspensions > 0 && !queues[i].discards));
        CHECK_EQUAL(sq_queue_depth(queues[i].queue), queues[i].length);
    }
}

/* From one delay that ends to the next. */
static void advance(uint64_t until) {
    run_pool();
    while (now < until) {
        record_t *next = NULL;
        for (int i = 0; i < record_count; i += 1) {
            if (records[i].state == DELAYED && records[i].due <= until && (next == NULL || records[i].due < next->due)) {
                next = &records[i];
            }
        }
        uint64_t time = next != NULL ? next->due : until;
        if (next != NULL && !queues[next->queue].is_closed) {
            append(next, false);
        } else if (next != NULL) {
            next->due = UINT64_MAX; /* for the end of its queue */
        }
        sq_pool_advance(pool, time - now);
        now = time;
    }
    run_pool();
}

static void step_queue(int queue) {
    switch (roll(12)) {
    case 0:
        queues[queue].suspensions += !queues[queue].is_closed;
        CHECK_EQUAL(sq_suspend(queues[queue].queue), refusal(queue, false));
        break;
    case 1: case 2: {
        int expected = queues[queue].suspensions > 0 ? 0 : EINVAL;
        queues[queue].suspensions -= expected == 0;
        CHECK_EQUAL(sq_resume(queues[queue].queue), expected);
        break;
    }
    case 3: {
        bool discards = roll(2);
        if (roll(4) == 0 && queues[queue].suspensions == 0) {
            queues[queue].is_closed = true;
            queues[queue].discards = queues[queue].discards || discards;
            CHECK_EQUAL(sq_shutdown(queues[queue].queue, discards ? SQ_SHUTDOWN_DISCARD : SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        }
        break;
    }
    case 4: case 5: advance(now + (uint64_t)roll(60)); break;
    default: run_pool();
    }
}

static void begin(void) {
    record_count = 0;
    now = 0;
    memset(queues, 0, sizeof queues);
    memset(onces, 0, sizeof onces);
    pool = sq_pool_create_manual("manual");
    for (int i = 0; i < QUEUES; i += 1) {
        queues[i].queue = sq_queue_create("queue", &(sq_queue_options_t){ .size = sizeof(sq_queue_options_t), .pool = pool,
                                                                          .capacity = i == 0 ? ROOM : 0 });
        REQUIRE(queues[i].queue != NULL);
    }
    for (int i = 0; i < OBJECTS; i += 1) {
        groups[i].group = sq_group_create("group");
        semaphores[i].semaphore = sq_semaphore_create("semaphore", (size_t)i);
        semaphores[i].permits = i;
        groups[i].entered = groups[i].members = 0;
        make_new_item(i);
    }
}

/* Whatever is still open ends: each record then has an outcome. */
static void finish(void) {
    for (int i = 0; i < QUEUES; i += 1) {
        for (; queues[i].suspensions > 0; queues[i].suspensions -= 1) {
            CHECK_EQUAL(sq_resume(queues[i].queue), 0);
        }
    }
    for (int i = 0; i < OBJECTS; i += 1) {
        sq_item_release(items[i]->item);
        for (; groups[i].entered > 0; (void)sq_group_leave(groups[i].group)) {
            if (groups[i].entered-- + groups[i].members == 1) {
                notify_all(i);
            }
        }
        sq_semaphore_release(semaphores[i].semaphore);
    }
    advance(now + 1000);
    for (int i = 0; i < OBJECTS; i += 1) {
        CHECK_EQUAL(sq_group_wait(groups[i].group, SQ_NOW), 0);
        sq_group_release(groups[i].group);
    }
    for (int i = 0; i < QUEUES; i += 1) {
        queues[i].is_closed = true;
        CHECK_EQUAL(sq_shutdown(queues[i].queue, SQ_SHUTDOWN_DRAIN, SQ_FOREVER), 0);
        sq_queue_release(queues[i].queue);
    }
    sq_pool_release(pool);
    for (int i = 0; i < record_count; i += 1) {
        CHECK(records[i].state == RAN || records[i].state == NEVER);
    }
}

TEST(items_groups_semaphores_and_onces_do_what_the_model_says) {
    for (uint64_t sequence = 0; sequence < scaled(20000); sequence += 1) {
        dice = random_start(sequence);
        begin();
        for (int step = 0; step < STEPS && record_count < RECORDS - 2 * OBJECTS; step += 1) {
            int which = roll(10), queue = roll(QUEUES), object = roll(OBJECTS);
            if (which < 4) {
                step_item(object, queue);
            } else if (which < 7) {
                step_group(object, queue);
            } else if (which < 8) {
                step_other(object);
            } else {
                step_queue(queue);
            }
        }
        finish();
    }
}

/* book.c: the record of each task, and the functions of the tasks, which check what holds while they run.
 *
 * DESIGN. A submitter writes `state` after its call has returned; the task may have run by then. So a task that finds itself
 * REJECTED or WITHDRAWN ran after the error; whether an ACCEPTED one has had its outcome is known in the end. `accepted_at` is taken
 * after the call, from a clock that counts: a wait that began later must see the task. */
#include "storm.h"

enum { RESERVE = 600 }; /* records for what is under way when the round has enough */

static record_t records[RECORDS];
static atomic_int used;
static atomic_uint_fast64_t now;

void book_begin(void) {
    memset(records, 0, sizeof records);
    used = 0;
    now = 1;
}

bool book_is_full(void) { return used >= RECORDS - RESERVE; }
uint64_t book_now(void) { return atomic_fetch_add(&now, 1); }
static int count(void) { return used < RECORDS ? used : RECORDS; }

record_t *book_new(target_t *target, const char *call) {
    self_t *me = self();
    int number = atomic_fetch_add(&used, 1);
    MUST(number < RECORDS, "the book of the round is full");
    record_t *record = &records[number];
    record->target = target;
    record->call = call;
    record->group = -1;
    record->submitter = me->submitter;
    record->number = ++me->numbers[target->number];
    record->memory = malloc(8);
    return record;
}

static void free_memory(record_t *record) {
    free(record->memory);
    record->memory = NULL;
}

void book_accepted(record_t *record) {
    record->accepted_at = book_now();
    record->state = ACCEPTED;
    MUST(!record->waits || record->ended, "%s returned 0 before the end of its function", record->call);
}

static void check_error(const record_t *record, int error, bool may_deadlock) {
    const target_t *target = record->target;
    switch (error) {
    case EDEADLK:
        MUST(may_deadlock, "%s: EDEADLK outside of tasks, queue %d: %s", record->call, target->number, sq_deadlock_report());
        break;
    case ESHUTDOWN: MUST(target->is_shut, "%s: ESHUTDOWN without a shutdown", record->call); break;
    case EAGAIN: MUST(target->capacity > 0 || record->waits, "%s: EAGAIN from a queue without a limit", record->call); break;
    case ETIMEDOUT: totals.timeouts += 1; break;
    default: violated("%s: error %d (%s)", record->call, error, sq_error_text(error));
    }
}

void book_refused(record_t *record, int error, bool may_deadlock) {
    MUST(!record->runs && !record->discards, "%s: error %d, but a function was called", record->call, error);
    record->state = REJECTED;
    free_memory(record);
    totals.refusals += 1;
    check_error(record, error, may_deadlock);
}

void book_answer(record_t *record, int error, bool may_deadlock) {
    if (error == 0) {
        book_accepted(record);
    } else {
        book_refused(record, error, may_deadlock);
    }
}

void book_withdrawn(record_t *record) {
    MUST(!record->runs && !record->discards, "%s: a function was called, and then the task was withdrawn", record->call);
    record->state = WITHDRAWN;
    totals.cancellations += 1;
    free_memory(record);
}

/* An item that no queue has taken: its discard is its outcome, and it is a member of nothing. */
void book_unsubmitted(record_t *record) {
    record->group = -1;
    record->state = UNSUBMITTED;
}

static void check_outcome(record_t *record, const char *outcome) {
    int state = record->state;
    MUST(state != REJECTED && state != WITHDRAWN, "%s: %s after an error or a withdrawal", record->call, outcome);
    MUST(record->runs + record->discards == 1, "%s: %s, but it has run %d times and been discarded %d times", record->call, outcome,
         record->runs, record->discards);
    record->memory = realloc(record->memory, 16); /* a use after free, if it is not the first outcome */
}

static void check_order(record_t *record) {
    target_t *target = record->target;
    if (!record->is_unordered) {
        uint64_t *last = &target->last[record->submitter];
        MUST(*last < record->number, "%s: on queue %d number %llu of submitter %u after %llu", record->call, target->number,
             (unsigned long long)record->number, record->submitter, (unsigned long long)*last);
        *last = record->number;
    }
}

static bool runs_alone(const record_t *record) { return is_serial(record->target) || record->is_barrier; }

void target_enter(target_t *target, const char *call, bool is_alone, bool has_width) {
    if (target->onto != NULL) {
        target_enter(target->onto, call, is_serial(target->onto), false);
    }
    if (is_alone) {
        int others = atomic_fetch_add(&target->alone, 1), readers = target->readers;
        MUST(others == 0 && readers == 0, "%s: runs alone on queue %d (width %zu, place %d), next to %d others and %d readers", call,
             target->number, target->width, (int)target->place, others, readers);
        return;
    }
    target->readers += 1;
    MUST(target->alone == 0, "%s: a reader next to a barrier on queue %d", call, target->number);
    size_t width = has_width ? (size_t)atomic_fetch_add(&target->async_readers, 1) + 1 : 0;
    MUST(width <= target->width, "%s: %zu tasks at once on a queue of width %zu", call, width, target->width);
}

void target_leave(target_t *target, bool is_alone, bool has_width) {
    if (target->onto != NULL) {
        target_leave(target->onto, is_serial(target->onto), false);
    }
    if (is_alone) {
        target->alone -= 1;
    } else {
        target->async_readers -= has_width;
        target->readers -= 1;
    }
}

/* Returns whether the function runs after the end of its queue. */
static bool enter(record_t *record) {
    target_t *target = record->target;
    if (record->may_be_late && sq_has_ended(target->queue)) {
        MUST(atomic_fetch_add(&target->late, 1) == 0, "%s: two functions at once after the end of the queue", record->call);
        totals.late += 1;
        return true;
    }
    target_enter(target, record->call, runs_alone(record), !record->waits);
    if (is_serial(target)) {
        check_order(record);
    }
    return false;
}

static void leave(record_t *record, bool is_late) {
    if (is_late) {
        record->target->late -= 1;
    } else {
        target_leave(record->target, runs_alone(record), !record->waits);
    }
}

static void work(self_t *me) {
    yield_for(&me->chance);
    if (me->depth <= 4) {
        for (uint64_t i = below(&me->chance, 3); i > 0 && !is_over && !book_is_full(); i -= 1) {
            act();
        }
    }
}

void task_run(void *context) {
    record_t *record = context;
    target_t *target = record->target;
    self_t *me = self();
    bool is_nested = is_inside(me, target->number); /* sq_sync_or_run, and readers inside of a reader: part of the task around it */
    record->runs += 1;
    check_outcome(record, "it runs");
    bool has_ended = false;
    for (target_t *each = target; each != NULL; each = each->onto) {
        each->starts += !record->may_be_late && !is_nested;
        has_ended |= each != target && each->is_shut;
        MUST(sq_is_current(each->queue), "%s: a queue is not current in its own task, or in one of a queue whose target it is", record->call);
    }
    MUST(target->place != LOOP || me->owns_loop || is_nested || record->may_be_late || has_ended, "%s: a task of the loop on another thread",
         record->call);
    bool is_late = !is_nested && enter(record);
    if (me->depth < DEEPEST) {
        me->inside[me->depth] = target->number;
    }
    me->depth += 1;
    work(me);
    me->depth -= 1;
    if (!is_nested) {
        leave(record, is_late);
    }
    free_memory(record);
    totals.tasks += 1;
    record->ended = 1;
}

void task_discard(void *context) {
    record_t *record = context;
    record->discards += 1;
    check_outcome(record, "it is discarded");
    free_memory(record);
    totals.discards += 1;
    record->ended = 1;
}

void task_pair(void *context, void *target, bool runs) {
    MUST(target == ((record_t *)context)->target, "the two words of a pair are not of one task");
    (runs ? task_run : task_discard)(context);
}

/* A task without a discard function vanishes in a shutdown that discards: whether it has ended is not known then. */
static bool may_vanish(const record_t *record) { return record->has_no_discard && record->target->discards; }

/* The group's count was zero at some moment since `before`. */
void book_check_zero(int group, uint64_t before) {
    for (int i = 0, all = count(); i < all; i += 1) {
        record_t *record = &records[i];
        if (record->state == ACCEPTED && record->group == group && record->accepted_at < before) {
            MUST(record->ended || may_vanish(record), "group %d has no members, but a member on queue %d (%s) has not ended", group,
                 record->target->number, record->call);
        }
    }
}

/* A shutdown of the queue has returned 0, and had begun at `before`. */
void book_check_drained(const target_t *target, uint64_t before) {
    for (int i = 0, all = count(); i < all; i += 1) {
        record_t *record = &records[i];
        if (record->state == ACCEPTED && record->target == target && record->accepted_at < before && !record->is_entry) {
            MUST(record->ended || may_vanish(record), "the shutdown of queue %d returned 0, but a task (%s) has not ended", target->number,
                 record->call);
        }
    }
}

void book_end(void) {
    for (int i = 0, all = count(); i < all; i += 1) {
        record_t *record = &records[i];
        int outcomes = record->runs + record->discards;
        switch (record->state) {
        case ACCEPTED:
            MUST(outcomes == 1 || (outcomes == 0 && may_vanish(record)), "%s on queue %d has %d outcomes", record->call,
                 record->target->number, outcomes);
            MUST(record->ended || may_vanish(record), "%s on queue %d began and did not end", record->call, record->target->number);
            break;
        case UNSUBMITTED: MUST(record->discards == 1 && !record->runs, "an item that was not submitted has another outcome"); break;
        case OPEN: violated("%s: neither accepted nor refused in the end", record->call);
        default: MUST(outcomes == 0, "%s: refused or withdrawn, and it has an outcome", record->call);
        }
        free_memory(record);
    }
}

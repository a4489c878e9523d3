/* stage.c: the records of the submissions, and the oracles that look at them. */
#include "stage_inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const stage_kind_names[] = { "async", "async_pair", "async_barrier", "member", "owned_member", "item", "async_until", "sync", "sync_until", "sync_or_run", "run_and_wait", "async_and_wait",
    "sync_barrier", "sync_barrier_until" };

const expectation_t *stage_expected;
submission_t stage_submissions[SUBMISSIONS];
unsigned stage_count;
static int inside[QUEUES];     /* tasks running now, */
static int alone[QUEUES];      /* and those of them that must be the only ones */
static uint64_t cells[QUEUES]; /* what each queue protects */
static uint64_t contexts[SUBMISSIONS], results[SUBMISSIONS];
int stage_deadlocks;
bool stage_may_fail; /* memory and threads */
static char printed[64];
sq_queue_t *stage_queues[QUEUES];
void (*stage_instead)(const void *argument, int queue);

sq_time_t stage_soon(void) { return ex_now() + 100; }

void stage_begin(const expectation_t *expectation, unsigned queues) {
    static const char labels[QUEUES][2] = { "A", "B", "C", "D" };
    stage_expected = expectation;
    stage_count = 0;
    stage_deadlocks = 0;
    printed[0] = '\0';
    memset(inside, 0, sizeof inside);
    memset(alone, 0, sizeof alone);
    stage_control_reset();
    stage_watch_reset();
    stage_apply_reset();
    bool faults = stage_may_fail = ex_setting.faults;
    ex_setting.faults = false;
    ex_warm_begin();
    sq_pool_t *pool = stage_pool_begin(&expectation->pool);
    for (unsigned i = 0; i < queues; i += 1) {
        sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
        bool has_target = expectation->targets && i > 0;
        options.pool = has_target ? NULL : pool;
        options.target = has_target ? stage_queues[0] : NULL;
        options.capacity = expectation->capacity;
        options.width = expectation->width;
        options.helps = expectation->pool.kind == POOL_HELPED;
        options.priority = options.helps ? (sq_priority_t[]){ SQ_PRIORITY_NORMAL, SQ_PRIORITY_HIGH, SQ_PRIORITY_LOW }[i % 3] : SQ_PRIORITY_NORMAL;
        stage_queues[i] = sq_queue_create(labels[i], &options);
        stage_warm(stage_queues[i]);
    }
    ex_warm_end();
    ex_setting.faults = faults;
}

void stage_begin_own(sq_queue_options_t *options, bool is_wide) {
    static const expectation_t serial, wide = { .pool = { POOL_FIXED, 2 } };
    stage_begin(is_wide ? &wide : &serial, 0);
    *options = (sq_queue_options_t)SQ_QUEUE_OPTIONS_INIT;
    options->pool = stage_pool();
    options->width = is_wide ? SQ_WIDTH_POOL : 1;
}

/* With targets, A is theirs; the others are serial. */
static size_t width_of(int queue) { return stage_expected->targets && queue > 0 ? 1 : stage_expected->width; }

static bool target_is_serial(void) { return stage_expected->targets && stage_expected->width <= 1; }

static bool is_barrier(const submission_t *one) {
    return width_of(one->queue) <= 1 || one->kind == ASYNC_BARRIER || one->kind >= SYNC_BARRIER;
}

static void check_exclusion(const submission_t *one) {
    int queue = one->queue;
    if (inside[queue] && (is_barrier(one) || alone[queue])) {
        ex_fail("exclusion: two tasks of a queue at a time");
    }
    for (int i = 0; i < QUEUES && target_is_serial(); i += 1) {
        if (inside[i]) {
            ex_fail("exclusion: two tasks of queues with one target at a time");
        }
    }
    size_t asyncs = 0;
    for (unsigned i = 0; i < stage_count; i += 1) {
        const submission_t *other = &stage_submissions[i];
        asyncs += other->queue == queue && other->kind <= ASYNC_UNTIL && other->started && !other->finished;
    }
    if (width_of(queue) > 1 && asyncs > width_of(queue)) {
        ex_fail("width: %zu asynchronous tasks at a time", asyncs);
    }
}

static void check_start(const submission_t *one) {
    for (unsigned i = 0; i < stage_count; i += 1) {
        const submission_t *other = &stage_submissions[i];
        if (other == one || other->queue != one->queue || other->is_inline || other->error || other->discarded || stage_is_cancelled(other)
            || (!is_barrier(one) && !is_barrier(other))) {
            continue;
        }
        if (one->returned_before >> other->id & 1 && !other->finished) {
            ex_fail("order: %s %d returned before %s %d began, and has not run", stage_kind_names[other->kind], other->id,
                    stage_kind_names[one->kind], one->id);
        }
        if (other->submitter == one->submitter && other->kind <= ASYNC_UNTIL && one->kind <= ASYNC_UNTIL && other->id > one->id
            && other->started) {
            ex_fail("order: %d ran before %d of the same thread", other->id, one->id);
        }
    }
    stage_control_starts(one);
}

static void touch_cells(void (*touch)(const void *, unsigned), int queue) {
    touch(WORD(cells[queue]));
    if (target_is_serial() && queue != 0) {
        touch(WORD(cells[0])); /* the target protects it, too */
    }
}

static void run(void *context) {
    submission_t *one = &stage_submissions[(uint64_t *)context - contexts];
    int queue = one->queue;
    ex_caller = (const void *)run;
    ex_read(WORD(contexts[one->id])); /* what the caller wrote before */
    if (one->ran++ || one->discarded) {
        ex_fail("outcome: %s %d runs twice, or after it was discarded", stage_kind_names[one->kind], one->id);
    }
    EX_TRACE("task %d (%s) begins", one->id, stage_kind_names[one->kind]);
    one->runner = ex_current;
    one->started = true;
    if (!one->is_inline) {
        check_exclusion(one);
        check_start(one);
    }
    bool is_alone = is_barrier(one) && !one->is_inline;
    void (*const touch)(const void *, unsigned) = is_alone ? ex_write : ex_read;
    inside[queue] += 1;
    alone[queue] += is_alone;
    stage_pool_enter(one);
    touch_cells(touch, queue); /* what the tasks before wrote */
    ex_point();
    if (!sq_is_current(stage_queues[queue]) || sq_current_queue() != stage_queues[queue]) {
        ex_fail("current: the queue is not the current one in its task");
    }
    if (one->inside != NULL) {
        one->inside(one->argument);
    }
    ex_caller = (const void *)run;
    touch_cells(touch, queue);
    ex_write(WORD(results[one->id]));
    inside[queue] -= 1;
    alone[queue] -= is_alone;
    stage_pool_leave(one);
    one->finished = true;
    stage_control_ends(one);
    EX_TRACE("task %d ends", one->id);
}

/* A barrier that is discarded comes after the tasks before it, unless it is cancelled. */
static void check_alone(const submission_t *one) {
    for (unsigned i = 0; is_barrier(one) && !stage_is_cancelled(one) && i < stage_count; i += 1) {
        const submission_t *other = &stage_submissions[i];
        if (other != one && other->queue == one->queue && !other->is_inline && other->started && !other->finished) {
            ex_fail("exclusion: barrier %d is discarded while %s %d runs", one->id, stage_kind_names[other->kind], other->id);
        }
    }
}

static void discard(void *context) {
    submission_t *one = &stage_submissions[(uint64_t *)context - contexts];
    ex_caller = (const void *)discard;
    ex_read(WORD(contexts[one->id]));
    if (one->ran || one->discarded++) {
        ex_fail("outcome: %d is discarded twice, or after it ran", one->id);
    }
    stage_control_discards(one);
    check_alone(one);
    ex_write(WORD(results[one->id]));
    EX_TRACE("task %d is discarded", one->id);
    ex_point();
    if (one->inside != NULL && stage_instead != NULL) {
        stage_instead(one->argument, one->queue);
    }
}

static void run_pair(void *one, void *same, bool runs) {
    if (one != same) {
        ex_fail("outcome: the two words of a pair are not the ones that were submitted");
    }
    (runs ? run : discard)(one);
}

static void check_error(const submission_t *one, sq_time_t deadline) {
    bool resources = stage_may_fail && one->error == ENOMEM;
    bool full = stage_expected->capacity > 0 && one->kind < ASYNC_UNTIL && one->error == EAGAIN;
    bool late = (one->kind == SYNC_UNTIL || one->kind == SYNC_BARRIER_UNTIL || one->kind == RUN_AND_WAIT || one->kind == EITHER || one->kind == ASYNC_UNTIL) && one->error == ETIMEDOUT;
    bool busy = (one->kind == SYNC_UNTIL || one->kind == SYNC_BARRIER_UNTIL || one->kind == RUN_AND_WAIT || one->kind == EITHER) && deadline == SQ_NOW && one->error == EAGAIN && !stage_expected->is_free;
    if (!resources && !full && !late && !busy && !(stage_expected->may & ERROR_BIT(one->error))) {
        ex_fail("error: %s returned %s", stage_kind_names[one->kind], strerror(one->error));
    }
    if (one->ran || one->discarded) {
        ex_fail("outcome: %s %d failed (%s), but its task ran or was discarded", stage_kind_names[one->kind], one->id, strerror(one->error));
    }
    stage_deadlocks += one->error == EDEADLK;
    if (one->error == EDEADLK && stage_expected->spares_unlimited && (one->kind == SYNC || one->kind == SYNC_BARRIER || deadline == SQ_FOREVER)) {
        ex_fail("deadlock: a wait without a limit was refused although another one has a deadline");
    }
    if (one->error == EDEADLK && !stage_may_fail && sq_deadlock_report()[0] == '\0') {
        ex_fail("deadlock: no report");
    }
}

static int waiting_in(int queue) {
    int waiting = 0;
    for (unsigned i = 0; i < stage_count; i += 1) {
        const submission_t *one = &stage_submissions[i];
        waiting += one->queue == queue && one->kind <= ASYNC_UNTIL && one->returned && !one->error && !one->started && !one->discarded;
    }
    return waiting;
}

uint64_t stage_returned(void) {
    uint64_t returned = 0;
    for (unsigned i = 0; i < stage_count; i += 1) {
        const submission_t *one = &stage_submissions[i];
        returned |= (uint64_t)(one->returned && ex_happened(one->submitter, one->returned_when)) << i;
    }
    return returned;
}

void stage_read_result(const submission_t *one) { ex_read(WORD(results[one->id])); }

int stage_submit(kind_t kind, int queue, sq_time_t deadline, void (*inner)(const void *), const void *argument) {
    if (stage_count == SUBMISSIONS) {
        ex_fail("the explorer itself: too many submissions");
    }
    submission_t *one = &stage_submissions[stage_count];
    /* In a reader a sync runs at once, as part of it. */
    bool in_reader = stage_expected->width > 1 && kind >= SYNC && kind <= EITHER && kind != RUN_AND_WAIT && !alone[queue];
    bool is_inline = (kind == SYNC_OR_RUN || in_reader) && sq_is_current(stage_queues[queue]);
    *one = (submission_t){ .kind = kind, .id = (int)stage_count++, .queue = queue, .submitter = ex_current, .inside = inner,
                           .argument = argument, .is_inline = is_inline, .closed_before = stage_closed[queue],
                           .returned_before = stage_returned(), .suspension_before = stage_suspension_before(queue) };
    ex_caller = (const void *)stage_submit;
    ex_write(WORD(contexts[one->id]));
    sq_queue_t *q = stage_queues[queue];
    void *context = &contexts[one->id];
    const sq_task_t task = { .run = run, .context = context, .discard = discard };
    EX_TRACE("calls %s on %c (%d)", stage_kind_names[kind], 'A' + queue, one->id);
    int error = kind == ASYNC ? sq_async_task(q, &task)
        : kind == ASYNC_PAIR  ? sq_async_pair(q, deadline, run_pair, context, context)
        : kind == ASYNC_BARRIER ? sq_async_barrier_task(q, &task)
        : kind == MEMBER || kind == OWNED_MEMBER || kind == ITEM ? stage_many_submit(kind, q, &task)
        : kind == ASYNC_UNTIL ? sq_async_until(q, deadline, &task)
        : kind == SYNC        ? sq_sync(q, run, context)
        : kind == SYNC_UNTIL  ? sq_sync_until(q, deadline, run, context)
        : kind == SYNC_OR_RUN ? sq_sync_or_run(q, run, context)
        : kind == RUN_AND_WAIT        ? sq_run_and_wait(q, deadline, run, context)
        : kind == SYNC_BARRIER       ? sq_sync_barrier(q, run, context)
        : kind == SYNC_BARRIER_UNTIL ? sq_sync_barrier_until(q, deadline, run, context)
                              : sq_async_and_wait(q, deadline, run, context);
    ex_return(__builtin_frame_address(0));
    one->error = error;
    one->returned = true;
    one->returned_when = ex_when();
    EX_TRACE("%s (%d) returns %d", stage_kind_names[kind], one->id, error);
    ex_caller = (const void *)stage_submit;
    if (error) {
        check_error(one, deadline);
        ex_write(WORD(contexts[one->id])); /* the context is the caller's again */
        if (inner != NULL && stage_instead != NULL) {
            stage_instead(argument, queue);
        }
        return error;
    }
    if (one->closed_before && !is_inline) {
        ex_fail("shutdown: %s was accepted after a shutdown had returned", stage_kind_names[kind]);
    }
    if (kind > ASYNC_UNTIL) {
        if (!one->finished) {
            ex_fail("outcome: %s %d returned before its task", stage_kind_names[kind], one->id);
        }
        stage_read_result(one);
        ex_write(WORD(contexts[one->id]));
    } else if (stage_expected->capacity > 0 && waiting_in(queue) > (int)(stage_expected->capacity + (stage_expected->width > 1 ? 3 : 1))) {
        ex_fail("capacity: %d tasks wait", waiting_in(queue));
    }
    return 0;
}

void stage_look(int queue) {
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(stage_queues[queue], &stats);
    if (stats.ran > stage_count + stage_warm_tasks() || stats.highest_depth > stage_count || sq_queue_depth(stage_queues[queue]) > stage_count) {
        ex_fail("counts: more than there were submissions");
    }
}

void stage_apart(unsigned most) {
    unsigned shared = ex_lines_end();
    if (shared > most) {
        ex_fail("apart: %u cache lines are written by one thread and used by another", shared);
    }
}

void stage_print(char what) {
    size_t used = strlen(printed);
    if (used + 1 < sizeof printed) {
        printed[used] = what;
        printed[used + 1] = '\0';
    }
}

const char *stage_printed(void) { return printed; }

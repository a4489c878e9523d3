/* target_fixed.c: a queue's first use against a move of one of its targets: one of the two comes first, and the other sees it.
 *
 * "queue" is on "target", and "next" too. The mover sets "below" as the target of "target", or of "queue" where that has none yet. */
#include "scenario.h"

#include <errno.h>
#include <string.h>

static sq_pool_t *loop;
static sq_queue_t *queue, *next, *target, *below;
static sq_item_t *item;
static int moved;           /* what sq_queue_set_target returned; -1: nothing yet */
static int ran, ran_below;
static uint64_t cell;       /* the tasks on "below" use it */

static void must(int error) {
    if (error) {
        ex_fail("target: a call returned %s", strerror(error));
    }
}

static void look(void *unused) {
    (void)unused;
    ex_caller = (const void *)look;
    ran += 1;
    if (sq_is_current(below)) {
        ran_below += 1;
        ex_write(&cell, sizeof cell);
        ex_point();
        ex_write(&cell, sizeof cell);
    }
}

static void move(sq_queue_t *from) {
    moved = sq_queue_set_target(from, below);
    if (moved != 0 && moved != EBUSY) {
        must(moved);
    }
}

typedef void part_t(void);

static void call_part(void *part) { ((part_t *)part)(); }

/* `is_above`: "queue" and "next" have the target before the threads begin, else "queue" is suspended then. */
static void begin(bool is_above) {
    static const expectation_t nothing_expected;
    stage_begin(&nothing_expected, 0);
    moved = -1;
    ran = ran_below = 0;
    below = sq_queue_create("below", NULL);
    target = sq_queue_create("target", NULL);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.target = is_above ? target : NULL;
    queue = sq_queue_create("queue", &options);
    next = sq_queue_create("next", &options);
    if (!is_above) {
        must(sq_suspend(queue));
    }
}

/* By a thread of its own, whose records are freed with it. */
static void shut_down(void) {
    sq_queue_t *all[] = { queue, next, target, below };
    for (unsigned i = 0; i < 4; i += 1) {
        must(sq_shutdown(all[i], SQ_SHUTDOWN_DRAIN, SQ_FOREVER));
        sq_queue_release(all[i]);
    }
}

static void run_parts(part_t *const parts[]) {
    int ids[4];
    for (unsigned i = 0; parts[i] != NULL; i += 1) {
        ids[i] = ex_start(call_part, (void *)parts[i], false);
    }
    for (unsigned i = 0; parts[i] != NULL; i += 1) {
        ex_join(ids[i]);
    }
    ex_end_in_one_order();
}

static void end(int wanted) {
    run_parts((part_t *const[]){ shut_down, NULL });
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    if (ran != wanted || ran_below != (moved == 0 ? wanted : 0)) {
        ex_fail("target: %d of %d tasks ran, %d of them below; the move returned %d", ran, wanted, ran_below, moved);
    }
    stage_end();
}

static void run_above(part_t *const parts[], int wanted) {
    begin(true);
    run_parts(parts);
    end(wanted);
}

#define PART(name, ...) static void name(void) { __VA_ARGS__; }
#define ABOVE(name, wanted, ...) \
    static void name(void) { run_above((part_t *const[]){ __VA_ARGS__, NULL }, wanted); }

PART(m_move, move(target))
PART(m_move_and_resume, move(queue); must(sq_resume(queue)))
PART(m_move_and_async, move(queue); must(sq_async(queue, look, NULL)))
PART(q_async, must(sq_async(queue, look, NULL)))
PART(q_sync, must(sq_sync(queue, look, NULL)))
PART(q_call, must(sq_run_and_wait(queue, SQ_FOREVER, look, NULL)))
PART(n_sync, must(sq_sync(next, look, NULL)))

static void o_item(void) {
    (void)sq_pool_run_some(loop, 1, SQ_NOW); /* the loop is this thread's */
    must(sq_item_submit(item, next));
    must(sq_item_wait(item, SQ_FOREVER));
    while (ran < 2) {
        (void)sq_pool_run_some(loop, 1, SQ_FOREVER);
    }
}

ABOVE(against_async, 1, m_move, q_async)
ABOVE(against_sync, 2, m_move, q_sync, n_sync)
ABOVE(against_call, 2, m_move, q_call, n_sync)

/* What is under "queue" itself, as long as it is suspended. */
static void own_target(void) {
    begin(false);
    run_parts((part_t *const[]){ m_move_and_resume, q_sync, NULL });
    end(1);
}

static void moved_and_used(void) {
    begin(false);
    must(sq_resume(queue));
    run_parts((part_t *const[]){ m_move_and_async, q_async, NULL });
    end(2);
}

/* "queue" is on "next", that on "target", and that on "below", which is on a loop: its owner waits for an item of "next". */
static void fixed_by_two(void) {
    static const expectation_t nothing_expected;
    stage_begin(&nothing_expected, 0);
    moved = 0;
    ran = ran_below = 0;
    loop = sq_pool_create_loop("loop");
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT, on_loop = SQ_QUEUE_OPTIONS_INIT;
    on_loop.pool = loop;
    below = sq_queue_create("below", &on_loop);
    options.target = below;
    target = sq_queue_create("target", &options);
    options.target = target;
    next = sq_queue_create("next", &options);
    options.target = next;
    queue = sq_queue_create("queue", &options);
    item = sq_item_create("item", &(sq_task_t){ look, NULL, NULL });
    run_parts((part_t *const[]){ o_item, q_async, NULL });
    sq_item_release(item);
    sq_pool_release(loop);
    end(2);
}

/* A target that is refused leaves the queue the one that it has, which the program releases. */
static void refused(void) {
    static const expectation_t nothing;
    stage_begin(&nothing, 0);
    sq_queue_t *first = sq_queue_create("first", NULL), *above = sq_queue_create("above", NULL);
    if (sq_queue_set_target(above, first) != 0 || sq_queue_set_target(above, above) != EINVAL) {
        ex_fail("target: a queue was to get the first one, and not itself");
    }
    sq_queue_release(first);
    sq_queue_release(above);
    stage_end();
}

const scenario_t target_fixed_scenarios[] = {
    { "target_fixed_async", "the target is moved before the first async above it, or stays", .body = against_async },
    { "target_fixed_sync", "the same for the first syncs of two queues, which exclude each other", .body = against_sync },
    { "target_fixed_call", "the same for a call", .body = against_call },
    { "target_fixed_own", "a queue gets its target before the sync that waits while it is suspended, or none", .body = own_target },
    { "target_fixed_moved", "the first async of another thread comes when the one that set the target fixes it", .body = moved_and_used },
    { "target_fixed_by_two", "a thread that finds the targets fixed by another one knows the last of them", .body = fixed_by_two },
    { "target_fixed_refused", "a target that is refused leaves the one before", .body = refused },
    { 0 },
};
